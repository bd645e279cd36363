// Kernels, copies and memsets of a time range, by stream and in order of time: the input of GPU tables.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One GPU stream's work in order of start, then of end.
struct StreamWork {
  TrackId track{};
  std::vector<SliceId> slices;
};

struct GpuWork {
  std::vector<StreamWork> streams;  ///< in display order, without empty streams
  std::size_t size() const;
  /// Returns the streams of a process, which are contiguous. O(log streams).
  std::span<const StreamWork> of_process(const Trace& trace, std::uint32_t process) const;
};

/// Returns the range that contains everything, including slices that start at the very end.
inline TimeRange whole_range(const Trace& trace) { return {trace.range.begin_ns, trace.range.end_ns + 1}; }

/// Returns all GPU work with a part in `range`. O(slices in the range), and a sort for streams whose slices
/// overlap.
GpuWork gpu_work_in(const Trace& trace, TimeRange range, const std::stop_token& stop = {});

/// Category of a CUDA graph that was recorded as one piece of work (Nsight Systems, GRAPH_TRACE). The graph
/// counts as busy throughout, since gaps between its kernels are not recorded.
inline constexpr std::string_view kWholeGraphCategory = "cuda_graph";
/// Returns the summed time of such graphs in `windows`, which must be disjoint and in order. O(1) if there
/// are no such graphs, otherwise O(slices of streams * log windows).
std::int64_t whole_graph_ns(const Trace& trace, std::span<const TimeRange> windows);

/// Returns the number of a stream: "7" for the tid "7" or "stream 7".
std::string stream_number(const Track& track);

/// Returns "7" or, if the trace has several GPUs, "GPU 0 stream 7". If two tracks of a GPU have the same
/// number, returns the track's name instead of the number. O(tracks).
Message stream_name(const Trace& trace, TrackId track);

}  // namespace kino
