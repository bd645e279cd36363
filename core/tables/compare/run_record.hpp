// Record of a run for comparisons: its steps, their times by cause, and facts for the comparability checks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/compare/host_causes.hpp"
#include "core/tables/compare/layer_changes.hpp"
#include "core/tables/compare/step_rows.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Time of a row in one window.
struct RunCell {
  std::uint32_t window = 0;
  std::int64_t ns = 0;
  std::int64_t instances = 0;  ///< number of instances that start in the window
};

/// Row of a record, at the finest level: rows of any RunKey are sums of these rows.
struct RunRow {
  TimeCategory cause{};
  std::string name;            ///< name of the kernel or CPU event
  std::string op;              ///< "(no operator)" if there is none
  std::string input_dims;      ///< Input Dims of the operator as recorded; empty without record_shapes
  std::string module;          ///< "Net > Block > Linear"; empty if there is none or if not requested
  std::vector<RunCell> cells;  ///< by window
};

inline constexpr std::uint32_t kNoRow = 0xffffffffU;

/// Counts and other metrics of a window.
struct RunCounts {
  std::int64_t launches = 0;
  std::int64_t syncs = 0;
  std::int64_t graph_launches = 0;
  std::int64_t bytes_comm = 0;
  std::int64_t memory_peak = -1;  ///< maximum over devices, in bytes; -1: not recorded
  /// Model FLOPs utilization in millionths: the time that the model's operations would take at the devices'
  /// peak, divided by the window. The value is -1 if it was not requested or is unknown. The caller that
  /// opened the file sets this member.
  std::int64_t mfu_ppm = -1;
  /// Hardware FLOPs utilization in millionths; -1 if it was not requested or is unknown. See add_ledgers()
  /// (core/tables/ledger/record_ledgers.hpp).
  std::int64_t hfu_ppm = -1;
};

/// A step, or the interval used in place of steps.
struct RunWindow {
  std::string name;  ///< step number; for record_of_runs(), the run's name; empty for other intervals
  TimeRange range;
  CauseTimes causes{};  ///< times by cause; their sum is the length of the window
  RunCounts counts;
  /// Times of idle:host by activity of the host. nullopt if unknown, as without GPU work or in runs stored by
  /// older versions.
  std::optional<HostTimes> host;
  /// Times by row of the step ledger, the mean of all GPUs; they add up to the length. nullopt if they were
  /// not requested or there is no GPU work, and in runs stored by older versions. Set by add_ledgers().
  std::optional<StepTimes> ledger;
  std::int64_t length_ns() const { return range.length_ns(); }
};

/// Facts for the checks of whether two runs are comparable.
struct RunFacts {
  std::vector<std::string> gpus;  ///< distinct GPU models, sorted
  std::int64_t world_size = -1;
  std::int64_t rank = -1;
  std::uint64_t gpu_work = 0;  ///< number of pieces of GPU work in the whole trace
  /// Hashes of Input Dims by operator, sorted.
  std::map<std::string, std::vector<std::uint64_t>> shapes;
  std::vector<std::string> matmul_types;  ///< input types of matrix products, sorted
  std::uint64_t events = 0;
  std::uint64_t damaged_events = 0;
  /// Settings of the profiler and software versions in the header: "with_stack", "1". Sorted.
  std::vector<std::pair<std::string, std::string>> settings;
  double last_step_idle_end = 0;  ///< share of the last window that follows the last GPU work of the trace
};

struct RunRecord {
  std::string name;  ///< file name
  std::vector<RunWindow> windows;
  std::vector<RunRow> rows;  ///< in order of first occurrence
  RunFacts facts;
  std::uint64_t stubs_left_out = 0;  ///< number of omitted steps with little GPU work, see StepUse::stub
  /// Number of omitted first steps with work launched before the recording; at most one per run. The value is
  /// nullopt if the record was stored by a version that included such steps.
  std::optional<std::uint64_t> first_left_out = 0;
  std::vector<Message> step_notes;  ///< sentences on omitted steps, see step_notes()
  /// Layers of the model. nullopt if they were not requested, and in runs stored by older versions. The
  /// caller sets this member, see run_layers().
  std::optional<RunLayers> layers;
  bool has_steps = false;
  bool of_runs = false;  ///< whether each window is the median step of one run
};

/// Requested part of a run.
struct RunSelection {
  /// Half-open interval of steps, by position in order of time, starting at 0. Negative positions count from
  /// the end.
  std::optional<std::int64_t> first_step;
  std::optional<std::int64_t> end_step;
  bool drop_last = false;
  std::vector<TimeRange> ranges;  ///< if not empty, used instead of steps
  bool modules = false;           ///< whether to determine the modules of rows, which costs O(depth) per
                                  ///< kernel
};

/// Creates the record of a run. choose_steps() chooses the steps; if the selection names steps, only stubs
/// are omitted. Requested ranges are used as they are. If the trace has no steps, the only window is the
/// extent of the GPU work, or of the thread with the most events. The caller sets the name and RunFacts::settings.
/// `row_of_slice` receives, by SliceId, the row that contains a slice's time within the windows, or kNoRow.
/// O(slices + work * depth).
RunRecord run_record(const Trace& trace, const TimeAttribution& ledger, const RunSelection& selection,
                     const std::stop_token& stop = {}, std::vector<std::uint32_t>* row_of_slice = nullptr);

/// Returns the thread whose time TimeAttribution divides if the trace has no GPU work: the thread of the
/// steps. Returns nullopt if the trace has GPU work or no steps.
std::optional<TrackId> attributed_thread(const Trace& trace, const std::stop_token& stop = {});

/// Merges runs into one record with one window per run: its median step. For an even number of steps, the
/// shorter of the two middle steps is used. The facts are those of the first run.
RunRecord record_of_runs(const std::vector<RunRecord>& runs);
/// Returns the medoid of the windows. This is the window whose vector of ns by cause has the smallest sum of
/// L1 distances to the vectors of the other windows. If several are equal, the first is returned. `run` must
/// have windows. O(windows log windows).
std::uint32_t typical_window(const RunRecord& run);
/// Merges runs into one record with the steps of all runs. Used if there are too few runs for one sample per
/// run.
RunRecord record_of_steps(const std::vector<RunRecord>& runs);

}  // namespace kino
