// Takes text while it is decompressed, and says when to stop: at what looks like a bomb, or at a full disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/damage.hpp"
#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/growing_text.hpp"

namespace kino {

struct SeekPoint;

/// How much is decompressed without being told to go on.
struct SpoolLimit {
  bool none = false;                                        ///< go on until the disk is full
  std::uint64_t most_ratio = 1000;                          ///< decompressed to compressed bytes ...
  std::uint64_t ratio_from_bytes = std::uint64_t{1} << 20;  ///< ... once this much is decompressed
  std::uint64_t check_bytes = std::uint64_t{64} << 20;      ///< after each so many it is asked for room
};

/// Used by the thread that decompresses.
class TextWriter {
 public:
  /// `bytes_read` follows the progress. `in` is where it comes from, for its ratio, or null. All outlive
  /// this.
  TextWriter(GrowingText& out, const SpoolLimit& limit, std::atomic<std::uint64_t>& bytes_read,
             const ByteStream* in)
      : out_(out), limit_(limit), bytes_read_(bytes_read), in_(in), next_check_(limit.check_bytes) {}
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;
  virtual ~TextWriter() = default;

  /// Where the next bytes of text go. May wait until those before are read; empty on a stop request.
  virtual std::span<std::uint8_t> room(const std::stop_token& stop) = 0;
  /// The first `count` bytes of room() are text now; with them its CRC-32 went from `crc_before` to
  /// `crc_after`. False when nothing more can or shall be written: the text has ended then, and damage() or
  /// its error say why.
  virtual bool commit(std::size_t count, std::uint32_t crc_before, std::uint32_t crc_after) = 0;
  /// Whether places where inflating can begin are worth noting, and behind what is written it is time for
  /// one.
  virtual bool wants_point() { return false; }
  virtual void add_point(const SeekPoint& /*point*/) {}

  void count_read(std::uint64_t bytes) { bytes_read_.fetch_add(bytes, std::memory_order_relaxed); }
  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  std::uint64_t written() const { return written_; }

  DamageLog& damage() { return damage_; }
  /// Ends the text as it should.
  virtual void finish() { out_.finish(); }
  void fail(Error error) { out_.fail(std::move(error)); }
  /// Ends the text before its end, as damage; without any text as an error.
  void end_early(const std::string& why);
  /// Ends the text early, because what is decompressed cannot be read.
  void end_with(Error error);

 protected:
  GrowingText& out() { return out_; }
  /// Before more is written: false when the text has ended at a limit, which damage() tells.
  bool within_limit();
  void count_written(std::uint64_t bytes) { written_ += bytes; }
  /// Whether no room is left for more, and none can be had elsewhere.
  virtual bool nearly_full() { return false; }

 private:
  GrowingText& out_;
  SpoolLimit limit_;
  std::atomic<std::uint64_t>& bytes_read_;
  const ByteStream* in_;
  std::uint64_t written_ = 0;
  std::uint64_t next_check_;
  DamageLog damage_;
};

}  // namespace kino
