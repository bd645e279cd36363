// The decompressed text of a trace, readable at any offset for as long as the document is open.
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

/// Reads are positional and thread-safe.
class TextSource {
 public:
  TextSource() = default;
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  virtual ~TextSource() = default;

  /// Bytes that can be read now; grows while a file is decompressed.
  std::uint64_t size_bytes() const { return size_bytes_.load(std::memory_order_acquire); }
  void set_size_bytes(std::uint64_t size) { size_bytes_.store(size, std::memory_order_release); }

  /// Whether what was read up to now is what stood there when the file was opened, as far as its size and
  /// time of change tell. A file that another one replaced under its name is unchanged: this one reads the
  /// old.
  virtual bool unchanged() const = 0;
  /// Somebody is about to read up to `size`, and what lies before may be forgotten by who can get it again.
  virtual void expect(std::uint64_t /*size*/) {}
  /// It is loaded: what makes going through it once fast is not needed any more.
  virtual void settle() {}
  /// Fills `out` from `offset`; returns how many bytes of text were there. Fails on an input/output error.
  virtual Result<std::size_t> read(std::uint64_t offset, std::span<char> out) const = 0;
  /// Up to `length` bytes from `offset` as text.
  Result<std::string> read_text(std::uint64_t offset, std::size_t length) const;

  /// Where pieces of about `bytes` begin for who reads all of the text, in any order: 0 is the first.
  virtual std::vector<std::uint64_t> cuts(std::uint64_t bytes) const;
  /// The file that only has this text and can be kept with the trace; null when it is read from a file of the
  /// person's.
  virtual const FileSource* spool() const { return nullptr; }
  /// Of a text that is decompressed again wherever it is read; null for others. Once it is complete.
  virtual const SeekPoints* seek_points() const { return nullptr; }

 private:
  std::atomic<std::uint64_t> size_bytes_{0};
};

}  // namespace kino
