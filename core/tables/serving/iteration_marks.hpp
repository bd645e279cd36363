// Annotations of a trace that mark iterations, and the thread of the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/tables/serving/mark_names.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One iteration as marked by the program, or as found in the order of GPU work.
struct IterationMark {
  TimeRange range;           ///< on the CPU; on the GPU if IterationMarks::on_gpu
  SliceId slice = kNoSlice;  ///< the annotation; kNoSlice if there is none
  IterationPhase phase = IterationPhase::unknown;
  BatchSizes sizes;
};

/// A thread with marks that is not the engine's.
struct OtherMarks {
  TrackId thread{};
  std::size_t count = 0;
};

/// Disjoint marks of one family on one thread, in order of start.
struct IterationMarks {
  std::string_view family;
  TrackId thread = kNoTrack;  ///< of the engine; unspecified if `on_gpu`
  bool on_gpu = false;        ///< whether the marks are annotations that the profiler copied to the GPU
  std::vector<IterationMark> marks;
  std::vector<OtherMarks> others;  ///< in the order of tracks

  bool empty() const { return marks.empty(); }
};

/// Iterations that were found without marks of the program, in order.
struct UnmarkedIterations {
  std::vector<IterationMark> marks;
  std::optional<std::uint32_t> process;  ///< that launches the work; nullopt if launches are not known
};

/// All marks of a trace, and what the choice of a source needs to know.
struct MarksOfTrace {
  IterationMarks batch;
  IterationMarks forward;
  IterationMarks step;
  bool requests = false;  ///< whether an annotation marks a request
};

/// Finds the marks. Only annotations of CPU threads count. Without any batch annotation there, batch
/// annotations on the GPU count: those of one name that overlap are one mark. Within a source, the first
/// family of README.md with a match is used. On each thread, marks are sorted by start, longer ones first,
/// and a mark that starts before the last kept one ends is dropped. The thread with the most marks is the
/// engine; of several, the greatest (process, thread) as text. O(names + slices), a sort of the marks.
MarksOfTrace find_iteration_marks(const Trace& trace, const std::stop_token& stop = {});

/// Sorts marks by start, longer ones first, and drops each that starts before the last kept one ends.
void keep_disjoint(std::vector<IterationMark>& marks);

}  // namespace kino
