// Inflates consecutive gzip members, and finds points at which inflating can resume.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <isa-l/igzip_lib.h>

#include "core/base/result.hpp"
#include "loaders/bytes/byte_stream.hpp"

namespace kino {

/// The text before a seek point, as far back as deflate can refer (RFC 1951).
using GzipWindow = std::array<std::uint8_t, std::size_t{32} << 10>;

/// A position where inflating can resume: the start of a gzip member or of a deflate block.
struct SeekPoint {
  std::uint64_t text_offset = 0;
  std::uint64_t bit_offset = 0;    ///< offset in the file in bits; a multiple of 8 at the start of a member
  std::uint32_t member_crc = 0;    ///< CRC-32 of the member's text before this point
  std::uint32_t member_bytes = 0;  ///< size of that text, modulo 2^32
  std::uint64_t has_window = 0;    ///< 1: within a member, needs a window; 0: start of a member
};
static_assert(std::has_unique_object_representations_v<SeekPoint>);

/// Seek points of a file, sorted by both offsets.
struct SeekPoints {
  std::uint64_t text_bytes = 0;  ///< size of the text; 0 until the text is complete
  std::vector<SeekPoint> points;
  std::vector<GzipWindow> windows;  ///< one per point with has_window, in order
};

class GzipDecoder {
 public:
  /// Starts at the first member. `in` must outlive the decoder.
  explicit GzipDecoder(ByteStream& in);
  /// Resumes at `point`. `in` must start at the byte that contains the point. `window` is null at the start
  /// of a member.
  GzipDecoder(ByteStream& in, const SeekPoint& point, const GzipWindow* window);

  enum class Stop : std::uint8_t {
    none,            ///< more may follow
    wrong_checksum,  ///< the finished member is damaged, but more may follow
    end,
    trailing_data,  ///< the rest (see trailing()) is not a gzip member
    early_end,
    damaged,
    unreadable,  ///< see error()
  };
  /// Result of one decode() call: bytes of a single member.
  struct Decoded {
    std::size_t bytes = 0;
    Stop stop = Stop::none;
    std::uint32_t crc_before = 0;    ///< CRC-32 of the member's text before these bytes
    std::uint32_t crc_after = 0;     ///< CRC-32 that includes these bytes
    std::optional<SeekPoint> point;  ///< seek point after these bytes; text_offset is not set
  };
  /// Fills `out`; returns fewer bytes at the end of a member, at a seek point, or with a `stop`. O(bytes).
  Decoded decode(std::span<std::uint8_t> out);

  /// Searches for a seek point in the next 256 KiB of the file, where inflating takes about twice the time.
  /// (A block that zlib writes is at most a quarter as long.)
  void search_seek_point() { look_until_ = input_offset() + kMostLooked; }

  std::uint64_t bytes_read() const { return input_end_; }
  std::span<const std::uint8_t> trailing() const { return {state_.next_in, state_.avail_in}; }
  Error take_error() { return std::move(*error_); }

 private:
  static constexpr std::uint64_t kMostLooked = std::uint64_t{256} << 10;

  void start_member();
  bool fill();
  bool looking() const { return input_offset() < look_until_; }
  /// Returns the offset in the file of the next byte to inflate.
  std::uint64_t input_offset() const { return input_end_ - state_.avail_in; }
  /// Skips zero padding up to the next member. Returns false at the end.
  bool to_next_member();
  int inflate();
  SeekPoint point_here() const;

  ByteStream& in_;
  std::vector<std::uint8_t> input_;
  std::uint64_t input_end_ = 0;   // end of the bytes read from the file
  std::uint64_t look_until_ = 0;  // offset in the file where the search for a point ends
  inflate_state state_{};
  bool between_members_ = false;
  std::optional<Error> error_;
};

}  // namespace kino
