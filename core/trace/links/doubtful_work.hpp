// GPU work with implausible times: it contains later work of its own stream, or exceeds the recording.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// GPU work that wholly contains later work of its stream. A stream runs in order, so this is not nesting.
struct StreamHolder {
  SliceId slice = kNoSlice;
  std::uint64_t held = 0;  ///< later work of the stream directly within it
  bool spilled = false;    ///< it also overlaps earlier work of the stream in part, see Track::spilled_count
};

/// Sorted by slice. Whole CUDA graphs, recorded as one piece of work, and devices whose work nests (XLA's)
/// are excluded. O(slices of streams).
std::vector<StreamHolder> stream_holders(const Trace& trace, const std::stop_token& stop = {});

/// GPU work whose duration is doubtful.
struct DoubtfulWork {
  SliceId slice = kNoSlice;
  std::uint64_t held = 0;  ///< later work of its stream within it
  /// Whether it is longer than PyTorch's profiler was active. In other recordings: ten times longer than the
  /// time from the first CPU event to the last.
  bool longer_than_recording = false;
};

/// Sorted by slice: copies and memsets that contain later work of their stream, kernels that contain at least
/// two pieces, since one can start early (programmatic dependent launch), and work longer than the recording.
/// O(slices of streams).
std::vector<DoubtfulWork> doubtful_work(const Trace& trace, const std::stop_token& stop = {});

/// The time of doubtful work within `windows`, which are disjoint and in order. O(work log work + windows).
std::int64_t doubtful_ns(const Trace& trace, std::span<const DoubtfulWork> work,
                         std::span<const TimeRange> windows);
/// Whether more than half of a time is doubtful work, so that shares of it are meaningless.
constexpr bool is_mostly_doubtful(std::int64_t doubtful_ns, std::int64_t whole_ns) {
  return doubtful_ns > whole_ns / 2;
}

/// Returns the length of the trace's content without work that is longer than the recording. O(slices) if
/// there is such work.
std::int64_t plausible_length_ns(const Trace& trace, std::span<const DoubtfulWork> work);

/// "Doubtful durations of GPU work: 2, the longest 3.4 ms, for ..."; empty if `work` is empty.
Message doubtful_note(const Trace& trace, std::span<const DoubtfulWork> work);

}  // namespace kino
