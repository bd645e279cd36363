// The text of a trace in pieces, each with the slices whose events begin in it: for who reads all of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Read by several threads. Trace, text and order outlive it.
class EventBlocks {
 public:
  static constexpr std::uint64_t kBytes = std::uint64_t{4} << 20;  ///< of text.cuts()

  /// What was read for a block. The last event may reach beyond it.
  struct Block {
    std::string_view text;   ///< the buffer's
    std::uint64_t from = 0;  ///< where it begins
    std::size_t first = 0;   ///< places in the order whose events begin in it: [first, last)
    std::size_t last = 0;
  };

  /// `order` is slices_by_offset().
  EventBlocks(const Trace& trace, const TextSource& text, std::span<const std::uint32_t> order)
      : trace_(trace), text_(text), order_(order) {}

  std::uint64_t offset_of(std::size_t place) const { return trace_.slices.source_offset[order_[place]]; }
  SliceId slice_at(std::size_t place) const { return SliceId{order_[place]}; }
  /// The events that begin in [begin, end) of the text; without any, nothing is read.
  Result<Block> read(std::uint64_t begin, std::uint64_t end, std::string& buffer) const;
  /// The event at a place, from its brace to the next one's; all of an event that the block does not hold.
  Result<std::string_view> event(const Block& block, std::size_t place, std::string& whole) const;

 private:
  std::size_t first_from(std::uint64_t offset) const;

  const Trace& trace_;
  const TextSource& text_;
  std::span<const std::uint32_t> order_;
};

}  // namespace kino
