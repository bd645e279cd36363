// Counter tracks that no file tells but the tables' figures over time: GPU use, bandwidth, memory, queues.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/counter_curve.hpp"
#include "core/trace.hpp"

namespace kino {

enum class DerivedCounter : std::uint8_t {
  utilization,     ///< shown as a mean, 0..1: gpu_rates()
  sm_efficiency,   ///< likewise
  copy_bandwidth,  ///< GB/s: copy_curves()
  memory,          ///< bytes: memory_curves(), where the file tells no totals: those are counters of its own
  queue_length,    ///< launches: queue_curve()
};

/// Tracks whose ids follow those of a trace and of its packed streams: id first_track + i is tracks[i]. 16
/// bytes a sample; a kernel makes two in each of GPU use, SM efficiency and queue length.
struct DerivedCounters {
  /// Where a track stands until a person moves it.
  struct Place {
    std::uint32_t beside = 0;  ///< a track of the trace
    bool after = false;        ///< below it, else above
  };

  std::uint32_t first_track = 0;
  std::vector<Track> tracks;  ///< first_sample counts within the samples here
  std::vector<DerivedCounter> kinds;
  std::vector<Place> places;
  SampleColumns samples;
  std::vector<double> integral;               ///< CounterRow::integral of the tracks that have it
  std::vector<std::uint32_t> first_integral;  ///< by track, and one more at the end

  bool holds(std::uint32_t track) const {
    return track >= first_track && track - first_track < tracks.size();
  }
  /// Of a track by its id.
  CounterRow row(std::uint32_t track) const;
  DerivedCounter kind(std::uint32_t track) const { return kinds[track - first_track]; }
};

/// By GPU: its use, SM efficiency, memory and copies above its streams, and below each stream its queue. What
/// the trace tells nothing about has no track. `added_tracks` stand behind the trace's own already. Of no use
/// when stopped. O(GPU work log GPU work + memory events).
DerivedCounters derived_counters(const Trace& trace, const std::stop_token& stop = {},
                                 std::uint32_t added_tracks = 0);

}  // namespace kino
