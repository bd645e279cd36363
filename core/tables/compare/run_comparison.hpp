// Comparison of two runs: a verdict on their steps, the causes of the difference, and the rows that changed
// by more than noise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/compare/comparability.hpp"
#include "core/tables/compare/host_causes.hpp"
#include "core/tables/compare/layer_changes.hpp"
#include "core/tables/compare/module_alignment.hpp"
#include "core/tables/compare/run_key.hpp"
#include "core/tables/compare/run_record.hpp"

namespace kino {

enum class RunVerdict : std::uint8_t { faster, slower, no_change, cannot_tell, not_comparable };
enum class RowStatus : std::uint8_t { same, faster, slower, added, removed };
inline constexpr std::size_t kRowStatusCount = static_cast<std::size_t>(RowStatus::removed) + 1;
msg::Id text_of(RowStatus status);

/// Minimum number of samples per side for a verdict other than "cannot tell".
inline constexpr std::size_t kMinVerdictSamples = 4;

/// Value of a ratio that was not computed because there are too few samples.
inline constexpr double kNoRatio = std::numeric_limits<double>::quiet_NaN();

/// Row of the comparison. So that changes of means remain exact integers, `change` and `count_effect` are
/// scaled by the numbers of steps: change = sum_b x nA - sum_a x nB.
struct ComparedRow {
  TimeCategory cause{};
  std::string key;
  std::int64_t count_a = 0;  ///< number of instances in A that start in the windows
  std::int64_t count_b = 0;
  std::int64_t sum_a = 0;  ///< sum over A's windows, in ns
  std::int64_t sum_b = 0;
  std::int64_t change = 0;
  std::int64_t count_effect = 0;  ///< part of `change` that the number of instances explains, if each took as
                                  ///< long as in A
  double p = kNoRatio;
  double q = kNoRatio;
  RowStatus status = RowStatus::same;
  std::vector<RunCell> cells_a;  ///< by window
  std::vector<RunCell> cells_b;

  std::int64_t speed_effect() const { return change - count_effect; }
};

struct ComparedCause {
  TimeCategory cause{};
  std::int64_t sum_a = 0;
  std::int64_t sum_b = 0;
  std::int64_t change = 0;
  double p = kNoRatio;
  std::optional<HostCause> host;  ///< set for a part of idle_host
};
/// Returns "comm", "idle:host", "idle:host:sync", ...
std::string text_of(const ComparedCause& cause);

/// Row of the step ledger.
struct ComparedLedgerRow {
  StepRow row{};
  std::int64_t sum_a = 0;
  std::int64_t sum_b = 0;
  std::int64_t change = 0;  ///< scaled like ComparedRow::change
  double p = kNoRatio;
};

struct StepChange {
  double mean_a = kNoRatio;  ///< mean step of A, in ns
  double mean_b = kNoRatio;
  double change = kNoRatio;
  double p = kNoRatio;
  double low = kNoRatio;  ///< 95 % interval of the change
  double high = kNoRatio;
  double detectable = kNoRatio;
};

/// Kernel of A that B replaces by another kernel for the same operator and shapes.
struct Replacement {
  std::string op;
  std::string input_dims;
  std::string from;
  std::string to;
  std::int64_t sum_a = 0;
  std::int64_t sum_b = 0;
  double change = 0;  ///< relative change of the mean per step
};

struct CompareOptions {
  RunKey key = RunKey::name;
  double noise = 0.01;     ///< relative change below which there is no difference
  bool force = false;      ///< whether to give a verdict even if the runs are not comparable
  bool same_file = false;  ///< whether A and B are the same steps of one file
  /// Whether to join the rows of the data loader if A and B use different iterators, with and without worker
  /// processes.
  bool join_loaders = false;
};

struct RunComparison {
  RunKey key = RunKey::name;
  double noise = 0;
  bool of_runs = false;
  bool loaders_joined = false;  ///< see CompareOptions::join_loaders
  bool forced = false;          ///< whether the runs were compared although a check refused
  std::vector<std::int64_t> steps_a;
  std::vector<std::int64_t> steps_b;
  StepChange step;                   ///< change of the step, from the U test and independent resampling
  std::optional<StepChange> paired;  ///< change from pairs of steps; set if the runs have equally many steps,
                                     ///< at least two, with similar kernels
  std::optional<double> step_correlation;
  bool by_pairs = false;  ///< whether the verdict is based on `paired`
  std::vector<ComparedCause> waterfall;
  /// Parts of the waterfall's idle:host. Empty if they are unknown for a step, or all of them are
  /// HostCause::other.
  std::vector<ComparedCause> host;
  /// Rows of the step ledger with time in A or B. Empty if a window of a side has no ledger.
  std::vector<ComparedLedgerRow> ledger;
  std::optional<LayerChanges> layers;  ///< nullopt if a run has no RunRecord::layers
  std::int64_t step_change = 0;
  ModuleAlignment modules;
  std::vector<ComparedRow> rows;  ///< largest change first
  std::array<std::uint64_t, kRowStatusCount> statuses{};
  std::vector<Replacement> replacements;  ///< most time first
  double similarity = 1;                  ///< sum of the minima divided by the sum of the maxima of both
                                          ///< runs' instances per step, over all rows
  SharedShapes shapes;
  std::vector<RunCheck> checks;
  RunVerdict verdict = RunVerdict::cannot_tell;

  /// Returns the key by which rows of both runs are joined; empty for RunKey::step. O(length).
  std::string key_of(const RunRow& row) const;
  const StepChange& decisive() const { return by_pairs ? *paired : step; }
  bool refused() const;
  /// Whether each side has at least two samples, the minimum for a test.
  bool tested() const { return steps_a.size() > 1 && steps_b.size() > 1; }
  /// Returns the share of the step's change in a cause or row. Returns nullopt if that would mislead, since
  /// the step changed by less than the noise, or a cause by more than twice the step's change.
  std::optional<double> share_of_change(std::int64_t cause_change) const;
  /// Returns the change of own work: the step minus exposed communication, in which a rank may wait for
  /// others. Scaled like ComparedRow::change.
  std::int64_t own_change() const;
  /// Returns the waterfall, with idle:host split into its parts if the cause of at least a hundredth of it is
  /// known. The sum remains the step's change.
  std::vector<ComparedCause> fine_causes() const;
  /// Returns the log lines of the checks with this result.
  std::vector<Message> lines(CheckResult result) const;
  /// Returns "faster", "no significant change", "cannot tell (fewer than 4 steps on a side)", ...
  Message verdict_text() const;
};

/// Compares two runs. O(rows * steps log steps + 10,000 steps).
RunComparison compare_runs(const RunRecord& a, const RunRecord& b, const CompareOptions& options,
                           const std::stop_token& stop = {});

/// Compares the step ledgers of two runs; see RunComparison::ledger. O(windows log windows).
std::vector<ComparedLedgerRow> compare_ledgers(std::span<const RunWindow> a, std::span<const RunWindow> b);

/// Returns sum_b x n_a - sum_a x n_b, the scaled change of the means; saturates.
std::int64_t scaled_change(std::int64_t sum_a, std::size_t n_a, std::int64_t sum_b, std::size_t n_b);

/// Returns the summed ns of the cells by window; 0 for windows without a cell.
std::vector<std::int64_t> dense_ns(const std::vector<RunCell>& cells, std::size_t windows);

}  // namespace kino
