// Appends decompressed text to a spool.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/platform/descriptor.hpp"
#include "core/base/result.hpp"
#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/file_source.hpp"
#include "loaders/bytes/text_writer.hpp"

namespace kino {

/// Whether so little is left where the spool lies that others may need it: less than 5 % of the file system
/// and less than 2 GB; or, for a spool in memory, of the memory.
bool spool_is_nearly_full(int fd);

/// A new spool in memory.
Result<Descriptor> open_memory_spool();

/// Puts the text of a spool on a disk that is full into memory, behind the same descriptor: who reads it
/// meanwhile finds the same bytes. False, and nothing has changed, when it lies in memory already or does not
/// fit there. O(bytes).
bool move_spool_to_memory(int fd, std::uint64_t bytes);

class SpoolWriter : public TextWriter {
 public:
  /// `spool` is the source of `out`. For the rest see TextWriter.
  SpoolWriter(GrowingText& out, FileSource& spool, const SpoolLimit& limit,
              std::atomic<std::uint64_t>& bytes_read, const ByteStream* in)
      : TextWriter(out, limit, bytes_read, in), spool_(spool) {}

  std::span<std::uint8_t> room(const std::stop_token& stop) override;
  bool commit(std::size_t count, std::uint32_t crc_before, std::uint32_t crc_after) override;
  /// commit() for what lies elsewhere.
  bool write(std::span<const std::uint8_t> data) { return put(data, 0, crc_of(data)); }

 protected:
  virtual bool put(std::span<const std::uint8_t> data, std::uint32_t crc_before, std::uint32_t crc_after);
  static std::uint32_t crc_of(std::span<const std::uint8_t> data);

 private:
  bool nearly_full() override;
  /// When the disk is full, with what is written already.
  std::optional<Error> write_in_memory(std::span<const std::uint8_t> data);

  FileSource& spool_;
  std::vector<std::uint8_t> room_;
};

/// Writes all that `in` gives. Always ends the text.
void copy_text(ByteStream& in, SpoolWriter& out, const std::stop_token& stop);

}  // namespace kino
