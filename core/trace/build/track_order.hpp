// Names tracks and processes for people and decides their order on screen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/build/event_batch.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// What a stream carried.
struct StreamContents {
  /// Summed durations of its slices, of each kind that it has.
  std::vector<std::pair<SliceKind, std::int64_t>> kind_ns;
  /// The kind of work that more than half of its slices are, whatever they last.
  std::optional<SliceKind> most;
  /// Collective kernels' names with their summed time, most first, e.g. {"AllReduce", 1200}.
  std::vector<std::pair<std::string, std::int64_t>> collectives;
};
/// "compute, copy": kinds with more than 1 % of the time, and the one of most slices. Waits are "waits".
std::string contents_of(const StreamContents& work);

struct TrackOrder {
  std::vector<Process> processes;
  std::vector<Track> tracks;           ///< kind, name, tid and process filled in; the rest is the builder's
  std::vector<std::uint32_t> sources;  ///< for each of `tracks` its number in the table
};

/// GPUs first (by device number), each stream followed by its annotations and waits; then CPU processes by
/// Kineto's sort index, threads by theirs, the main thread first among equals; the profiler's own bookkeeping
/// ("Spans", "Traces") last. Of the table those in `used`. O(n log n); beside what it returns it needs 32
/// bytes a track. `hip_calls`: the trace has some, so its GPU is AMD's even if no device is listed.
TrackOrder order_tracks(const TrackTable& table, const std::vector<std::uint32_t>& used,
                        const std::vector<MetadataRecord>& metadata, const JobInfo& job,
                        bool hip_calls = false);

/// The collective of a kernel name: "AllReduce" of "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)"; the name
/// up to its first bracket when it follows no known pattern.
std::string_view collective_of(std::string_view kernel_name);

}  // namespace kino
