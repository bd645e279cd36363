#include "loaders/perfetto/slice_pairing.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <unordered_map>

#include "core/base/run_merge_sort.hpp"

namespace kino {
namespace {

using Type = PerfettoEvent::Type;
using Indices = std::vector<std::uint32_t>;

bool is_end(const PerfettoEvent& event) { return event.type == Type::end; }

/// Begins and ends of each sequence in the order of the file.
std::vector<Indices> by_sequence(std::span<const PerfettoEvent> events) {
  std::vector<Indices> lists;
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events[i].type != Type::begin && !is_end(events[i])) continue;
    const auto [place, fresh] = places.try_emplace(events[i].sequence, lists.size());
    if (fresh) lists.emplace_back();
    lists[place->second].push_back(i);
  }
  return lists;
}

/// Whether the events were written in order of time: then nesting is what they say.
bool in_order(std::span<const PerfettoEvent> events, std::span<const std::uint32_t> run) {
  for (std::size_t i = 1; i < run.size(); ++i) {
    if (events[run[i]].time_ns < events[run[i - 1]].time_ns) return false;
  }
  return true;
}

bool by_position(std::span<const PerfettoEvent> events, std::span<const std::uint32_t> begins,
                 std::span<const std::uint32_t> ends) {
  if (begins.size() != ends.size()) return false;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const PerfettoEvent& begin = events[begins[i]];
    const PerfettoEvent& end = events[ends[i]];
    if (begin.track != end.track || end.time_ns < begin.time_ns) return false;
  }
  return true;
}

/// What events are sorted by: beside each other, since the events themselves lie far apart.
struct PlaceInTime {
  std::int64_t time_ns = 0;
  std::uint32_t begins = 0;  // at one time ends come first
  std::uint32_t event = 0;   // and else the order of the file counts
};

/// Pairs the events, which are in the order of the file, by the stack of each track; `paired(begin, end)` is
/// called for each pair, kNone for what is not ended.
template <class Paired>
std::uint64_t pair_by_stack(std::span<const PerfettoEvent> events, std::span<const std::uint32_t> list,
                            const std::stop_token& stop, Paired&& paired) {
  std::vector<PlaceInTime> places;
  places.reserve(list.size());
  for (const std::uint32_t i : list) places.push_back({events[i].time_ns, is_end(events[i]) ? 0U : 1U, i});
  const auto earlier = [](const PlaceInTime& a, const PlaceInTime& b) {
    return std::tie(a.time_ns, a.begins, a.event) < std::tie(b.time_ns, b.begins, b.event);
  };
  run_merge_sort(places.data(), places.size(), earlier, [&] { return stop.stop_requested(); });
  std::unordered_map<std::uint64_t, Indices> open;
  std::uint64_t last_track = 0;
  Indices* last_stack = nullptr;
  std::uint64_t lone = 0;
  std::uint64_t count = 0;
  for (const auto& [time_ns, begins, i] : places) {
    if (++count % 4096 == 0 && stop.stop_requested()) return lone;
    if (last_stack == nullptr || events[i].track != last_track) {
      last_track = events[i].track;
      last_stack = &open[last_track];
    }
    Indices& stack = *last_stack;
    if (begins != 0) {
      stack.push_back(i);
    } else if (stack.empty()) {
      ++lone;
    } else {
      paired(stack.back(), i);
      stack.pop_back();
    }
  }
  for (const auto& [track, stack] : open) {
    for (const std::uint32_t begin : stack) paired(begin, PairedSlice::kNone);
  }
  return lone;
}

/// How many slices of a run last otherwise when they are paired by stack.
std::uint64_t differing_in(std::span<const PerfettoEvent> events, std::span<const std::uint32_t> begins,
                           std::span<const std::uint32_t> ends, const std::stop_token& stop) {
  Indices all(begins.begin(), begins.end());
  all.insert(all.end(), ends.begin(), ends.end());
  std::uint64_t same = 0;
  pair_by_stack(events, all, stop, [&](std::uint32_t begin, std::uint32_t end) {
    if (end == PairedSlice::kNone) return;
    std::size_t place = begin - begins[0];  // where nothing else stands between them
    if (place >= begins.size() || begins[place] != begin)
      place = static_cast<std::size_t>(std::ranges::lower_bound(begins, begin) - begins.begin());
    if (events[end].time_ns == events[ends[place]].time_ns) ++same;
  });
  return begins.size() - same;
}

}  // namespace

Pairing pair_slices(std::span<const PerfettoEvent> events, const std::stop_token& stop) {
  Pairing pairing;
  Indices rest;
  for (const Indices& list : by_sequence(events)) {
    for (std::size_t first = 0; first < list.size();) {
      if (stop.stop_requested()) return pairing;
      std::size_t middle = first;
      while (middle < list.size() && !is_end(events[list[middle]])) ++middle;
      std::size_t last = middle;
      while (last < list.size() && is_end(events[list[last]])) ++last;
      const std::span<const std::uint32_t> run(list.data() + first, last - first);
      const auto begins = run.first(middle - first);
      const auto ends = run.subspan(middle - first);
      if (!begins.empty() && !in_order(events, run) && by_position(events, begins, ends)) {
        for (std::size_t i = 0; i < begins.size(); ++i)
          pairing.slices.push_back({begins[i], ends[i], pairing.runs});
        ++pairing.runs;
        pairing.differing += differing_in(events, begins, ends, stop);
      } else {
        rest.insert(rest.end(), run.begin(), run.end());
      }
      first = last;
    }
  }
  std::ranges::sort(rest);
  pairing.ends_without_begin = pair_by_stack(events, rest, stop, [&](std::uint32_t begin, std::uint32_t end) {
    pairing.slices.push_back({begin, end, PairedSlice::kNone});
  });
  std::ranges::sort(pairing.slices, {}, &PairedSlice::begin);
  return pairing;
}

}  // namespace kino
