#include "loaders/formats/perfetto/slice_pairing.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/base/run_merge_sort.hpp"
#include "loaders/formats/perfetto/record_signs.hpp"

namespace kino {
namespace {

template <class T>
std::vector<T>& of_track(std::vector<std::vector<T>>& tracks, std::uint32_t track) {
  if (track >= tracks.size()) tracks.resize(track + std::size_t{1});
  return tracks[track];
}

}  // namespace

void SlicePairing::begin(std::uint32_t sequence, std::uint32_t event) {
  Run& run = run_of(sequence);
  if (run.has_ends()) close(run);
  follow(run, events_[event].time_ns);
  run.begins.push_back(event);
}

void SlicePairing::end(std::uint32_t sequence, const End& end) {
  Run& run = run_of(sequence);
  follow(run, end.time_ns);
  if (run.ended < run.begins.size() && run.other_ends.empty()) {
    PerfettoEvent& event = events_[run.begins[run.ended]];
    if (event.track == end.track && end.time_ns >= event.time_ns) {
      event.end_ns = end.time_ns;
      event.end_index = end.number;
      ++run.ended;
      return;
    }
  }
  run.other_ends.push_back(end);
}

SlicePairing::PlaceInTime SlicePairing::place_of(const End& end) {
  return {end.time_ns, -static_cast<std::int32_t>(end.number), end.track};
}

SlicePairing::PlaceInTime SlicePairing::place_of(const PerfettoEvent& event, std::uint32_t number) {
  return {event.time_ns, static_cast<std::int32_t>(number) + 1, event.track};
}

void SlicePairing::follow(Run& run, std::int64_t time_ns) {
  const bool first = run.begins.empty() && !run.has_ends();
  run.in_order = first || (run.in_order && time_ns >= run.last_ns);
  run.last_ns = time_ns;
}

void SlicePairing::finish() {
  for (auto& [sequence, run] : runs_) close(run);
  runs_.clear();
  last_run_ = nullptr;
  ends_without_begin_ = pair_by_stack(by_time_, [&](std::uint32_t begin, const PlaceInTime& end) {
    PerfettoEvent& event = events_[begin];
    event.type = PerfettoEvent::Type::complete;
    event.end_ns = end.time_ns;
    event.end_index = static_cast<std::uint32_t>(-end.what);
  });
  by_time_ = {};
}

SlicePairing::Run& SlicePairing::run_of(std::uint32_t sequence) {
  if (last_run_ == nullptr || last_sequence_ != sequence) {
    last_sequence_ = sequence;
    last_run_ = &runs_[sequence];
  }
  return *last_run_;
}

void SlicePairing::close(Run& run) {
  const bool by_position =
      !run.begins.empty() && !run.in_order && run.ended == run.begins.size() && run.other_ends.empty();
  if (by_position) {
    // All records of a group are of one kind. If one operator has input shapes, or most names are names of
    // operators, all records are operators. Records that have no arguments get the first known signs.
    std::size_t operators = 0;
    bool has_inputs = false;
    std::uint16_t signs = 0;
    for (const std::uint32_t index : run.begins) {
      if (events_[index].of_operators) {
        ++operators;
        has_inputs = has_inputs || (events_[index].signs & argument_sign::kOperator) != 0;
      }
      if (signs == 0) signs = events_[index].signs;
    }
    for (const std::uint32_t index : run.begins) {
      events_[index].type = PerfettoEvent::Type::complete;
      events_[index].of_operators = has_inputs || 2 * operators > run.begins.size();
      if (events_[index].signs == 0) events_[index].signs = signs;
    }
    if (!nested(run)) differing_ += differing_in(run);
  } else {
    for (std::size_t i = 0; i < run.begins.size(); ++i) {
      PerfettoEvent& event = events_[run.begins[i]];
      by_time_.push_back(place_of(event, run.begins[i]));
      const std::uint32_t end_index = std::exchange(event.end_index, 0);
      if (i < run.ended) by_time_.push_back(place_of({event.end_ns, event.track, end_index}));
    }
    for (const End& end : run.other_ends) by_time_.push_back(place_of(end));
  }
  run.begins.clear();
  run.ended = 0;
  run.other_ends.clear();
}

/// Returns whether pairing by position certainly equals pairing by Perfetto's stack rule. This holds if, on
/// each track, begin events are sorted by time, and slices are nonempty and end within the open slices. O(n).
bool SlicePairing::nested(const Run& run) {
  std::vector<std::vector<std::int64_t>> open;  // end times of the open slices, by track
  std::vector<std::int64_t> last_begin;
  for (const std::uint32_t number : run.begins) {
    const PerfettoEvent& event = events_[number];
    std::vector<std::int64_t>& ends = of_track(open, event.track);
    last_begin.resize(open.size(), std::numeric_limits<std::int64_t>::min());
    if (event.end_ns == event.time_ns || event.time_ns < last_begin[event.track]) return false;
    last_begin[event.track] = event.time_ns;
    while (!ends.empty() && ends.back() <= event.time_ns) ends.pop_back();
    if (!ends.empty() && ends.back() < event.end_ns) return false;
    ends.push_back(event.end_ns);
  }
  return true;
}

/// Returns the number of slices in a run that would get another end if paired by stack.
std::uint64_t SlicePairing::differing_in(const Run& run) {
  std::vector<PlaceInTime> places;
  places.reserve(2 * run.begins.size());
  for (const std::uint32_t index : run.begins) places.push_back(place_of(events_[index], index));
  for (const std::uint32_t index : run.begins)
    places.push_back(place_of({events_[index].end_ns, events_[index].track}));
  std::uint64_t same = 0;
  pair_by_stack(places, [&](std::uint32_t begin, const PlaceInTime& end) {
    if (events_[begin].end_ns == end.time_ns) ++same;
  });
  return run.begins.size() - same;
}

/// Pairs events using one stack per track. Calls paired(event, end) for each pair. Returns the number of ends
/// that have no begin event.
template <class Paired>
std::uint64_t SlicePairing::pair_by_stack(std::vector<PlaceInTime>& places, Paired&& paired) const {
  const auto earlier = [](const PlaceInTime& a, const PlaceInTime& b) {
    return std::pair(a.time_ns, std::max(a.what, 0)) < std::pair(b.time_ns, std::max(b.what, 0));
  };
  run_merge_sort(places.data(), places.size(), earlier, [&] { return stop_.stop_requested(); });
  std::vector<std::vector<std::uint32_t>> open;  // by track
  std::uint64_t lone = 0;
  std::uint64_t count = 0;
  for (const PlaceInTime& time : places) {
    if (++count % 4096 == 0 && stop_.stop_requested()) return lone;
    std::vector<std::uint32_t>& stack = of_track(open, time.track);
    if (time.what > 0) {
      stack.push_back(static_cast<std::uint32_t>(time.what - 1));
    } else if (stack.empty()) {
      ++lone;
    } else {
      paired(stack.back(), time);
      stack.pop_back();
    }
  }
  return lone;
}

}  // namespace kino
