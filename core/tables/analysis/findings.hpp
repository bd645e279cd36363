// Findings: the parts of a step that a change could win back, ordered by time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class FindingKind : std::uint8_t {
  data_loading,           ///< nothing runs, and the data loader is at work
  launch_bound,           ///< nothing runs, and the work that follows was launched too late
  launch_gaps,            ///< nothing runs, although the work that follows had been launched before
  waiting,                ///< nothing runs, and the launching thread is in a call that waits for the GPU
  driver_memory,          ///< the same, in a call that gets memory from the driver or gives it back
  garbage_collection,     ///< the same, in Python's collector
  exposed_communication,  ///< collectives run, and nothing computes
  copies,                 ///< copies and memsets run, and nothing else
  recompute,              ///< kernels repeat forward computations in the backward pass
  slow_step,              ///< steps beyond 1.25 times the median; cuts across the kinds above
  outliers,               ///< work beyond its peers, see KernelOutlier; cuts across the kinds above
  no_tensor_cores,        ///< operators that can use them do not, on a device that has them; no time is known
  memory_limit,           ///< a device had more than 90 % of its memory allocated; no time is known
};
inline constexpr std::size_t kFindingKindCount = static_cast<std::size_t>(FindingKind::memory_limit) + 1;
/// "data loading", "launch-bound", ...
msg::Id text_of(FindingKind kind);

/// Effort of a fix.
enum class Effort : std::uint8_t { argument = 1, code = 2, rewrite = 3 };
/// "one argument", "a code change", "a rewrite".
msg::Id text_of(Effort effort);

/// One place where a finding can be seen.
struct FindingExample {
  TimeRange range;           ///< the gap, or the work
  std::int64_t ns = 0;       ///< what it has of the finding
  SliceId slice = kNoSlice;  ///< what fills or ends it
};

/// Relation of `won_ns` to the time that a fix wins.
enum class WonBound : std::uint8_t {
  at_most,   ///< the time may go to the next cause
  at_least,  ///< the launches of much GPU work are not in the trace, so more idle time may have this cause
  neither,   ///< of several GPUs, the time in which none computes: one GPU alone may win more or less
};

struct Finding {
  FindingKind kind{};
  /// Mean over the steps of FindingBase. Times of kinds that do not overlap add up. nullopt: not estimated.
  std::optional<std::int64_t> won_ns;
  WonBound bound = WonBound::at_most;
  /// Share of the mean step. For findings without a time, the share in the sentence.
  double share = 0;
  Message share_of;  ///< "the mean of 5 steps, ..."
  Effort effort = Effort::code;
  bool overlaps = false;                 ///< cuts across other findings
  Message sentence;                      ///< with its numbers
  Message fix;                           ///< one or two sentences
  std::vector<FindingExample> examples;  ///< the worst first, kMostExamples at most
  std::string table;                     ///< the table with the rows of its examples
  std::string filter;                    ///< what its rows have in one of their texts; empty: all

  SliceId evidence() const { return examples.empty() ? kNoSlice : examples.front().slice; }
};
inline constexpr std::size_t kMostExamples = 32;

/// Base of the times of findings: the used steps, or the requested step or range. Times are means over it.
struct FindingBase {
  enum class Kind : std::uint8_t { steps, step, range, gpu_window, thread };
  Kind kind = Kind::range;
  std::vector<TimeRange> windows;
  std::vector<std::string> names;  ///< numbers of the steps; empty without
  std::uint64_t steps = 0;         ///< of the trace, those that do not count among them
  std::int64_t mean_ns = 0;

  /// "the mean of 5 of 6 steps", "step 3", "the range", "the GPU's window".
  Message brief(std::string_view device) const;
  /// The same with the numbers of the steps, or the ends, and the time: "the mean of 5 of 6 steps (#17 to
  /// #21), 214.3 ms".
  Message text(std::string_view device) const;
};

struct Findings {
  FindingBase base;
  std::string device = "GPU";  ///< see device_word()
  /// The case of the trace in one or two sentences: what costs most, or why nothing can be said.
  Message verdict;
  /// By time; among those within kCloseFindings of the largest the least effort first; without a time last.
  std::vector<Finding> list;
  Message caveat;  ///< why idle time may be less than it seems; empty: no reason

  /// How the list is ordered and what is left out, with the base.
  Message order() const;
};
inline constexpr double kCloseFindings = 1.5;
inline constexpr double kLeastFinding = 0.01;  ///< of the mean step

/// Sums of RunLedger's causes over the steps that count. O(slices). Empty when stopped.
Findings find_what_to_fix(const GpuParts& parts, ByteUnits units, const std::stop_token& stop = {});

}  // namespace kino
