#include "loaders/perfetto/slice_pairing.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

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

/// Pairs by the stack of each track; `paired(begin, end)` is called for each pair, kNone for what is not
/// ended.
template <class Paired>
std::uint64_t pair_by_stack(std::span<const PerfettoEvent> events, Indices list, const std::stop_token& stop,
                            Paired&& paired) {
  std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (events[a].time_ns != events[b].time_ns) return events[a].time_ns < events[b].time_ns;
    return is_end(events[a]) && !is_end(events[b]);
  });
  std::unordered_map<std::uint64_t, Indices> open;
  std::uint64_t lone = 0;
  std::uint64_t count = 0;
  for (const std::uint32_t i : list) {
    if (++count % 4096 == 0 && stop.stop_requested()) return lone;
    Indices& stack = open[events[i].track];
    if (!is_end(events[i])) {
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
  std::unordered_map<std::uint32_t, std::int64_t> end_ns;
  Indices all(begins.begin(), begins.end());
  all.insert(all.end(), ends.begin(), ends.end());
  pair_by_stack(events, std::move(all), stop, [&](std::uint32_t begin, std::uint32_t end) {
    if (end != PairedSlice::kNone) end_ns[begin] = events[end].time_ns;
  });
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const auto found = end_ns.find(begins[i]);
    if (found == end_ns.end() || found->second != events[ends[i]].time_ns) ++differing;
  }
  return differing;
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
  pairing.ends_without_begin =
      pair_by_stack(events, std::move(rest), stop, [&](std::uint32_t begin, std::uint32_t end) {
        pairing.slices.push_back({begin, end, PairedSlice::kNone});
      });
  std::ranges::sort(pairing.slices, {}, &PairedSlice::begin);
  return pairing;
}

}  // namespace kino
