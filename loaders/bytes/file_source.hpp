// A text in a file: the uncompressed trace file, or a spool of decompressed text.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_stamp.hpp"
#include "core/base/result.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// A piece of a text. Its bytes change a running CRC-32 (ISO 3309, as in gzip) from `crc_before` to
/// `crc_after`.
struct TextBlock {
  std::uint64_t end = 0;
  std::uint32_t crc_before = 0;
  std::uint32_t crc_after = 0;
};

/// Reads a text from a file; in a spool, an index may follow the text. If the file shrinks, reads are short
/// and no signal is raised.
class FileSource : public TextSource {
 public:
  /// `stamp` is set for files that others may write to, not for spools.
  explicit FileSource(Descriptor file, std::optional<FileStamp> stamp = std::nullopt)
      : file_(std::move(file)), stamp_(stamp) {}

  int fd() const { return file_.fd; }
  const FileSource* spool() const override { return stamp_ ? nullptr : this; }
  bool unchanged() const override;
  Result<std::size_t> read(std::uint64_t offset, std::span<char> out) const override;

  /// Returns the blocks of a spool in order: the blocks written so far, or those passed to check_by().
  const std::vector<TextBlock>& blocks() const { return blocks_; }
  /// Registers the bytes that are written next; they change the CRC-32 from `crc_before` to `crc_after`.
  /// Merges small pieces into one block.
  void add_block(std::span<const std::uint8_t> data, std::uint32_t crc_before, std::uint32_t crc_after);
  /// Enables verification: from now on, reading a damaged block fails with `wrong_checksum` and removes
  /// `file`. Must be called before the first read.
  void check_by(std::vector<TextBlock> blocks, std::filesystem::path file);

 private:
  Result<std::size_t> read_unchecked(std::uint64_t offset, std::span<char> out) const;
  /// Verifies the blocks that overlap [offset, offset + bytes.size()). Blocks that were found valid are not
  /// verified again.
  bool blocks_valid(std::uint64_t offset, std::span<const char> bytes) const;

  Descriptor file_;
  std::optional<FileStamp> stamp_;
  std::vector<TextBlock> blocks_;
  std::unique_ptr<std::atomic<bool>[]> good_;  // per block; null: no verification
  std::filesystem::path cached_as_;
};

}  // namespace kino
