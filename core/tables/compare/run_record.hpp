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
#include "core/tables/compare/time_attribution.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Time of a row in one window.
struct RunCell {
  std::uint32_t window = 0;
  std::int64_t ns = 0;
  std::int64_t instances = 0;  ///< with their start in the window
};

/// The finest rows; rows of any RunKey are sums of them.
struct RunRow {
  TimeCategory cause{};
  std::string name;            ///< name of the kernel or CPU event
  std::string op;              ///< "(no operator)" if there is none
  std::string input_dims;      ///< Input Dims of the operator as recorded; empty without record_shapes
  std::string module;          ///< "Net > Block > Linear"; empty if there is none or if not requested
  std::vector<RunCell> cells;  ///< by window
};

inline constexpr std::uint32_t kNoRow = 0xffffffffU;

/// Counts of a window.
struct RunCounts {
  std::int64_t launches = 0;
  std::int64_t syncs = 0;
  std::int64_t graph_launches = 0;
  std::int64_t bytes_comm = 0;
  std::int64_t memory_peak = -1;  ///< maximum over devices, in bytes; -1: not recorded
  /// Time of the model's operations at the devices' peak, in millionths of the window. -1: not requested, or
  /// unknown. Set by the caller that opened the file.
  std::int64_t mfu_ppm = -1;
};

/// A step, or the interval that replaces it.
struct RunWindow {
  std::string name;  ///< step number; empty for a trace without steps
  TimeRange range;
  CauseTimes causes{};  ///< sum: the length of the window
  RunCounts counts;
  /// Times of idle:host by activity of the host. nullopt: unknown, as in older stored runs.
  std::optional<HostTimes> host;
  std::int64_t length_ns() const { return range.length_ns(); }
};

/// Facts that must agree for two runs to be comparable.
struct RunFacts {
  std::vector<std::string> gpus;  ///< distinct models, sorted
  std::int64_t world_size = -1;
  std::int64_t rank = -1;
  std::uint64_t gpu_work = 0;  ///< in the whole trace
  /// Hashes of Input Dims by operator, sorted.
  std::map<std::string, std::vector<std::uint64_t>> shapes;
  std::vector<std::string> matmul_types;  ///< input types of matrix products, sorted
  std::uint64_t events = 0;
  std::uint64_t damaged_events = 0;
  /// Settings of the profiler and software versions in the header: "with_stack", "1". Sorted.
  std::vector<std::pair<std::string, std::string>> settings;
  double last_step_idle_end = 0;  ///< share of the last window after the last GPU work of the trace
};

struct RunRecord {
  std::string name;  ///< file name
  std::vector<RunWindow> windows;
  std::vector<RunRow> rows;  ///< in order of first occurrence
  RunFacts facts;
  std::uint64_t stubs_left_out = 0;  ///< steps with little GPU work, see StepUse
  /// First steps with work launched before the recording; at most one per run. nullopt: stored by a version
  /// that included them.
  std::optional<std::uint64_t> first_left_out = 0;
  std::vector<Message> step_notes;  ///< sentences on omitted steps, see step_notes()
  bool has_steps = false;
  bool of_runs = false;  ///< each window is the median step of one run
};

/// Requested part of a run.
struct RunSelection {
  /// Half-open interval of step positions in order of time, from 0. Negative positions count from the end.
  std::optional<std::int64_t> first_step;
  std::optional<std::int64_t> end_step;
  bool drop_last = false;
  std::vector<TimeRange> ranges;  ///< if not empty, used instead of steps
  bool modules = false;           ///< determine the modules of rows; costs O(depth) per kernel
};

/// Steps are chosen by choose_steps(); if the selection names steps, only stubs are omitted. Without steps,
/// the only window is the extent of the GPU work, or of the busiest thread. The caller sets the name and
/// RunFacts::settings. `row_of_slice` receives, by SliceId, the row that contains a slice's time within the
/// windows, or kNoRow. O(slices + work * depth).
RunRecord run_record(const Trace& trace, const TimeAttribution& ledger, const RunSelection& selection,
                     const std::stop_token& stop = {}, std::vector<std::uint32_t>* row_of_slice = nullptr);

/// Thread to account for a trace without GPU work: the thread of the steps. nullopt if the GPU is accounted,
/// or there are no steps.
std::optional<TrackId> attributed_thread(const Trace& trace, const std::stop_token& stop = {});

/// Merges runs into one record of their median steps; of two middle steps the lower one.
RunRecord record_of_runs(const std::vector<RunRecord>& runs);
/// Medoid of the windows: its vector of ns by cause has the minimum sum of L1 distances to the others. The
/// first of equals. `run` must have windows. O(windows log windows).
std::uint32_t typical_window(const RunRecord& run);
/// Merges the steps of several runs, if there are too few runs to use them as samples.
RunRecord record_of_steps(const std::vector<RunRecord>& runs);

}  // namespace kino
