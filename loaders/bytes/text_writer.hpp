// Receives decompressed text. Stops at a suspected decompression bomb, or at a full disk.
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

/// Limits of decompression.
struct DecompressionLimit {
  bool none = false;                                        ///< no limit: continue until the disk is full
  std::uint64_t most_ratio = 1000;                          ///< maximum ratio of text to compressed bytes
  std::uint64_t ratio_from_bytes = std::uint64_t{1} << 20;  ///< text size above which the ratio is checked
  std::uint64_t check_bytes = std::uint64_t{64} << 20;      ///< interval between checks of the free space
};

class TextWriter {
 public:
  /// Updates `bytes_read`. `in` is the compressed input that the ratio refers to, or null. `out`,
  /// `bytes_read` and `in` must outlive this object.
  TextWriter(GrowingText& out, const DecompressionLimit& limit, std::atomic<std::uint64_t>& bytes_read,
             const ByteStream* in)
      : out_(out), limit_(limit), bytes_read_(bytes_read), in_(in), next_check_(limit.check_bytes) {}
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;
  virtual ~TextWriter() = default;

  /// Returns the buffer for the next text. May wait for readers. The buffer is empty on a stop request.
  virtual std::span<std::uint8_t> room(const std::stop_token& stop) = 0;
  /// Appends the first `count` bytes of room(), which change the CRC-32 from `crc_before` to `crc_after`.
  /// Returns false if the text has ended; the reason is in damage() or in the text's error.
  virtual bool commit(std::size_t count, std::uint32_t crc_before, std::uint32_t crc_after) = 0;
  /// Returns whether seek points are recorded and the next one is due.
  virtual bool seek_point_due() { return false; }
  virtual void add_point(const SeekPoint& /*point*/) {}

  void count_read(std::uint64_t bytes) { bytes_read_.fetch_add(bytes, std::memory_order_relaxed); }
  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  std::uint64_t written() const { return written_; }

  DamageLog& damage() { return damage_; }
  /// Ends the text without an error.
  virtual void finish() { out_.finish(); }
  void fail(Error error) { out_.fail(std::move(error)); }
  /// Ends a truncated text and records it as damage; if the text is empty, the text fails instead.
  void end_early(const std::string& why);
  /// Ends the text because the input cannot be read, like end_early(). A wrong checksum is recorded as such.
  void end_with_error(Error error);

 protected:
  GrowingText& out() { return out_; }
  /// Checks the limits before a write. Returns false if the text has ended at a limit, which damage()
  /// reports.
  bool within_limit();
  void count_written(std::uint64_t bytes) { written_ += bytes; }
  /// If the spool's disk is nearly full, tries to move the spool to memory, and returns true if this fails.
  virtual bool nearly_full() { return false; }

 private:
  GrowingText& out_;
  DecompressionLimit limit_;
  std::atomic<std::uint64_t>& bytes_read_;
  const ByteStream* in_;
  std::uint64_t written_ = 0;
  std::uint64_t next_check_;
  DamageLog damage_;
};

}  // namespace kino
