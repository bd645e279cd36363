// Pairs the begin and end events of slices in a Perfetto trace, where ends do not name their slice.
#pragma once

#include <cstdint>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "core/base/huge_memory.hpp"
#include "loaders/formats/perfetto/perfetto_event.hpp"

namespace kino {

/// Receives begin and end events in file order, and turns begin events into complete events.
///
/// PyTorch writes a group of records as all begin events, then all end events in the same order: the i-th end
/// closes the i-th begin. A group consists of consecutive begin events of one sequence, not sorted by time,
/// followed by as many end events on the same tracks. All other events follow Perfetto's rule: in time order,
/// an end event closes the slice that was opened last on its track. At equal times, end events come first.
/// O(n log n).
class SlicePairing {
 public:
  /// `events` and `stop` must outlive this object.
  SlicePairing(RecordList<PerfettoEvent>& events, const std::stop_token& stop)
      : events_(events), stop_(stop) {}

  /// Adds the begin event `events[event]`, which belongs to a sequence of packets.
  void begin(std::uint32_t sequence, std::uint32_t event);
  struct End {
    std::int64_t time_ns = 0;
    std::uint32_t track = 0;
    std::uint32_t number = 0;  ///< value for PerfettoEvent::end_index; below 2^31
  };
  void end(std::uint32_t sequence, const End& end);
  /// Pairs the remaining events. Call last. A begin event that has no end remains a begin event.
  void finish();

  std::uint64_t ends_without_begin() const { return ends_without_begin_; }
  /// Number of slices paired by position to which Perfetto's rule would give another end.
  std::uint64_t differing() const { return differing_; }

 private:
  /// Begin events of a sequence, and the ends that follow them.
  struct Run {
    std::vector<std::uint32_t> begins;  // indices of events
    std::size_t ended = 0;              // number of begins, from the first on, that are paired by position
    std::vector<End> other_ends;        // ends from the first one that contradicts the position
    std::int64_t last_ns = 0;
    bool in_order = true;  // sorted by time, so nesting decides

    bool has_ends() const { return ended > 0 || !other_ends.empty(); }
  };
  /// Sort key of begin and end events. At equal times, ends come first; otherwise the file order remains.
  struct PlaceInTime {
    std::int64_t time_ns = 0;
    std::int32_t what = 0;  // begin: index of the event + 1; end: its number, negated
    std::uint32_t track = 0;
  };

  static PlaceInTime place_of(const End& end);
  static PlaceInTime place_of(const PerfettoEvent& event, std::uint32_t number);
  Run& run_of(std::uint32_t sequence);
  static void follow(Run& run, std::int64_t time_ns);
  void close(Run& run);
  bool nested(const Run& run);
  std::uint64_t differing_in(const Run& run);
  template <class Paired>
  std::uint64_t pair_by_stack(std::vector<PlaceInTime>& places, Paired&& paired) const;

  RecordList<PerfettoEvent>& events_;
  const std::stop_token& stop_;
  std::unordered_map<std::uint32_t, Run> runs_;
  std::uint32_t last_sequence_ = 0;
  Run* last_run_ = nullptr;
  std::vector<PlaceInTime> by_time_;  // events that are not paired by position
  std::uint64_t ends_without_begin_ = 0;
  std::uint64_t differing_ = 0;
};

}  // namespace kino
