// Reads a whole text in blocks, each with the slices whose events start in it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Reads the blocks of a text; thread-safe. The trace, text and order must outlive this object.
class EventBlocks {
 public:
  static constexpr std::uint64_t kBytes = std::uint64_t{4} << 20;  ///< block size for text.cuts()

  /// A block that has been read. Its last event may be incomplete.
  struct Block {
    std::string_view text;   ///< valid until the body returns
    std::uint64_t from = 0;  ///< offset of this text in the trace's text
    std::size_t first = 0;   ///< [first, last): indices in `order` of the events that start here
    std::size_t last = 0;
  };

  /// `order` is slices_by_offset().
  EventBlocks(const Trace& trace, const TextSource& text, std::span<const std::uint32_t> order)
      : trace_(trace), text_(text), order_(order) {}

  std::uint64_t offset_of(std::size_t index) const { return trace_.slices.source_offset[order_[index]]; }
  SliceId slice_at(std::size_t index) const { return SliceId{order_[index]}; }
  using Body = std::function<std::optional<Error>(const Block& block, unsigned worker)>;
  /// Calls body(block, worker) for all blocks in parallel. Returns the first error, or `cancelled`.
  /// `advanced` is called from several threads while the work advances.
  std::optional<Error> for_each(unsigned threads, ArgumentProgress& progress,
                                const std::function<void()>& advanced, const std::stop_token& stop,
                                const Body& body) const;
  /// Returns the text from an event up to the next one. If the block contains only a part of the event, reads
  /// up to kLargestEvent bytes from its start into `whole`, and returns them.
  Result<std::string_view> event(const Block& block, std::size_t index, std::string& whole) const;

 private:
  Result<Block> read(std::uint64_t begin, std::uint64_t end, std::string& buffer) const;
  std::size_t first_from(std::uint64_t offset) const;

  const Trace& trace_;
  const TextSource& text_;
  std::span<const std::uint32_t> order_;
};

}  // namespace kino
