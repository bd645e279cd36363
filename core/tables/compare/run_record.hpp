// What is kept of a run to compare it: its steps, where their time went, and what says whether two runs may
// be compared.
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
#include "core/tables/compare/run_ledger.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// What a row had in one window.
struct RunCell {
  std::uint32_t window = 0;
  std::int64_t ns = 0;
  std::int64_t instances = 0;  ///< that start in it
};

/// The finest rows: what all keys (RunKey) are sums of.
struct RunRow {
  LedgerCause cause{};
  std::string name;            ///< of the kernel, or of the CPU's event
  std::string op;              ///< "(no operator)" without
  std::string input_dims;      ///< of the operator, as recorded; empty without record_shapes
  std::string module;          ///< "Net > Block > Linear"; empty without, or when it was not asked for
  std::vector<RunCell> cells;  ///< by window
};

inline constexpr std::uint32_t kNoRow = 0xffffffffU;

/// What is counted in a window besides its time.
struct RunCounts {
  std::int64_t launches = 0;
  std::int64_t syncs = 0;
  std::int64_t graph_launches = 0;
  std::int64_t bytes_comm = 0;
  std::int64_t memory_peak = -1;  ///< bytes, of the device with most; -1: not recorded
  /// What the model's operations would take at the devices' peak, in millionths of the window; -1: not asked
  /// for, or not known. Left to who opened the file.
  std::int64_t mfu_ppm = -1;
};

/// A step, or whatever stands for one.
struct RunWindow {
  std::string name;  ///< the step's number; of a trace without steps empty
  TimeRange range;
  CauseTimes causes{};  ///< add up to its length
  RunCounts counts;
  /// Times of idle:host by what the host did; nullopt: not known, as in older stored runs.
  std::optional<HostTimes> host;
  std::int64_t length_ns() const { return range.length_ns(); }
};

/// What has to be alike for two runs to be comparable.
struct RunFacts {
  std::vector<std::string> gpus;  ///< models, each once, in order
  std::int64_t world_size = -1;
  std::int64_t rank = -1;
  std::uint64_t gpu_work = 0;  ///< of the whole trace
  /// Hashes of Input Dims by operator, sorted.
  std::map<std::string, std::vector<std::uint64_t>> shapes;
  std::vector<std::string> matmul_types;  ///< of inputs of matrix products, sorted
  std::uint64_t events = 0;
  std::uint64_t damaged_events = 0;
  /// What the header tells of the profiler and the software: "with_stack", "1". Sorted.
  std::vector<std::pair<std::string, std::string>> settings;
  double last_step_idle_end = 0;  ///< share of the last window behind the last GPU work of the trace
};

struct RunRecord {
  std::string name;  ///< of the file
  std::vector<RunWindow> windows;
  std::vector<RunRow> rows;  ///< in order of their first moment
  RunFacts facts;
  std::uint64_t stubs_left_out = 0;  ///< steps with hardly any GPU work, see StepUse
  /// First steps that hold work launched before the recording; of several runs one each at most. nullopt:
  /// stored by a version that kept them.
  std::optional<std::uint64_t> first_left_out = 0;
  std::vector<Message> step_notes;  ///< sentences on steps that are left out, see step_notes()
  bool has_steps = false;
  bool of_runs = false;  ///< a window is the median step of a run, and not one of several steps of one run
};

/// Which part of a run is asked for.
struct RunSelection {
  /// Positions of steps in order of time, from 0; the end is not one of them. Negative ones count from the
  /// end.
  std::optional<std::int64_t> first_step;
  std::optional<std::int64_t> end_step;
  bool drop_last = false;
  std::vector<TimeRange> ranges;  ///< instead of steps, when there are some
  bool modules = false;           ///< whether rows tell their modules; costs O(depth) a kernel
};

/// Which steps are used is choose_steps()'s rule; where the selection names steps, only stubs are left out.
/// Without steps the whole extent of the GPU work, or of the busiest thread, is the only window. Name and
/// RunFacts::settings are left to who opened the file. O(slices + work * depth). Empty when stopped.
/// `row_of_slice` gets, by SliceId, the row that a slice's time within the windows went to, or kNoRow.
RunRecord run_record(const Trace& trace, const RunLedger& ledger, const RunSelection& selection,
                     const std::stop_token& stop = {}, std::vector<std::uint32_t>* row_of_slice = nullptr);

/// The thread to account when there is no GPU work: that of the steps. nullopt when the GPU is to be
/// accounted, or there are no steps.
std::optional<TrackId> ledger_thread(const Trace& trace, const std::stop_token& stop = {});

/// Several runs as one, in which the median step of each stands for it; the lower of two middle ones.
RunRecord record_of_runs(const std::vector<RunRecord>& runs);
/// The step that is most like all others: its vector of ns by cause has the least sum of L1 distances to
/// those of the other windows; the earlier one of equals. `run` has windows. O(windows log windows).
std::uint32_t typical_window(const RunRecord& run);
/// All steps of several runs together: for too few runs to be samples.
RunRecord record_of_steps(const std::vector<RunRecord>& runs);

}  // namespace kino
