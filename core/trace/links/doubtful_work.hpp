// GPU work with implausible times: it contains later work of its own stream, or is longer than the recording.
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
  std::uint64_t held = 0;  ///< number of later work items of the stream directly within this one
  bool spilled = false;    ///< whether it also overlaps earlier work in part; see Track::spilled_count
};

/// Returns the holders, sorted by slice. Excludes whole CUDA graphs, which are recorded as one piece of work,
/// and devices whose work nests (XLA's). O(slices of streams).
std::vector<StreamHolder> stream_holders(const Trace& trace, const std::stop_token& stop = {});

/// GPU work whose duration is doubtful.
struct DoubtfulWork {
  SliceId slice = kNoSlice;
  std::uint64_t held = 0;  ///< number of later work items of its stream that it contains
  /// Whether it is longer than PyTorch's profiler was active. For other recorders, whether it is longer than
  /// ten times the time from the first CPU event to the last.
  bool longer_than_recording = false;
};

/// Returns the doubtful work, sorted by slice. Copies and memsets are doubtful if they contain later work of
/// their stream. Kernels are doubtful if they contain at least two pieces, since one piece can start early
/// (programmatic dependent launch). Any work with `longer_than_recording` is doubtful. O(slices).
std::vector<DoubtfulWork> doubtful_work(const Trace& trace, const std::stop_token& stop = {});

/// Returns the time of doubtful work within `windows`, which must be disjoint and in order. O(n log n) for n
/// = work * windows.
std::int64_t doubtful_ns(const Trace& trace, std::span<const DoubtfulWork> work,
                         std::span<const TimeRange> windows);
/// Whether more than half of a time is doubtful work, which makes shares of this time meaningless.
constexpr bool is_mostly_doubtful(std::int64_t doubtful_ns, std::int64_t whole_ns) {
  return doubtful_ns > whole_ns / 2;
}

/// Returns the length of the trace's content, excluding work that is longer than the recording. O(slices) if
/// there is such work.
std::int64_t plausible_length_ns(const Trace& trace, std::span<const DoubtfulWork> work);

/// Returns a note such as "Pieces of GPU work with doubtful durations: 2, the longest 3.4 ms. ..."; empty if
/// `work` is empty.
Message doubtful_note(const Trace& trace, std::span<const DoubtfulWork> work);

}  // namespace kino
