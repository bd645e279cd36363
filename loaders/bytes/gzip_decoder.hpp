// Inflates gzip members one after another, and finds places where inflating can begin in the middle.
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

/// The text before a place, as far back as deflate refers (RFC 1951).
using GzipWindow = std::array<std::uint8_t, std::size_t{32} << 10>;

/// Where a member or a block of deflate begins.
struct SeekPoint {
  std::uint64_t text_offset = 0;
  std::uint64_t bit_offset = 0;    ///< in the file; whole bytes where a member begins
  std::uint32_t member_crc = 0;    ///< CRC-32 of the member's text before it ...
  std::uint32_t member_bytes = 0;  ///< ... and its size, modulo 2^32
  std::uint64_t has_window = 0;    ///< 1: in the middle of a member, which takes a window; 0: a member begins
};
static_assert(std::has_unique_object_representations_v<SeekPoint>);

/// All that were noted of a file, in order of both offsets.
struct SeekPoints {
  std::uint64_t text_bytes = 0;  ///< of the whole text; 0: it is not known, there are no points
  std::vector<SeekPoint> points;
  std::vector<GzipWindow> windows;  ///< of the points that have one, in their order
};

/// Used by one thread.
class GzipDecoder {
 public:
  /// From the first member on; `in` outlives the decoder.
  explicit GzipDecoder(ByteStream& in);
  /// From `point` on: `in` gives the file from the byte in which it lies. `window` is null for a member.
  GzipDecoder(ByteStream& in, const SeekPoint& point, const GzipWindow* window);

  enum class Stop : std::uint8_t {
    none,            ///< there is more
    wrong_checksum,  ///< there is more, but the member that ended is damaged
    end,
    trailing_data,  ///< the rest, see trailing(), is no member
    early_end,
    damaged,
    unreadable,  ///< see error()
  };
  /// What one call gave: bytes of one member.
  struct Decoded {
    std::size_t bytes = 0;
    Stop stop = Stop::none;
    std::uint32_t crc_before = 0;    ///< CRC-32 of the member's text before these bytes ...
    std::uint32_t crc_after = 0;     ///< ... and with them
    std::optional<SeekPoint> point;  ///< behind these bytes; without its text_offset
  };
  /// Fills `out`, less where a member ends or a point is found. O(bytes).
  Decoded decode(std::span<std::uint8_t> out);

  /// From now on the next place to begin at is looked for: for 256 KiB of the file, where inflating takes
  /// about twice the time. Blocks of zlib are a quarter of that at most.
  void look_for_point() { look_until_ = input_offset() + kMostLooked; }

  std::uint64_t bytes_read() const { return input_end_; }
  std::span<const std::uint8_t> trailing() const { return {state_.next_in, state_.avail_in}; }
  Error take_error() { return std::move(*error_); }

 private:
  static constexpr std::uint64_t kMostLooked = std::uint64_t{256} << 10;

  void start_member();
  bool fill();
  bool looking() const { return input_offset() < look_until_; }
  /// Of the next byte that inflating takes.
  std::uint64_t input_offset() const { return input_end_ - state_.avail_in; }
  /// Passes over zero padding; false when nothing follows.
  bool to_next_member();
  int inflate();
  SeekPoint point_here() const;

  ByteStream& in_;
  std::vector<std::uint8_t> input_;
  std::uint64_t input_end_ = 0;   // of what was read of the file
  std::uint64_t look_until_ = 0;  // place in the file
  inflate_state state_{};
  bool between_members_ = false;
  std::optional<Error> error_;
};

}  // namespace kino
