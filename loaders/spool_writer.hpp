// Appends decompressed text to a spool and says when to stop: at a full disk, or at what looks like a bomb.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "core/damage.hpp"
#include "loaders/byte_stream.hpp"
#include "loaders/growing_text.hpp"

namespace kino {

/// How much is decompressed without being told to go on.
struct SpoolLimit {
  bool none = false;                                        ///< go on until the disk is full
  std::uint64_t most_ratio = 1000;                          ///< decompressed to compressed bytes ...
  std::uint64_t ratio_from_bytes = std::uint64_t{8} << 30;  ///< ... once this much is decompressed
  std::uint64_t check_bytes = std::uint64_t{64} << 20;      ///< both are looked at after each so many
};

/// Whether so little is left where the spool lies that others may need it: less than 5 % of the file system
/// and less than 2 GB; or, for a spool in memory, of the memory.
bool spool_is_nearly_full(int fd);

/// Used by the thread that decompresses.
class SpoolWriter {
 public:
  /// `bytes_read` follows the progress. `in` is where it comes from, for its ratio, or null.
  SpoolWriter(GrowingText& out, const SpoolLimit& limit, std::atomic<std::uint64_t>& bytes_read,
              const ByteStream* in)
      : out_(out), limit_(limit), bytes_read_(bytes_read), in_(in), next_check_(limit.check_bytes) {}

  /// False when nothing more can or shall be written: the text has ended then, and damage() or its error say
  /// why.
  bool write(std::span<const std::uint8_t> data);
  /// Likewise, for who has computed the block's CRC-32 already.
  bool write(std::span<const std::uint8_t> data, std::uint32_t crc_before, std::uint32_t crc_after);
  void count_read(std::uint64_t bytes) { bytes_read_.fetch_add(bytes, std::memory_order_relaxed); }
  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  std::uint64_t written() const { return written_; }

  DamageLog& damage() { return damage_; }
  /// Ends the text as it should.
  void finish() { out_.finish(); }
  void fail(Error error) { out_.fail(std::move(error)); }
  /// Ends the text before its end, as damage; without any text as an error.
  void end_early(const std::string& why);
  /// Likewise, when what is decompressed cannot be read.
  void end_with(Error error);

 private:
  bool within_limit();

  GrowingText& out_;
  SpoolLimit limit_;
  std::atomic<std::uint64_t>& bytes_read_;
  const ByteStream* in_;
  std::uint64_t written_ = 0;
  std::uint64_t next_check_;
  DamageLog damage_;
};

/// Writes all that `in` gives. Always ends the text.
void copy_text(ByteStream& in, SpoolWriter& out, const std::stop_token& stop);

}  // namespace kino
