// Appends decompressed text to a spool.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "loaders/byte_stream.hpp"
#include "loaders/file_source.hpp"
#include "loaders/text_writer.hpp"

namespace kino {

/// Whether so little is left where the spool lies that others may need it: less than 5 % of the file system
/// and less than 2 GB; or, for a spool in memory, of the memory.
bool spool_is_nearly_full(int fd);

class SpoolWriter : public TextWriter {
 public:
  /// `spool` is the source of `out`. For the rest see TextWriter.
  SpoolWriter(GrowingText& out, FileSource& spool, const SpoolLimit& limit,
              std::atomic<std::uint64_t>& bytes_read, const ByteStream* in)
      : TextWriter(out, limit, bytes_read, in), spool_(spool) {}

  std::span<std::uint8_t> room(const std::stop_token& stop) override;
  bool commit(std::size_t count, std::uint32_t crc_before, std::uint32_t crc_after) override;
  /// commit() for what lies elsewhere.
  bool write(std::span<const std::uint8_t> data);

 private:
  bool write(std::span<const std::uint8_t> data, std::uint32_t crc_before, std::uint32_t crc_after);
  bool nearly_full() const override { return spool_is_nearly_full(spool_.fd()); }

  FileSource& spool_;
  std::vector<std::uint8_t> room_;
};

/// Writes all that `in` gives. Always ends the text.
void copy_text(ByteStream& in, SpoolWriter& out, const std::stop_token& stop);

}  // namespace kino
