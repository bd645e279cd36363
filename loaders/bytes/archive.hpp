// Archives (tar, zip, 7z) entry by entry, and single files compressed by zstd, xz, lzma, bzip2 or lz4, both
// through libarchive. Nothing is ever written to a path that an archive names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

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
  bool file = false;  ///< else a folder, a link or a device
  bool encrypted = false;
  std::optional<std::uint64_t> size_bytes;  ///< as the archive says
};

/// Goes through an archive once; read() gives the content of the entry that next() went to. Used by one
/// thread.
class ArchiveReader : public ByteStream {
 public:
  /// `fd` stays the caller's, is read by position, and outlives the reader, as does `stop`.
  static Result<std::unique_ptr<ArchiveReader>> open(int fd, const std::stop_token& stop);
  ~ArchiveReader() override;

  /// nullopt at the end. An error ends the archive.
  Result<std::optional<ArchiveEntry>> next();
  /// A damaged entry gives what could be read of it before the error.
  Result<std::size_t> read(std::span<std::uint8_t> out) override;
  std::uint64_t file_bytes_read() const override;

 private:
  struct Source;
  ArchiveReader(int fd, const std::stop_token& stop);
  Error last_error() const;

  std::unique_ptr<Source> source_;
  ArchiveHandle handle_;
  ArchiveEntry entry_;
  std::span<const std::uint8_t> block_;  // libarchive's, not handed out yet
  std::uint64_t position_ = 0;           // in the entry
  std::uint64_t zeros_ = 0;              // of a hole before block_
  std::optional<Error> failed_;          // told once block_ is handed out
};

/// Decompresses a single file of FileKind::compressed. What was wrong is in out.damage(). Always ends the
/// text of `out`. O(bytes).
void decompress(ByteStream& in, SpoolWriter& out, const std::stop_token& stop);

/// The first bytes of a gzip or otherwise compressed file, decompressed; what there is of them when it is
/// damaged.
std::string decompressed_head(ByteStream& in, std::size_t most_bytes);

}  // namespace kino
