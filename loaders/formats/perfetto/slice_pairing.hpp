// Which end belongs to which begin of a Perfetto trace, whose ends name no slice.
#pragma once

#include <cstdint>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "core/base/huge_memory.hpp"
#include "loaders/formats/perfetto/perfetto_event.hpp"

namespace kino {

/// Is told begins and ends in the order of the file, and makes events complete.
///
/// PyTorch writes a group of records as all begins, then all ends in the same order, so that the i-th end
/// belongs to the i-th begin: a run of begins of a sequence with a run of as many ends behind it, track by
/// track the same, that is not in order of time. Everything else is paired as Perfetto does: an end closes
/// what was opened last on its track, in order of time, ends before begins. O(n log n).
class SlicePairing {
 public:
  /// Both outlive this.
  SlicePairing(RecordList<PerfettoEvent>& events, const std::stop_token& stop)
      : events_(events), stop_(stop) {}

  /// The event with that number, of a sequence of packets.
  void begin(std::uint32_t sequence, std::uint32_t event);
  struct End {
    std::int64_t time_ns = 0;
    std::uint32_t track = 0;
    std::uint32_t number = 0;  ///< becomes PerfettoEvent::told_end; below 2^31
  };
  void end(std::uint32_t sequence, const End& end);
  /// Nothing more comes: what has no end stays a begin.
  void finish();

  std::uint64_t ends_without_begin() const { return ends_without_begin_; }
  /// Of those paired by position, how many the other rule would end elsewhere.
  std::uint64_t differing() const { return differing_; }

 private:
  /// Begins of a sequence, and the ends behind them.
  struct Run {
    std::vector<std::uint32_t> begins;  // their events
    std::size_t ended = 0;              // of them, from the first: these know their end by position
    std::vector<End> other_ends;        // from the first that cannot be the next one's
    std::int64_t last_ns = 0;
    bool in_order = true;  // of time: then nesting is what it says

    bool has_ends() const { return ended > 0 || !other_ends.empty(); }
  };
  /// What begins and ends are sorted by. At one time ends come first; both stay in the order of the file.
  struct PlaceInTime {
    std::int64_t time_ns = 0;
    std::int32_t what = 0;  // a begin: one more than its event; an end: its number, negative
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
  std::vector<PlaceInTime> by_time_;  // what is not paired by position
  std::uint64_t ends_without_begin_ = 0;
  std::uint64_t differing_ = 0;
};

}  // namespace kino
