// Names tracks and processes for display and decides their order on screen.
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

/// Summary of a stream's slices.
struct StreamContents {
  /// Summed durations by kind.
  std::vector<std::pair<SliceKind, std::int64_t>> kind_ns;
  /// The kind of GPU work that more than half of the slices have, whatever their durations.
  std::optional<SliceKind> most;
  /// Summed durations by collective name, largest first, e.g. {"AllReduce", 1200}.
  std::vector<std::pair<std::string, std::int64_t>> collectives;
};
/// "compute, copy": kinds with more than 1 % of the time, and `most`. GPU waits are "waits".
std::string contents_of(const StreamContents& work);

struct TrackOrder {
  std::vector<Process> processes;
  std::vector<Track> tracks;           ///< with kind, name, tid and process; the builder fills the rest
  std::vector<std::uint32_t> sources;  ///< by index in `tracks`: index in the table
};

/// Orders the `used` tracks of the table. GPUs are first (by device number), each stream followed by its
/// annotations and waits. CPU processes follow by Kineto's sort index, threads by theirs, with the main
/// thread first. The profiler's own events ("Spans", "Traces") are last. O(n log n); needs 32 bytes per track
/// beside its result. `hip_calls`: the trace has HIP calls, so its GPU is AMD's even if no device is listed.
TrackOrder order_tracks(const TrackTable& table, const std::vector<std::uint32_t>& used,
                        const std::vector<MetadataRecord>& metadata, const JobInfo& job,
                        bool hip_calls = false);

/// The collective of a kernel name: "AllReduce" for "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)". For
/// unknown patterns, the name up to its first bracket.
std::string_view collective_of(std::string_view kernel_name);

}  // namespace kino
