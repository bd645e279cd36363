// The computed comparison of two runs: both records, their typical steps aligned, the verdict, and the tree
// of changes. Computed on a worker.
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
  std::vector<std::filesystem::path> files;  ///< traces of its ranks
  std::string verdict;                       ///< verdict on the job, which names the straggler
  std::string reasons;                       ///< reasons for the verdict; may be empty
  OpenOptions options;
};

/// A side of a comparison: an open trace or job, and its selected part.
struct ComparedSide {
  RecordingId recording = kNoRecording;
  std::shared_ptr<const Trace> trace;      ///< null for a job
  std::shared_ptr<const ComparedJob> job;  ///< null for a trace
  std::shared_ptr<const TextSource> text;  ///< contains the profiler's settings; may be null
  std::filesystem::path path;
  std::string title;  ///< title of the tab and of the selected part
  std::string label;  ///< the part of the title that differs from the other side
  RunSelection selection;

  /// Returns whether both sides are the same trace or job, regardless of their selected parts.
  bool same_run(const ComparedSide& other) const {
    return job != nullptr ? other.job != nullptr && path == other.path
                          : other.job == nullptr && trace == other.trace;
  }
};

/// Number of sides: A and B.
inline constexpr std::size_t kSides = 2;

/// Returns the parts in which two titles differ, extended to whole words and by the preceding word. For
/// "resnet_workers_0.pt.trace.json" and "resnet_workers_4.pt.trace.json", returns "workers_0" and
/// "workers_4". Returns the whole titles if both have at most 24 bytes or if they are equal.
std::array<std::string, kSides> different_labels(const std::array<std::string, kSides>& titles);

/// An interval of work within a step.
struct LanePart {
  TimeRange range;  ///< ns since the start of the step
  SliceId slice = kNoSlice;
  std::uint32_t row = kNoRow;  ///< index of the row in the run's record
};

/// The typical step of a run; see typical_window().
struct StepLane {
  /// Steps with more parts have no outline, because the outline would need as much memory as the trace.
  static constexpr std::size_t kMostOutlined = 1'000'000;

  std::string name;  ///< number of the step; empty if the window is not a step
  TimeRange window;  ///< times in the trace
  std::array<BusyLine, kTimeCategoryCount> causes;
  std::vector<LanePart> parts;  ///< sorted by time
  StepOutline outline;
};

struct RunMemory {
  std::int64_t peak_bytes = -1;    ///< within the compared steps; -1: not recorded
  std::vector<MemoryPoint> curve;  ///< times since the start of the typical step
};

/// Data read from both runs, independent of the key of the comparison.
struct ReadRuns {
  /// Traces in the lanes. For two jobs, those of rank JobChange::head. For a job and a trace, that of the
  /// trace's rank, or else of the job's first rank.
  std::array<std::shared_ptr<const Trace>, kSides> traces;
  std::array<std::filesystem::path, kSides> paths;    ///< files of `traces`
  std::array<std::vector<RunRecord>, kSides> ranks;   ///< readable ranks of a job, ascending; else empty
  std::array<std::vector<std::string>, kSides> lost;  ///< unreadable ranks of a job: file and reason
  JobChange job;                                      ///< for two jobs, else empty
  std::array<RunRecord, kSides> records;              ///< for jobs, the records of the rank in `traces`
  std::array<StepLane, kSides> lanes;
  std::array<RunMemory, kSides> memory;
  StepAlignment alignment;
  std::vector<std::pair<std::int64_t, std::int64_t>> anchors;  ///< starts of the same work in A and in B

  /// Maps a time in A's step to B's step, interpolating between anchors. O(log anchors).
  double time_in_b(double time_in_a) const;
};

/// A part of the step. Its width is its share of A's step, or a minimum width if A hardly contains it.
struct IcicleNode {
  std::string name;
  std::optional<TimeCategory> cause;  ///< nullopt for the step and for modules
  std::uint32_t row = kNoRow;         ///< index in RunComparison::rows
  std::int64_t sum_a = 0;             ///< sum of all steps, in ns
  std::int64_t sum_b = 0;
  double change_ns = 0;  ///< change of the mean step
  bool told = false;     ///< whether the change exceeds the noise
  int depth = 0;
  double left = 0;  ///< relative to the step's width
  double width = 0;
};

struct ComparisonPicture {
  std::shared_ptr<const ReadRuns> runs;
  RunComparison comparison;
  /// index in RunComparison::rows by row of a record; kNoRow if there is none
  std::array<std::vector<std::uint32_t>, kSides> row_of;
  std::vector<IcicleNode> icicle;  ///< the step first, parents before their children
  bool by_module = false;
  std::vector<RankComparison> ranks;  ///< for two jobs
};

/// Reads both runs. Ranks of a job are read one after the other, and only their records and one trace are
/// retained. Unreadable ranks are reported in ReadRuns::lost. O(slices).
ReadRuns read_runs(const std::array<ComparedSide, kSides>& sides, const std::stop_token& stop);

/// Compares two runs. `sides` must be the sides passed to read_runs(). O(rows * steps + 10,000 * steps); for
/// jobs, this is the cost per rank.
ComparisonPicture compare(std::shared_ptr<const ReadRuns> runs, const std::array<ComparedSide, kSides>& sides,
                          const CompareOptions& options, const std::stop_token& stop);

/// Returns the parts of a lane whose work belongs to one row of the comparison. O(parts).
BusyLine parts_of_row(const ComparisonPicture& picture, std::size_t side, std::uint32_t row);

}  // namespace kino
