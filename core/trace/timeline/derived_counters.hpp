// Counter tracks computed from a trace (GPU utilization, bandwidth, memory, queues), from other files, or
// from queries.
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
  utilization,        ///< shown as a mean, 0..1: gpu_rates()
  sm_efficiency,      ///< shown as a mean, 0..1: gpu_rates()
  copy_bandwidth,     ///< GB/s: copy_curves()
  memory,             ///< bytes: memory_curves(), unless the file has counters with totals
  queue_length,       ///< launches: queue_curve() of a stream
  all_queues,         ///< launches: queue_curve() of all streams of a GPU with several streams
  snapshot_active,    ///< bytes: MemoryCurve::requested of an allocator snapshot
  snapshot_reserved,  ///< bytes: MemoryCurve::reserved of an allocator snapshot
  outstanding,        ///< operations that were enqueued but not completed, from a flight recorder
  query,              ///< values of the rows of a query
};
/// Whether the counter is from another file or a query, and is shown as long as its source is open.
inline bool always_shown(DerivedCounter kind) { return kind >= DerivedCounter::snapshot_active; }

/// A counter before it becomes a track.
struct FoundCounter {
  DerivedCounter kind{};
  std::uint32_t process = 0;
  /// Position of its track until the user moves it.
  struct Place {
    std::uint32_t beside = 0;  ///< a track of the trace
    bool after = false;        ///< below `beside` if true, otherwise above it
  };
  Place place;
  std::string name;
  std::string tid;                 ///< device, direction or stream in the name
  std::vector<CurvePoint> points;  ///< by time
};

/// Counter tracks that were computed together. Immutable. Takes 16 bytes per sample. A kernel adds at most
/// two samples each to GPU utilization, SM efficiency, its stream's queue length, and the queue length of all
/// streams.
struct CounterTracks {
  std::vector<Track> tracks;  ///< first_sample is an index into `samples`
  std::vector<DerivedCounter> kinds;
  std::vector<FoundCounter::Place> places;
  SampleColumns samples;
  std::vector<double> integral;               ///< CounterRow::integral of the tracks with means
  std::vector<std::uint32_t> first_integral;  ///< by track: index into `integral`; last: its size

  CounterRow row(std::uint32_t index) const;
};

CounterTracks counter_tracks(std::vector<FoundCounter> found);

/// Tracks whose ids follow the ids of a trace and its packed streams, part by part. Immutable; a changed set
/// is a new object.
struct DerivedCounters {
  std::uint32_t first_track = 0;
  std::vector<std::shared_ptr<const CounterTracks>> parts;

  std::uint32_t count() const;
  bool holds(std::uint32_t track) const { return track >= first_track && track - first_track < count(); }
  /// Access by track id; requires holds(). O(parts).
  const Track& track_at(std::uint32_t track) const { return entry(&CounterTracks::tracks, track); }
  CounterRow row(std::uint32_t track) const;
  DerivedCounter kind(std::uint32_t track) const { return entry(&CounterTracks::kinds, track); }
  FoundCounter::Place place(std::uint32_t track) const { return entry(&CounterTracks::places, track); }

 private:
  struct Found {
    const CounterTracks* part = nullptr;
    std::uint32_t index = 0;
  };
  Found find(std::uint32_t track) const;
  template <class T>
  const T& entry(std::vector<T> CounterTracks::*list, std::uint32_t track) const {
    const Found found = find(track);
    return (found.part->*list)[found.index];
  }
};

/// Computes utilization, SM efficiency, memory, copies and queue lengths of each GPU, and the queue length of
/// each stream; see DerivedCounter. A stream's queue is placed below the stream, and other counters above the
/// first track of their process. Omits counters without data. O(GPU work log GPU work + memory events).
CounterTracks derived_counters(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
