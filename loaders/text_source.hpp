// The decompressed text of a trace, readable at any offset for as long as the document is open.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "loaders/file_stamp.hpp"

namespace kino {

/// A piece of a text with what finds damage in it: CRC-32 (ISO 3309, as in gzip) of what stood before it and
/// of both.
struct TextBlock {
  std::uint64_t end = 0;
  std::uint32_t crc_before = 0;
  std::uint32_t crc_after = 0;
};

/// A file descriptor with a text behind it: the trace itself when it is plain, a spool when it was
/// compressed, behind whose text an index may stand. Reads are positional and thread-safe; a file that
/// shrinks gives short reads, never a signal.
class TextSource {
 public:
  /// Takes over `fd`. `stamp` is that of a file others may write to; a spool has none.
  explicit TextSource(int fd, std::optional<FileStamp> stamp = std::nullopt) : fd_(fd), stamp_(stamp) {}
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  ~TextSource();

  int fd() const { return fd_; }
  /// Whether it is not a file of the person's.
  bool is_spool() const { return !stamp_; }
  /// Bytes that can be read now; grows while a spool is being written.
  std::uint64_t size_bytes() const { return size_bytes_.load(std::memory_order_acquire); }
  void set_size_bytes(std::uint64_t size) { size_bytes_.store(size, std::memory_order_release); }

  /// Whether what was read up to now is what stood there when the file was opened, as far as its size and
  /// time of change tell. A file that another one replaced under its name is unchanged: this one reads the
  /// old.
  bool unchanged() const;

  /// The blocks of a spool, in order, as far as it is written: those of its writer, or those it is checked
  /// by.
  const std::vector<TextBlock>& blocks() const { return blocks_; }
  /// Notes what is written next, whose CRC-32 goes from `crc_before` to `crc_after`. Little pieces become one
  /// block, so that there are never many.
  void add_block(std::span<const std::uint8_t> data, std::uint32_t crc_before, std::uint32_t crc_after);
  /// From now on no read gives bytes of a block that is not what `blocks` say: it fails with
  /// `wrong_checksum`, and the file of this name is removed. Before anyone reads.
  void check_by(std::vector<TextBlock> blocks, std::filesystem::path file);

  /// Fills `out` from `offset`; returns how many bytes of text were there. Fails on an input/output error.
  Result<std::size_t> read(std::uint64_t offset, std::span<char> out) const;
  /// Up to `length` bytes from `offset` as text.
  Result<std::string> read_text(std::uint64_t offset, std::size_t length) const;

 private:
  Result<std::size_t> read_unchecked(std::uint64_t offset, std::span<char> out) const;
  /// Whether the blocks that [offset, offset + bytes.size()) touches are right. Each is read once.
  bool blocks_hold(std::uint64_t offset, std::span<const char> bytes) const;

  int fd_;
  std::optional<FileStamp> stamp_;
  std::atomic<std::uint64_t> size_bytes_{0};
  std::vector<TextBlock> blocks_;
  std::unique_ptr<std::atomic<bool>[]> good_;  // of each block; null: nothing is checked
  std::filesystem::path kept_as_;
};

/// Takes over `fd` also when there is no memory for the source: then it is closed and std::bad_alloc thrown.
std::shared_ptr<TextSource> owning_source(int fd, std::optional<FileStamp> stamp = std::nullopt);

}  // namespace kino
