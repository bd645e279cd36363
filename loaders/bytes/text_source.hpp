// The decompressed text of a trace, readable at any offset while the document is open.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

class FileSource;
struct SeekPoints;

/// Interface to a text. Reads take an offset and are thread-safe.
class TextSource {
 public:
  TextSource() = default;
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  virtual ~TextSource() = default;

  /// Returns the number of readable bytes, which grows while a file is decompressed.
  std::uint64_t size_bytes() const { return size_bytes_.load(std::memory_order_acquire); }
  void set_size_bytes(std::uint64_t size) { size_bytes_.store(size, std::memory_order_release); }

  /// Returns whether the size and modification time of the opened file are as they were when it was opened.
  /// A file that was replaced by another one under the same name is unchanged: this source still reads the
  /// old file.
  virtual bool unchanged() const = 0;
  /// Announces that reads up to `size` follow. A source without a copy of the text inflates only a little
  /// beyond that while loading.
  virtual void expect(std::uint64_t /*size*/) {}
  /// Called when loading is complete: frees the buffers of the first pass.
  virtual void settle() {}
  /// Fills `out` with the text from `offset` and returns the number of bytes read, which is smaller only at
  /// the end of the text. Fails if the text cannot be read or its stored copy is damaged.
  virtual Result<std::size_t> read(std::uint64_t offset, std::span<char> out) const = 0;
  /// Returns up to `length` bytes from `offset`.
  Result<std::string> read_text(std::uint64_t offset, std::size_t length) const;

  /// Returns ascending offsets, starting with 0, that cut the text into pieces of about `bytes` for parallel
  /// reads. An empty text may have none.
  virtual std::vector<std::uint64_t> cuts(std::uint64_t bytes) const;
  /// Returns the spool of this text if it can be cached; null if the text is in a user's file.
  virtual const FileSource* spool() const { return nullptr; }
  /// Returns the seek points of a complete text that is inflated again for reads; null for other texts.
  virtual const SeekPoints* seek_points() const { return nullptr; }

 private:
  std::atomic<std::uint64_t> size_bytes_{0};
};

}  // namespace kino
