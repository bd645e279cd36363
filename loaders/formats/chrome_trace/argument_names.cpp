#include "loaders/formats/chrome_trace/argument_names.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/string_table.hpp"
#include "loaders/bytes/json_members.hpp"
#include "loaders/formats/chrome_trace/event_blocks.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostSampled = 400;
constexpr std::size_t kMostOfCategory = 40;
constexpr std::size_t kMostBytesOfEvent = std::size_t{1} << 20;

/// Returns the first slices with distinct pairs of category and name, at most kMostOfCategory per category
/// and kMostSampled in total, in text order.
std::vector<std::uint32_t> sampled_slices(const Trace& trace) {
  std::vector<std::uint32_t> per_category(trace.categories.size(), 0);
  std::unordered_set<std::uint64_t> seen;
  std::vector<std::uint32_t> slices;
  const auto count = static_cast<std::uint32_t>(trace.slice_count());
  for (std::uint32_t i = 0; i < count && slices.size() < kMostSampled; ++i) {
    const std::uint32_t category = index_of(trace.slices.category[i]);
    if (per_category[category] == kMostOfCategory) continue;
    const std::uint64_t pair = std::uint64_t{category} << 32 | index_of(trace.slices.name[i]);
    if (!seen.insert(pair).second) continue;
    ++per_category[category];
    slices.push_back(i);
  }
  std::ranges::sort(slices, {}, [&](std::uint32_t slice) { return trace.slices.source_offset[slice]; });
  return slices;
}

/// Adds the names of an event's arguments, in their escaped form.
void add_names(std::string_view event, StringTable& names) {
  for_each_member(args_of_event(event), [&](std::string_view name, std::string_view) {
    names.intern(name);
    return true;
  });
}

void add_fields(const StringTable& names, ArgumentFields& fields) {
  for (const std::string_view name : names) fields.add(name, unescape(name));
}

}  // namespace

ArgumentFields sample_argument_fields(const Trace& trace, const TextSource& text,
                                      const std::stop_token& stop) {
  StringTable names;
  constexpr std::size_t kFirstBytes = std::size_t{16} << 10;
  bool readable = true;
  for (const std::uint32_t slice : sampled_slices(trace)) {
    if (!readable || stop.stop_requested()) break;
    const std::uint64_t offset = trace.slices.source_offset[slice];
    for (std::size_t bytes = kFirstBytes; bytes <= kMostBytesOfEvent; bytes *= 8) {
      Result<std::string> event = text.read_text(offset, bytes);
      readable = event.ok();
      if (!readable) break;
      const bool whole = event->size() < bytes || value_end(*event, 0) != kIncomplete;
      if (!whole && bytes * 8 <= kMostBytesOfEvent) continue;
      add_names(*event, names);
      break;
    }
  }
  ArgumentFields fields;
  add_fields(names, fields);
  return fields;
}

Result<ArgumentFields> all_argument_fields(const Trace& trace, const TextSource& text,
                                           std::span<const std::uint32_t> order, ArgumentProgress& progress,
                                           const std::function<void()>& advanced, const std::stop_token& stop,
                                           unsigned threads) {
  threads = thread_count_or_default(threads);
  const EventBlocks blocks(trace, text, order);
  std::vector<StringTable> names(threads);
  const auto collect = [&](const EventBlocks::Block& block, unsigned worker) -> std::optional<Error> {
    std::string whole;
    for (std::size_t index = block.first; index < block.last; ++index) {
      Result<std::string_view> event = blocks.event(block, index, whole);
      if (!event.ok()) return event.error();
      add_names(*event, names[worker]);
    }
    return std::nullopt;
  };
  if (auto error = blocks.for_each(threads, progress, advanced, stop, collect)) return std::move(*error);
  ArgumentFields fields;
  for (const StringTable& own : names) add_fields(own, fields);
  return fields;
}

}  // namespace kino
