// Two runs compared: a verdict on their steps, where the difference lies, and which rows changed by more than
// noise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/compare/comparability.hpp"
#include "core/tables/compare/host_causes.hpp"
#include "core/tables/compare/module_alignment.hpp"
#include "core/tables/compare/run_key.hpp"
#include "core/tables/compare/run_record.hpp"

namespace kino {

enum class RunVerdict : std::uint8_t { faster, slower, no_change, cannot_tell, not_comparable };
enum class RowStatus : std::uint8_t { same, faster, slower, added, removed };
inline constexpr std::size_t kRowStatusCount = static_cast<std::size_t>(RowStatus::removed) + 1;
msg::Id text_of(RowStatus status);

/// Samples on each side from which on a difference may be called more than noise.
inline constexpr std::size_t kLeastVerdictSamples = 4;

/// What was not computed, for want of samples.
inline constexpr double kNoRatio = std::numeric_limits<double>::quiet_NaN();

/// All changes of means are told exactly, as change x nA x nB = sumB x nA - sumA x nB.
struct ComparedRow {
  LedgerCause cause{};
  std::string key;
  std::int64_t count_a = 0;  ///< instances that start in the windows
  std::int64_t count_b = 0;
  std::int64_t sum_a = 0;  ///< ns
  std::int64_t sum_b = 0;
  std::int64_t change = 0;
  std::int64_t count_effect = 0;  ///< of that, what more or fewer instances come to, each as long as in A
  double p = kNoRatio;
  double q = kNoRatio;
  RowStatus status = RowStatus::same;
  std::vector<RunCell> cells_a;  ///< by window
  std::vector<RunCell> cells_b;

  std::int64_t speed_effect() const { return change - count_effect; }
};

struct ComparedCause {
  LedgerCause cause{};
  std::int64_t sum_a = 0;
  std::int64_t sum_b = 0;
  std::int64_t change = 0;
  double p = kNoRatio;
  std::optional<HostCause> host;  ///< of idle_host: the part that it is
};
/// "comm", "idle:host", "idle:host:sync".
std::string text_of(const ComparedCause& cause);

struct StepChange {
  double mean_a = kNoRatio;  ///< ns
  double mean_b = kNoRatio;
  double change = kNoRatio;
  double p = kNoRatio;
  double low = kNoRatio;  ///< of the change, 95 %
  double high = kNoRatio;
  double detectable = kNoRatio;
};

/// Kernels of A that others took the place of in B, for the same operator and shapes.
struct Replacement {
  std::string op;
  std::string input_dims;
  std::string from;
  std::string to;
  std::int64_t sum_a = 0;
  std::int64_t sum_b = 0;
  double change = 0;  ///< of the mean a step
};

struct CompareOptions {
  RunKey key = RunKey::name;
  double noise = 0.01;     ///< below this share no change is called one
  bool force = false;      ///< a verdict also for what is not comparable
  bool same_file = false;  ///< both are the same steps of one file
};

struct RunComparison {
  RunKey key = RunKey::name;
  double noise = 0;
  bool of_runs = false;
  bool forced = false;  ///< refused, and compared anyway
  std::vector<std::int64_t> steps_a;
  std::vector<std::int64_t> steps_b;
  StepChange step;                   ///< by the U test and independent resampling
  std::optional<StepChange> paired;  ///< the same by pairs of steps, where their kernels agree
  std::optional<double> step_correlation;
  bool by_pairs = false;  ///< the verdict is that of `paired`
  std::vector<ComparedCause> waterfall;
  /// What idle:host of the waterfall consists of, where anything but `other` is known of it; else empty.
  std::vector<ComparedCause> host;
  std::int64_t step_change = 0;
  ModuleAlignment modules;
  std::vector<ComparedRow> rows;  ///< the largest change first
  std::array<std::uint64_t, kRowStatusCount> statuses{};
  std::vector<Replacement> replacements;  ///< the most time first
  double similarity = 1;                  ///< sum of least over sum of most instances a step
  SharedShapes shapes;
  std::vector<RunCheck> checks;
  RunVerdict verdict = RunVerdict::cannot_tell;

  /// By what a row of either run is joined; of RunKey::step empty. O(length).
  std::string key_of(const RunRow& row) const {
    return key == RunKey::module ? modules.key(row.module) : key_text(row, key);
  }
  const StepChange& decisive() const { return by_pairs ? *paired : step; }
  bool refused() const;
  /// Whether there are two samples a side, so that a test can be made at all.
  bool tested() const { return steps_a.size() > 1 && steps_b.size() > 1; }
  /// Returns the share of the step's change that a cause or row has. nullopt if such a share would mislead:
  /// the step changed by less than the noise, or a cause changed by more than twice as much as the step.
  std::optional<double> share_of_change(std::int64_t cause_change) const;
  /// The step's change without that of exposed communication, in which a rank may wait for others; x nA x nB.
  std::int64_t own_change() const;
  /// The waterfall with idle:host as its parts, where a hundredth of it or more is told. They add up to the
  /// step's change as well.
  std::vector<ComparedCause> fine_causes() const;
  /// The lines of checks that refuse, or warn.
  std::vector<Message> lines(CheckResult result) const;
  /// "faster", "no significant change", "cannot tell (fewer than 4 steps on a side)".
  Message verdict_text() const;
};

/// O(rows * steps log steps + 10,000 steps). Unfinished when stopped.
RunComparison compare_runs(const RunRecord& a, const RunRecord& b, const CompareOptions& options,
                           const std::stop_token& stop = {});

/// change x nA x nB of two sums; clamped to 64 bits.
std::int64_t scaled_change(std::int64_t sum_a, std::size_t n_a, std::int64_t sum_b, std::size_t n_b);

/// ns of some cells in each of `windows` windows.
std::vector<std::int64_t> dense_ns(const std::vector<RunCell>& cells, std::size_t windows);

}  // namespace kino
