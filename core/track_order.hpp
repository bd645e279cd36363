// Names tracks and processes for people and decides their order on screen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/event_batch.hpp"
#include "core/trace.hpp"

namespace kino {

/// What the builder knows about a track before it has a place.
struct TrackFacts {
  TrackClass track_class{};
  std::string_view pid;
  std::string_view tid;
  /// GPU tracks: summed durations of its slices, of each kind that it has.
  std::vector<std::pair<SliceKind, std::int64_t>> kind_ns;
  /// GPU tracks: collective kernels' names with their summed time, e.g. {"AllReduce", 1200}.
  std::vector<std::pair<std::string, std::int64_t>> collectives;
};

struct TrackOrder {
  std::vector<Process> processes;
  std::vector<Track> tracks;           ///< kind, names and process filled in; ranges are the builder's
  std::vector<std::uint32_t> sources;  ///< for each of `tracks` its index in the facts
};

/// GPUs first (by device number), each stream followed by its annotations and waits; then CPU processes by
/// Kineto's sort index, threads by theirs, the main thread first among equals; the profiler's own bookkeeping
/// ("Spans", "Traces") last. O(n log n).
TrackOrder order_tracks(const std::vector<TrackFacts>& facts, const std::vector<MetadataRecord>& metadata,
                        const JobInfo& job);

/// The collective of a kernel name: "AllReduce" of "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)"; the name
/// up to its first bracket when it follows no known pattern.
std::string_view collective_of(std::string_view kernel_name);

}  // namespace kino
