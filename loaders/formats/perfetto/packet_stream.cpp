#include "loaders/formats/perfetto/packet_stream.hpp"

#include <algorithm>

#include "loaders/formats/perfetto/proto_fields.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kPacket = 1;  // the only field of a trace
constexpr std::size_t kLargestPacket = std::size_t{256} << 20;
constexpr std::size_t kLargestHeader = 20;  // maximum size of a tag and a length
constexpr std::size_t kEnough = std::size_t{128} << 10;
constexpr std::size_t kMaxSaved = std::size_t{8} << 20;

}  // namespace

/// Appends bytes until `bytes` has `size` bytes or the file ends. Returns false on a stop request or read
/// error.
bool PacketStream::read_until(std::string& bytes, std::size_t size, const std::stop_token& stop) {
  if (bytes.size() >= size || whole_) return true;
  const auto available = text_.wait_for(offset_ + size, stop);
  if (stop.stop_requested()) return false;
  if ((error_ = text_.error())) return false;
  const std::size_t had = bytes.size();
  const std::uint64_t from = offset_ + had;
  const std::size_t length =
      std::min<std::uint64_t>(size - had, available.size - std::min(from, available.size));
  bytes.resize(had + length);
  const Result<std::size_t> got = text_.source()->read(from, {bytes.data() + had, length});
  if (!got) {
    error_ = got.error();
    return false;
  }
  bytes.resize(had + got.value());
  whole_ = (available.finished && from + got.value() >= available.size) || got.value() < length;
  return true;
}

bool PacketStream::next(PacketBlock& block, const std::stop_token& stop) {
  block.packets.clear();
  block.damage = {};
  if (block.bytes.capacity() > kMaxSaved) block.bytes = {};
  block.bytes.assign(rest_);
  block.offset = offset_;
  std::size_t at = 0;
  std::size_t needed = kEnough;
  while (!ended_) {
    if (!read_until(block.bytes, needed, stop)) return false;
    std::string_view left = std::string_view(block.bytes).substr(at);
    if (left.empty() && whole_) {
      ended_ = true;
      break;
    }
    if (left.size() < kLargestHeader && !whole_) {
      if (at > 0) break;
      needed = kLargestHeader;
      continue;
    }
    std::uint64_t tag = 0;
    std::uint64_t length = 0;
    const bool header = take_varint(left, tag) && (tag & 7U) == 2 && take_varint(left, length);
    const std::size_t begin = block.bytes.size() - left.size();
    const bool fits = header && length <= kLargestPacket;
    if (fits && length > left.size() && !whole_) {
      if (at > 0) break;
      needed = begin + length;
      continue;
    }
    if (!fits || length > left.size()) {
      const bool cut = fits || (whole_ && block.bytes.size() - at < kLargestHeader);
      block.damage.add(cut ? DamageReason::truncated_file : DamageReason::unreadable_event, block.offset + at,
                       "");
      ended_ = true;
      break;
    }
    if (tag >> 3U == kPacket) block.packets.push_back({at, begin, length});
    at = begin + length;
  }
  rest_.assign(block.bytes, std::min(at, block.bytes.size()));
  offset_ = block.offset + at;
  return !ended_ || at > 0 || !block.damage.empty();
}

}  // namespace kino
