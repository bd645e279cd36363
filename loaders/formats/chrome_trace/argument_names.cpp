#include "loaders/formats/chrome_trace/argument_names.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/base/parallel.hpp"
#include "loaders/bytes/json_members.hpp"
#include "loaders/formats/chrome_trace/event_blocks.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostSampled = 400;
constexpr std::size_t kMostOfCategory = 40;
constexpr std::size_t kMostBytesOfEvent = std::size_t{1} << 20;

/// Slices of as many names as possible of each category, in the order of the text.
std::vector<std::uint32_t> sampled_slices(const Trace& trace) {
  std::vector<std::uint32_t> of_category(trace.categories.size(), 0);
  std::unordered_set<std::uint64_t> seen;
  std::vector<std::uint32_t> slices;
  const auto count = static_cast<std::uint32_t>(trace.slice_count());
  for (std::uint32_t i = 0; i < count && slices.size() < kMostSampled; ++i) {
    const std::uint32_t category = index_of(trace.slices.category[i]);
    if (of_category[category] == kMostOfCategory) continue;
    const std::uint64_t pair = std::uint64_t{category} << 32 | index_of(trace.slices.name[i]);
    if (!seen.insert(pair).second) continue;
    ++of_category[category];
    slices.push_back(i);
  }
  std::sort(slices.begin(), slices.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace.slices.source_offset[a] < trace.slices.source_offset[b];
  });
  return slices;
}

/// What one worker has found: names as the text has them, since one look-up a name has to do.
class SeenNames {
 public:
  void add(std::string_view name) {
    if (seen_.contains(name)) return;
    seen_.emplace(name);
  }
  void add_all_of(std::string_view event) {
    for_each_member(args_of_event(event), [&](std::string_view name, std::string_view) {
      add(name);
      return true;
    });
  }
  void add_to(ArgumentFields& fields) const {
    for (const std::string& name : seen_) fields.add(name, unescape(name));
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> seen_;
};

}  // namespace

ArgumentFields sample_argument_fields(const Trace& trace, const TextSource& text,
                                      const std::stop_token& stop) {
  SeenNames seen;
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
      seen.add_all_of(*event);
      break;
    }
  }
  ArgumentFields fields;
  seen.add_to(fields);
  return fields;
}

Result<ArgumentFields> all_argument_fields(const Trace& trace, const TextSource& text,
                                           std::span<const std::uint32_t> order, ArgumentProgress& progress,
                                           const std::function<void()>& advanced, const std::stop_token& stop,
                                           unsigned threads) {
  threads = thread_count_or_default(threads);
  const EventBlocks blocks(trace, text, order);
  const std::vector<std::uint64_t> begins = text.cuts(EventBlocks::kBytes);
  const std::uint64_t size = text.size_bytes();
  progress.total_bytes = size;
  std::vector<std::string> buffers(threads);
  std::vector<SeenNames> seen(threads);
  std::mutex mutex;
  std::optional<Error> error;  // guarded by mutex
  const auto scan = [&](std::uint64_t begin, std::uint64_t end, unsigned worker) -> std::optional<Error> {
    Result<EventBlocks::Block> block = blocks.read(begin, end, buffers[worker]);
    if (!block.ok()) return block.error();
    std::string whole;
    for (std::size_t place = block->first; place < block->last; ++place) {
      Result<std::string_view> event = blocks.event(*block, place, whole);
      if (!event.ok()) return event.error();
      seen[worker].add_all_of(*event);
    }
    return std::nullopt;
  };
  const std::size_t stride = std::max<std::size_t>(1, begins.size() / 50);
  parallel_for(threads, begins.size(), stop, [&](std::size_t i, unsigned worker) {
    const std::uint64_t end = i + 1 < begins.size() ? begins[i + 1] : size;
    if (auto problem = scan(begins[i], end, worker)) {
      const std::lock_guard lock(mutex);
      error = std::move(problem);
    }
    progress.bytes += end - begins[i];
    if (i % stride == 0) advanced();
  });
  if (stop.stop_requested()) return Error{Error::Kind::cancelled, "The search was cancelled"};
  if (error) return std::move(*error);
  ArgumentFields fields;
  for (const SeenNames& names : seen) names.add_to(fields);
  return fields;
}

}  // namespace kino
