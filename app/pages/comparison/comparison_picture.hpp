// The picture of two compared runs, computed on a worker thread: both records, their typical steps joined,
// the verdict and the tree of where the time went.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/job/rank_memory.hpp"
#include "core/job/recording.hpp"
#include "core/tables/compare/rank_comparison.hpp"
#include "core/tables/compare/run_comparison.hpp"
#include "core/tables/compare/step_alignment.hpp"
#include "core/trace/links/busy_time.hpp"
#include "loaders/bytes/text_source.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// A job whose page is open.
struct ComparedJob {
  std::vector<std::filesystem::path> files;  ///< of its ranks
  std::string verdict;                       ///< who makes the others wait
  std::string reasons;                       ///< for that; may be empty
  OpenOptions options;
};

/// One run: a trace or a job that is open, and which part of it.
struct ComparedSide {
  RecordingId recording = kNoRecording;
  std::shared_ptr<const Trace> trace;      ///< null: a job
  std::shared_ptr<const ComparedJob> job;  ///< null: a trace
  std::shared_ptr<const TextSource> text;  ///< that tells the profiler's settings; may be null
  std::filesystem::path path;
  std::string title;  ///< of its tab, and of the part of the run
  std::string label;  ///< what of the title tells it from the other side
  RunSelection selection;

  /// Whether it is the same trace or job, of whatever part.
  bool same_run(const ComparedSide& other) const {
    return job != nullptr ? other.job != nullptr && path == other.path
                          : other.job == nullptr && trace == other.trace;
  }
};

/// A and B.
inline constexpr std::size_t kSides = 2;

/// What two titles differ in, from the begin of a word to the end of one, with the word before: "workers_0"
/// and "workers_4" of "resnet_workers_0.trace" and "resnet_workers_4.trace". Whole titles when they are short
/// or the same.
std::array<std::string, kSides> different_labels(const std::array<std::string, kSides>& titles);

/// A stretch of a step that work has.
struct LanePart {
  TimeRange range;  ///< since the step's begin
  SliceId slice = kNoSlice;
  std::uint32_t row = kNoRow;  ///< of the run's record
};

/// The typical step of a run, see typical_window().
struct StepLane {
  /// Of more work there is no outline, which would take as much memory as the trace.
  static constexpr std::size_t kMostJoined = 1'000'000;

  std::string name;  ///< its number; empty: it is no step
  TimeRange window;  ///< of the trace
  std::array<BusyLine, kLedgerCauseCount> causes;
  std::vector<LanePart> parts;  ///< of work, in order
  StepOutline outline;
};

struct RunMemory {
  std::int64_t peak_bytes = -1;    ///< within the compared steps; -1: not recorded
  std::vector<MemoryPoint> curve;  ///< within the typical step, since its begin
};

/// What is read of both runs, whatever they are compared by.
struct ReadRuns {
  /// The traces in the lanes. For two jobs, those of rank JobChange::head.
  std::array<std::shared_ptr<const Trace>, kSides> traces;
  std::array<std::filesystem::path, kSides> paths;    ///< of these traces
  std::array<std::vector<RunRecord>, kSides> ranks;   ///< of a job, ascending; else none
  std::array<std::vector<std::string>, kSides> lost;  ///< ranks of a job that could not be read: file and why
  JobChange job;                                      ///< of two jobs, else empty
  std::array<RunRecord, kSides> records;              ///< of a job that of one rank
  std::array<StepLane, kSides> lanes;
  std::array<RunMemory, kSides> memory;
  StepAlignment alignment;
  std::vector<std::pair<std::int64_t, std::int64_t>> anchors;  ///< where the same work begins in A and in B

  /// What of B's step is the same work as this moment of A's, between anchors in proportion. O(log anchors).
  double time_in_b(double time_in_a) const;
};

/// A part of the step, as wide as A's share in it.
struct IcicleNode {
  std::string name;
  std::optional<LedgerCause> cause;  ///< of which it is a part; the step and modules may have several
  std::uint32_t row = kNoRow;        ///< into RunComparison::rows
  std::int64_t sum_a = 0;            ///< ns of all steps
  std::int64_t sum_b = 0;
  double change_ns = 0;  ///< of a mean step
  bool told = false;     ///< whether the change is more than noise
  int depth = 0;
  double left = 0;  ///< share of the step's width
  double width = 0;
};

struct ComparisonPicture {
  std::shared_ptr<const ReadRuns> runs;
  RunComparison comparison;
  std::array<std::vector<std::uint32_t>, kSides> row_of;  ///< by row of a record, into RunComparison::rows
  std::vector<IcicleNode> icicle;                         ///< the step first, a parent before its children
  bool by_module = false;
  std::vector<RankComparison> ranks;  ///< of two jobs
};

/// O(slices). Ranks of a job are read one after the other, and what is kept of each is its record alone; one
/// that cannot be read is named and left out. Unfinished when stopped.
ReadRuns read_runs(const std::array<ComparedSide, kSides>& sides, const std::stop_token& stop);

/// `sides` are those that were read. O(rows * steps + 10,000 steps), of jobs for each rank.
ComparisonPicture compare(std::shared_ptr<const ReadRuns> runs, const std::array<ComparedSide, kSides>& sides,
                          const CompareOptions& options, const std::stop_token& stop);

/// The parts of a lane whose work is in one row of the comparison. O(parts).
BusyLine parts_of_row(const ComparisonPicture& picture, std::size_t side, std::uint32_t row);

}  // namespace kino
