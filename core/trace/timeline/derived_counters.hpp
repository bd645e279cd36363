// Counter tracks beside those of the trace: the tables' figures over time (GPU use, bandwidth, memory,
// queues), and what another file tells of the same run.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/counter_curve.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class DerivedCounter : std::uint8_t {
  utilization,      ///< shown as a mean, 0..1: gpu_rates()
  sm_efficiency,    ///< shown as a mean, 0..1: gpu_rates()
  copy_bandwidth,   ///< GB/s: copy_curves()
  memory,           ///< bytes: memory_curves(), where the file tells no totals: those are counters of its own
  queue_length,     ///< launches: queue_curve() of a stream
  all_queues,       ///< launches: queue_curve() of all streams of a GPU, where it has several
  snapshot_active,  ///< bytes: MemoryCurve::requested of an allocator snapshot
  snapshot_reserved,  ///< bytes: MemoryCurve::reserved of an allocator snapshot
  outstanding,        ///< operations that a flight recorder saw enqueued and not completed
  query,              ///< what rows of a query say
};
/// Whether it is another file's or a query's, and so is shown as long as that is there.
inline bool always_shown(DerivedCounter kind) { return kind >= DerivedCounter::snapshot_active; }

/// A counter as it is found, before it becomes a track.
struct FoundCounter {
  DerivedCounter kind{};
  std::uint32_t process = 0;
  /// Where its track stands until a person moves it.
  struct Place {
    std::uint32_t beside = 0;  ///< a track of the trace
    bool after = false;        ///< below it, else above
  };
  Place place;
  std::string name;
  std::string tid;                 ///< what its title says it is about
  std::vector<CurvePoint> points;  ///< by time
};

/// Counter tracks that were computed together. Immutable. 16 bytes a sample; a kernel makes two in each of
/// GPU use, SM efficiency, queue length and that of all streams.
struct CounterTracks {
  std::vector<Track> tracks;  ///< first_sample counts within the samples here
  std::vector<DerivedCounter> kinds;
  std::vector<FoundCounter::Place> places;
  SampleColumns samples;
  std::vector<double> integral;               ///< CounterRow::integral of the tracks that have it
  std::vector<std::uint32_t> first_integral;  ///< by track, and one more at the end

  CounterRow row(std::uint32_t index) const;
};

CounterTracks counter_tracks(std::vector<FoundCounter> found);

/// Tracks whose ids follow those of a trace and of its packed streams: those of the first part, then those of
/// the next. Immutable; another set is another object.
struct DerivedCounters {
  std::uint32_t first_track = 0;
  std::vector<std::shared_ptr<const CounterTracks>> parts;

  std::uint32_t count() const;
  bool holds(std::uint32_t track) const { return track >= first_track && track - first_track < count(); }
  /// Of a track by its id, which holds(). O(parts).
  const Track& track_at(std::uint32_t track) const;
  CounterRow row(std::uint32_t track) const;
  DerivedCounter kind(std::uint32_t track) const;
  FoundCounter::Place place(std::uint32_t track) const;

 private:
  struct Found {
    const CounterTracks* part = nullptr;
    std::uint32_t index = 0;
  };
  Found find(std::uint32_t track) const;
};

/// By GPU: its use, SM efficiency, memory, copies and the queue of all its streams above them, and below each
/// stream its own. What the trace tells nothing about has no track. Of no use when stopped. O(GPU work log
/// GPU work + memory events).
CounterTracks derived_counters(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
