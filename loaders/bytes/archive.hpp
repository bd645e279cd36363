// Reads archives (tar, zip, 7z) and single files compressed by zstd, xz, lzma, bzip2 or lz4 through
// libarchive. Never writes to a path that an archive contains.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/spool_writer.hpp"

struct archive;
struct archive_entry;

namespace kino {

struct ArchiveDeleter {
  void operator()(archive* handle) const;
};
using ArchiveHandle = std::unique_ptr<archive, ArchiveDeleter>;

struct ArchiveEntry {
  std::string name;
  bool file = false;  ///< regular file; otherwise a folder, link or device
  bool encrypted = false;
  std::optional<std::uint64_t> size_bytes;  ///< size stated in the archive
};

/// Iterates over an archive once. read() returns the content of the entry that next() returned last.
class ArchiveReader : public ByteStream {
 public:
  /// `fd` is borrowed and must outlive the reader, which does not use its file position.
  static Result<std::unique_ptr<ArchiveReader>> open(int fd, const std::stop_token& stop);
  ~ArchiveReader() override;

  /// Advances to the next entry; nullopt at the end. After an error, no further entries can be read.
  Result<std::optional<ArchiveEntry>> next();
  /// Reads the current entry. If the entry is damaged, returns the readable bytes before the error.
  Result<std::size_t> read(std::span<std::uint8_t> out) override;
  std::uint64_t file_bytes_read() const override;

 private:
  struct Source;
  ArchiveReader(int fd, const std::stop_token& stop);
  Error last_error() const;

  std::unique_ptr<Source> source_;
  ArchiveHandle handle_;
  ArchiveEntry entry_;
  std::span<const std::uint8_t> block_;  // memory of libarchive that read() has not returned yet
  std::uint64_t position_ = 0;           // within the entry
  std::uint64_t zeros_ = 0;              // remaining zeros of a hole before block_
  std::optional<Error> failed_;          // returned after block_
};

/// Decompresses a single file of FileKind::compressed. Damage is reported in out.damage(). Always ends the
/// text of `out`. O(bytes).
void decompress(ByteStream& in, SpoolWriter& out, const std::stop_token& stop);

/// Returns the first decompressed bytes of a compressed file, fewer if it is damaged.
std::string decompressed_head(ByteStream& in, std::size_t most_bytes);

}  // namespace kino
