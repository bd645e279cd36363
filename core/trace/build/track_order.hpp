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
  /// Kind of GPU work that more than half of the slices have, whatever their durations.
  std::optional<SliceKind> most;
  /// Summed durations by collective name, largest first, e.g. {"AllReduce", 1200}.
  std::vector<std::pair<std::string, std::int64_t>> collectives;
};
/// Returns a text such as "compute, copy": the kinds with more than 1 % of the time, and `most`, in
/// descending order of time. GPU waits are "waits", and communication is described by its largest
/// collectives.
std::string contents_of(const StreamContents& work);

struct TrackOrder {
  std::vector<Process> processes;
  std::vector<Track> tracks;           ///< with kind, name, tid and process; place_tracks() fills the rest
  std::vector<std::uint32_t> sources;  ///< by index in `tracks`: index in the table of tracks
};

/// Orders the `used` tracks of the table. GPUs are first (by device number), each stream together with its
/// annotations and waits. CPU processes follow by Kineto's sort index, threads by theirs, with the main
/// thread first. The profiler's own events ("Spans", "Traces") are last. `hip_calls`: the trace has HIP
/// calls, so its GPU is AMD's even if no device is listed. O(n log n). In addition to its result, needs 36
/// bytes per track and 48 per process.
TrackOrder order_tracks(const TrackTable& table, const std::vector<std::uint32_t>& used,
                        const std::vector<MetadataRecord>& metadata, const JobInfo& job,
                        bool hip_calls = false);

/// Returns the collective of a kernel name: "AllReduce" for "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)".
/// For other names, returns the name up to its first bracket, without a leading "void" and without the
/// numbers that HCCL and XLA append.
std::string_view collective_of(std::string_view kernel_name);

}  // namespace kino
