#include "loaders/bytes/gzip_decoder.hpp"

#include <algorithm>
#include <utility>

namespace kino {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;
// Input size while searching for a seek point. ISA-L stops only at the end of its input. The header of a
// block with dynamic codes is usually longer than this, so one of the pieces ends within the header.
constexpr std::uint32_t kLookedBytes = 64;

}  // namespace

GzipDecoder::GzipDecoder(ByteStream& in) : in_(in), input_(kInputBytes) { start_member(); }

GzipDecoder::GzipDecoder(ByteStream& in, const SeekPoint& point, const GzipWindow* window)
    : in_(in), input_(kInputBytes), input_end_(point.bit_offset / 8) {
  start_member();
  if (window == nullptr) return;
  GzipWindow before = *window;  // ISA-L takes a non-const pointer
  state_.crc_flag = ISAL_GZIP_NO_HDR_VER;
  isal_inflate_set_dict(&state_, before.data(), static_cast<std::uint32_t>(before.size()));
  state_.crc = point.member_crc;
  state_.total_out = point.member_bytes;
  const auto used_bits = static_cast<int>(point.bit_offset % 8);
  if (used_bits == 0 || !fill()) return;
  state_.read_in = static_cast<std::uint64_t>(*state_.next_in) >> used_bits;
  state_.read_in_length = 8 - used_bits;
  ++state_.next_in;
  --state_.avail_in;
}

void GzipDecoder::start_member() {
  std::uint8_t* const next_in = state_.next_in;
  const std::uint32_t avail_in = state_.avail_in;
  isal_inflate_init(&state_);
  state_.crc_flag = ISAL_GZIP;
  state_.next_in = next_in;
  state_.avail_in = avail_in;
  between_members_ = false;
}

bool GzipDecoder::fill() {
  Result<std::size_t> got = in_.read(input_);
  if (!got) error_ = std::move(got.error());
  if (!got || *got == 0) return false;
  input_end_ += *got;
  state_.next_in = input_.data();
  state_.avail_in = static_cast<std::uint32_t>(*got);
  return true;
}

bool GzipDecoder::to_next_member() {
  while (state_.avail_in > 0 || fill()) {
    if (*state_.next_in != 0) return true;
    ++state_.next_in;
    --state_.avail_in;
  }
  return false;
}

/// Inflates the next input. While searching for a seek point, passes little input at a time, except for
/// stored blocks.
int GzipDecoder::inflate() {
  if (!looking()) return isal_inflate(&state_);
  const bool stored = state_.block_state == ISAL_BLOCK_TYPE0;
  const int stored_bytes = state_.type0_block_len - state_.read_in_length / 8;
  const auto wanted = stored && stored_bytes > 0 ? static_cast<std::uint32_t>(stored_bytes) : kLookedBytes;
  const std::uint32_t rest = state_.avail_in - std::min(state_.avail_in, wanted);
  state_.avail_in -= rest;
  const int status = isal_inflate(&state_);
  state_.avail_in += rest;
  return status;
}

/// Returns the seek point at the current block. ISA-L buffers an incomplete block header, and the remaining
/// bits of the byte before it.
SeekPoint GzipDecoder::point_here() const {
  SeekPoint point;
  point.bit_offset = 8 * (input_offset() - static_cast<std::uint64_t>(state_.tmp_in_size)) -
                     static_cast<std::uint64_t>(state_.read_in_length);
  point.member_crc = state_.crc;
  point.member_bytes = state_.total_out;
  point.has_window = 1;
  return point;
}

GzipDecoder::Decoded GzipDecoder::decode(std::span<std::uint8_t> out) {
  Decoded decoded;
  if (between_members_) {
    if (!to_next_member()) return {.stop = error_ ? Stop::unreadable : Stop::end, .point = {}};
    if (*state_.next_in != 0x1f) return {.stop = Stop::trailing_data, .point = {}};
    if (looking()) {
      look_until_ = 0;
      return {.point = SeekPoint{.bit_offset = 8 * input_offset()}};
    }
    start_member();
  }
  decoded.crc_before = state_.crc;
  state_.next_out = out.data();
  state_.avail_out = static_cast<std::uint32_t>(out.size());
  while (state_.avail_out > 0 && decoded.stop == Stop::none && !between_members_ && !decoded.point) {
    const bool fed = state_.avail_in > 0 || fill();
    const std::uint32_t room = state_.avail_out;
    const int status = inflate();
    if (status == ISAL_INCORRECT_CHECKSUM) {
      decoded.stop = Stop::wrong_checksum;
      between_members_ = true;
    } else if (status < 0) {
      decoded.stop = Stop::damaged;
    } else if (state_.block_state == ISAL_BLOCK_FINISH) {
      between_members_ = true;
    } else if (!fed && state_.avail_out == room) {
      decoded.stop = error_ ? Stop::unreadable : Stop::early_end;
    } else if (looking() && state_.block_state == ISAL_BLOCK_HDR && state_.total_out >= sizeof(GzipWindow)) {
      look_until_ = 0;
      decoded.point = point_here();
    }
  }
  decoded.bytes = out.size() - state_.avail_out;
  decoded.crc_after = state_.crc;
  return decoded;
}

}  // namespace kino
