#include "loaders/formats/chrome_trace/event_blocks.hpp"

#include <algorithm>

namespace kino {
namespace {

constexpr std::size_t kTailBytes = std::size_t{64} << 10;  // of a block's last event, read at once

}  // namespace

std::size_t EventBlocks::first_from(std::uint64_t offset) const {
  const auto at = std::lower_bound(
      order_.begin(), order_.end(), offset,
      [&](std::uint32_t slice, std::uint64_t wanted) { return trace_.slices.source_offset[slice] < wanted; });
  return static_cast<std::size_t>(at - order_.begin());
}

Result<EventBlocks::Block> EventBlocks::read(std::uint64_t begin, std::uint64_t end,
                                             std::string& buffer) const {
  Block block;
  block.first = first_from(begin);
  block.last = first_from(end);
  if (block.first == block.last) return block;
  block.from = offset_of(block.first);
  const std::uint64_t until = block.last < order_.size() ? offset_of(block.last) : text_.size_bytes();
  const std::uint64_t wanted_bytes = std::min(std::max(until, block.from), end + kTailBytes) - block.from;
  buffer.resize(static_cast<std::size_t>(wanted_bytes));
  const Result<std::size_t> got = text_.read(block.from, {buffer.data(), buffer.size()});
  if (!got.ok()) return got.error();
  block.text = std::string_view(buffer).substr(0, got.value());
  return block;
}

Result<std::string_view> EventBlocks::event(const Block& block, std::size_t place, std::string& whole) const {
  const auto begin = static_cast<std::size_t>(offset_of(place) - block.from);
  if (place + 1 < block.last) {
    const auto next = static_cast<std::size_t>(offset_of(place + 1) - block.from);
    return begin < block.text.size() ? block.text.substr(begin, next - begin) : std::string_view();
  }
  if (begin < block.text.size() && value_end(block.text, begin) != kIncomplete)
    return block.text.substr(begin);
  Result<std::string> text = text_.read_text(offset_of(place), kLargestEvent);
  if (!text.ok()) return text.error();
  whole = std::move(text).value();
  return std::string_view(whole);
}

}  // namespace kino
