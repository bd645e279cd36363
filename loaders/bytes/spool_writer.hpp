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

/// Returns whether less than 5 % of the spool's file system and less than 2 GiB are free. If the spool is in
/// memory, the limits apply to the memory.
bool is_spool_nearly_full(int fd);

/// Opens a new spool in memory.
Result<Descriptor> open_memory_spool();

/// Moves a spool from a full disk into memory. The descriptor keeps its number, so readers see the same
/// bytes. Returns false, and changes nothing, if it already is in memory or does not fit. O(bytes).
bool move_spool_to_memory(int fd, std::uint64_t bytes);

class SpoolWriter : public TextWriter {
 public:
  /// `spool` must be the source of `out`. For the other parameters, see TextWriter.
  SpoolWriter(GrowingText& out, FileSource& spool, const DecompressionLimit& limit,
              std::atomic<std::uint64_t>& bytes_read, const ByteStream* in)
      : TextWriter(out, limit, bytes_read, in), spool_(spool) {}

  std::span<std::uint8_t> room(const std::stop_token& stop) override;
  bool commit(std::size_t count, std::uint32_t crc_before, std::uint32_t crc_after) override;
  /// Like commit(), for bytes that are not in room().
  bool write(std::span<const std::uint8_t> data) { return put(data, 0, crc_of(data)); }

 protected:
  virtual bool put(std::span<const std::uint8_t> data, std::uint32_t crc_before, std::uint32_t crc_after);
  static std::uint32_t crc_of(std::span<const std::uint8_t> data);

 private:
  bool nearly_full() override;
  /// Moves the spool to memory after the disk has become full, and appends `data`.
  std::optional<Error> write_in_memory(std::span<const std::uint8_t> data);

  FileSource& spool_;
  std::vector<std::uint8_t> room_;
};

/// Copies all of `in` to `out`. Always ends the text.
void copy_text(ByteStream& in, SpoolWriter& out, const std::stop_token& stop);

}  // namespace kino
