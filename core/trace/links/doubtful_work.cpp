#include "core/trace/links/doubtful_work.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

/// Returns the time from the first start of a CPU slice to the last end; 0 if there are fewer than five.
std::int64_t cpu_span_ns(const Trace& trace) {
  constexpr std::uint64_t kFewest = 5;
  std::uint64_t slices = 0;
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
  for (const Row& row : trace.rows) {
    if (row.slice_count == 0 || trace.track(row.track).kind != TrackKind::cpu_thread) continue;
    // Slices of a row are disjoint and in order, so the last one ends last.
    slices += row.slice_count;
    begin_ns = std::min(begin_ns, trace.slices.start_ns[row.first_slice]);
    end_ns = std::max(end_ns, trace.end_ns(SliceId{row.first_slice + row.slice_count - 1}));
  }
  return slices < kFewest ? 0 : saturating_subtract(end_ns, begin_ns);
}

/// Returns the time during which PyTorch's profiler was active; 0 if unknown.
std::int64_t profiler_ns(const Trace& trace) {
  std::int64_t longest_ns = 0;
  const std::uint32_t category = trace.categories.find("Trace");
  if (category == StringTable::kAbsent) return longest_ns;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (index_of(trace.slices.category[i]) == category &&
        trace.name_of(SliceId{i}).starts_with("PyTorch Profiler")) {
      longest_ns = std::max(longest_ns, trace.slices.duration_ns[i]);
    }
  }
  return longest_ns;
}

struct Recording {
  std::int64_t length_ns = 0;  ///< 0: unknown
  std::int64_t most_ns = 0;    ///< longest plausible duration of work
};

/// Returns the length of the recording. Recorders other than PyTorch's do not store the period in which they
/// were active, so the span of their CPU slices is used instead. Work can continue after the last recorded
/// call, but hardly for ten times this span.
Recording recording_of(const Trace& trace) {
  constexpr std::int64_t kTimes = 10;
  if (const std::int64_t length_ns = profiler_ns(trace); length_ns > 0) return {length_ns, length_ns};
  const std::int64_t span_ns = cpu_span_ns(trace);
  return {span_ns, std::min(span_ns, std::numeric_limits<std::int64_t>::max() / kTimes) * kTimes};
}

/// Calls visit(row, slice) for the GPU work of all streams. Returns false if stopped.
template <class Visit>
bool for_each_work(const Trace& trace, const std::stop_token& stop, Visit&& visit) {
  for (const Row& row : trace.rows) {
    if (trace.track(row.track).kind != TrackKind::gpu_stream) continue;
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return false;
      if (is_gpu_work(trace.slices.kind[i])) visit(row, i);
    }
  }
  return !stop.stop_requested();
}

}  // namespace

std::vector<StreamHolder> stream_holders(const Trace& trace, const std::stop_token& stop) {
  std::vector<bool> in_order(trace.categories.size());
  for (std::uint32_t i = 0; i < trace.categories.size(); ++i)
    in_order[i] = is_gpu_category(trace.categories[i]) && trace.categories[i] != "cuda_graph";
  std::map<std::uint32_t, std::uint64_t> held;  // by holder
  const bool done = for_each_work(trace, stop, [&](const Row& row, std::uint32_t slice) {
    const SliceId parent = trace.slices.parent[slice];
    if (row.lane == 0 || parent == kNoSlice || !is_gpu_work(trace.kind(parent))) return;
    if (in_order[index_of(trace.category(parent))]) ++held[index_of(parent)];
  });
  if (!done) return {};
  std::vector<StreamHolder> holders;
  holders.reserve(held.size());
  for (const auto& [slice, count] : held) {
    const std::uint32_t lane = trace.row(trace.row_of(SliceId{slice})).lane;
    const SliceId parent = trace.slices.parent[slice];
    const std::uint32_t nested = parent == kNoSlice ? 0 : trace.row(trace.row_of(parent)).lane + 1;
    holders.push_back({SliceId{slice}, count, lane != nested});
  }
  return holders;
}

std::vector<DoubtfulWork> doubtful_work(const Trace& trace, const std::stop_token& stop) {
  std::map<std::uint32_t, DoubtfulWork> found;
  for (const StreamHolder& holder : stream_holders(trace, stop)) {
    const bool copies = trace.kind(holder.slice) == SliceKind::copy;
    if (holder.held > (copies ? 0U : 1U)) found[index_of(holder.slice)] = {holder.slice, holder.held, false};
  }
  if (const Recording recording = recording_of(trace); recording.length_ns > 0) {
    const bool done = for_each_work(trace, stop, [&](const Row& /*row*/, std::uint32_t slice) {
      if (trace.slices.duration_ns[slice] <= recording.most_ns) return;
      DoubtfulWork& work = found[slice];
      work.slice = SliceId{slice};
      work.longer_than_recording = true;
    });
    if (!done) return {};
  }
  std::vector<DoubtfulWork> all;
  all.reserve(found.size());
  for (const auto& [slice, work] : found) all.push_back(work);
  return all;
}

std::int64_t doubtful_ns(const Trace& trace, std::span<const DoubtfulWork> work,
                         std::span<const TimeRange> windows) {
  std::vector<TimeRange> ranges;
  ranges.reserve(work.size() * windows.size());
  for (const DoubtfulWork& doubtful : work) {
    for (const TimeRange& window : windows) {
      const TimeRange part = clipped(window, trace.start_ns(doubtful.slice), trace.end_ns(doubtful.slice));
      if (part.length_ns() > 0) ranges.push_back(part);
    }
  }
  return length_of(united(std::move(ranges)));
}

std::int64_t plausible_length_ns(const Trace& trace, std::span<const DoubtfulWork> work) {
  std::set<std::uint32_t> too_long;
  for (const DoubtfulWork& doubtful : work) {
    if (doubtful.longer_than_recording) too_long.insert(index_of(doubtful.slice));
  }
  if (too_long.empty()) return trace.content.length_ns();
  std::int64_t begin_ns = trace.content.end_ns;
  std::int64_t end_ns = trace.content.begin_ns;
  const auto add = [&](std::int64_t from_ns, std::int64_t to_ns) {
    begin_ns = std::min(begin_ns, std::max(from_ns, trace.content.begin_ns));
    end_ns = std::max(end_ns, std::min(to_ns, trace.content.end_ns));
  };
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (!too_long.contains(i)) add(trace.slices.start_ns[i], trace.end_ns(SliceId{i}));
  }
  for (const std::int64_t time_ns : trace.instants.time_ns) add(time_ns, time_ns);
  for (const std::int64_t time_ns : trace.samples.time_ns) add(time_ns, time_ns);
  return std::max<std::int64_t>(0, end_ns - begin_ns);
}

Message doubtful_note(const Trace& trace, std::span<const DoubtfulWork> work) {
  if (work.empty()) return {};
  const bool long_ones = std::ranges::any_of(work, &DoubtfulWork::longer_than_recording);
  const bool holders =
      std::ranges::any_of(work, [](const DoubtfulWork& doubtful) { return doubtful.held > 0; });
  std::int64_t longest_ns = 0;
  for (const DoubtfulWork& doubtful : work)
    longest_ns = std::max(longest_ns, trace.duration_ns(doubtful.slice));
  const std::string count = grouped(work.size());
  const std::string longest = text_from_duration(longest_ns);
  if (!long_ones) return {msg::doubtful_durations_containing, count, longest};
  return {holders ? msg::doubtful_durations_containing_or_too_long : msg::doubtful_durations_too_long, count,
          longest, text_from_duration(recording_of(trace).length_ns)};
}

}  // namespace kino
