// Lines: threads that launch GPU work, joined if they take turns, and the activity of each line by cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/critical/path_cause.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Activity of a line from `begin_ns` to the start of the next piece, in time of the trace.
struct LinePiece {
  std::int64_t begin_ns = 0;
  SliceId slice = kNoSlice;  ///< innermost event, or the loader or gc event around it; kNoSlice if silent
  PathCause cause = PathCause::silent;
};

/// One or several threads that act as one, such as the forward and the autograd thread.
struct ThreadLine {
  std::vector<TrackId> tracks;    ///< the main thread first
  std::vector<LinePiece> pieces;  ///< sorted by start; the last one is silent
  std::vector<TimeRange> bursts;  ///< activity with at least kBurstSilenceNs of silence between
  TimeRange range;                ///< from the start of the first event to the end of the last

  static constexpr std::int64_t kBurstSilenceNs = 200'000;
  static constexpr std::size_t kMostLines = 256;
};

/// Returns the lines of a trace; the first is the main line, which holds the steps or launches the most
/// work. Threads that launch GPU work or hold steps are joined, even across processes, if their operators and
/// calls overlap by at most 1 % of the shorter sum. A trace without such threads has one line: the thread with
/// the most operators and calls. `waits`: the calls that wait for the GPU, sorted by SliceId. Empty if the
/// trace has no threads with events. At most kMostLines, so that hostile files with many launching threads do
/// not take quadratic time; the threads with the fewest launches are left out. O(slices log slices + joined
/// threads * slices).
std::vector<ThreadLine> thread_lines(const Trace& trace, const Steps& steps, std::span<const SliceId> waits,
                                     const std::stop_token& stop = {});

/// Calls body(TimeRange, LinePiece) for the pieces within `range`, in order and without gaps. O(log pieces +
/// pieces in the range).
template <class Body>
void for_each_piece(const ThreadLine& line, TimeRange range, Body&& body) {
  const std::vector<LinePiece>& pieces = line.pieces;
  std::size_t low = 0;
  for (std::size_t count = pieces.size(); count > 0;) {  // the first piece after the start of the range
    const std::size_t half = count / 2;
    const bool before = pieces[low + half].begin_ns <= range.begin_ns;
    low = before ? low + half + 1 : low;
    count = before ? count - half - 1 : half;
  }
  std::int64_t from_ns = range.begin_ns;
  for (std::size_t i = low; from_ns < range.end_ns; ++i) {
    const std::int64_t next_ns = i < pieces.size() ? pieces[i].begin_ns : range.end_ns;
    const std::int64_t to_ns = next_ns < range.end_ns ? next_ns : range.end_ns;
    if (to_ns > from_ns) body(TimeRange{from_ns, to_ns}, i > 0 ? pieces[i - 1] : LinePiece{});
    from_ns = to_ns;
    if (i >= pieces.size()) break;
  }
}

}  // namespace kino
