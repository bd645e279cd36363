// A text that stands in a file: the trace itself when it is plain, else a spool with what was decompressed.
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

/// A piece of a text with what finds damage in it: CRC-32 (ISO 3309, as in gzip) of what stood before it and
/// of both.
struct TextBlock {
  std::uint64_t end = 0;
  std::uint32_t crc_before = 0;
  std::uint32_t crc_after = 0;
};

/// Behind the text of a spool an index may stand. A file that shrinks gives short reads, never a signal.
class FileSource : public TextSource {
 public:
  /// `stamp` is that of a file others may write to; a spool has none.
  explicit FileSource(Descriptor file, std::optional<FileStamp> stamp = std::nullopt)
      : file_(std::move(file)), stamp_(stamp) {}

  int fd() const { return file_.fd; }
  const FileSource* spool() const override { return stamp_ ? nullptr : this; }
  bool unchanged() const override;
  Result<std::size_t> read(std::uint64_t offset, std::span<char> out) const override;

  /// The blocks of a spool, in order, as far as it is written: those of its writer, or those it is checked
  /// by.
  const std::vector<TextBlock>& blocks() const { return blocks_; }
  /// Notes what is written next, whose CRC-32 goes from `crc_before` to `crc_after`. Little pieces become one
  /// block, so that there are never many.
  void add_block(std::span<const std::uint8_t> data, std::uint32_t crc_before, std::uint32_t crc_after);
  /// From now on no read gives bytes of a block that is not what `blocks` say: it fails with
  /// `wrong_checksum`, and the file of this name is removed. Before anyone reads.
  void check_by(std::vector<TextBlock> blocks, std::filesystem::path file);

 private:
  Result<std::size_t> read_unchecked(std::uint64_t offset, std::span<char> out) const;
  /// Whether the blocks that [offset, offset + bytes.size()) touches are right. Each is read once.
  bool blocks_hold(std::uint64_t offset, std::span<const char> bytes) const;

  Descriptor file_;
  std::optional<FileStamp> stamp_;
  std::vector<TextBlock> blocks_;
  std::unique_ptr<std::atomic<bool>[]> good_;  // of each block; null: nothing is checked
  std::filesystem::path kept_as_;
};

}  // namespace kino
