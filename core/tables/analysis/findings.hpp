// Findings: the parts of a step that a change could save, mostly sorted by time.
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
  data_loading,           ///< idle, while the data loader works
  launch_bound,           ///< idle, because the next work was launched too late
  launch_gaps,            ///< idle, although the next work had already been launched
  waiting,                ///< idle, while the launching thread waits for the GPU in a call
  driver_memory,          ///< idle, while the launching thread allocates or frees driver memory
  garbage_collection,     ///< idle, while the launching thread runs Python's garbage collector
  exposed_communication,  ///< collectives run without any compute
  copies,                 ///< only copies and memsets run
  recompute,              ///< the backward pass repeats kernels of the forward pass
  slow_step,              ///< steps longer than 1.25 medians; overlaps the kinds above
  outliers,               ///< work slower than its peers, see KernelOutlier; overlaps the kinds above
  no_tensor_cores,        ///< eligible operators do not use the device's Tensor Cores; no time estimate
  memory_limit,           ///< more than 90 % of a device's memory was allocated; no time estimate
};
inline constexpr std::size_t kFindingKindCount = static_cast<std::size_t>(FindingKind::memory_limit) + 1;
/// Returns "data loading", "launch-bound", ...
msg::Id text_of(FindingKind kind);

enum class Effort : std::uint8_t { line = 1, code = 2, investigation = 3 };
/// Returns "a one-line change", "a code change" or "an investigation".
msg::Id text_of(Effort effort);

/// One occurrence of a finding.
struct FindingExample {
  TimeRange range;           ///< the gap, or the work
  std::int64_t ns = 0;       ///< time attributed to the finding
  SliceId slice = kNoSlice;  ///< work or call that fills the range, or the work after the gap
  TimeRange part = {};       ///< part of a gap that contains the attributed time; empty if it is the range

  /// Returns the time to show as the example: the part, or the whole range.
  TimeRange shown() const { return part.length_ns() > 0 ? part : range; }
};

/// Relation of `won_ns` to the time that a fix saves.
enum class WonBound : std::uint8_t {
  at_most,   ///< once fixed, another cause may take up part of the time
  at_least,  ///< many launches are not in the trace, so more idle time may have this cause
  neither,   ///< the time counts only moments in which none of several GPUs computes; a single GPU may save
             ///< more or less
};

struct Finding {
  FindingKind kind{};
  /// Time per window that a fix could save: the mean over the windows of FindingBase. Times of kinds that do
  /// not overlap add up. nullopt if not estimated.
  std::optional<std::int64_t> won_ns;
  WonBound bound = WonBound::at_most;
  /// `won_ns` as a share of the mean step. For findings without a time, the share that the sentence mentions.
  double share = 0;
  Message share_of;  ///< description of the whole that `share` refers to: "the mean of 5 of 6 steps"
  Effort effort = Effort::code;
  bool overlaps = false;              ///< whether the time is also part of other findings
  Message sentence;                   ///< one sentence with the finding's numbers
  Message fix;                        ///< one or two sentences of advice
  std::string code;                   ///< Python code or setting of the advice; may be empty, see code_of()
  std::vector<std::int64_t> step_ns;  ///< time by step of FindingBase::all; empty if not estimated
  /// Largest first, at most kMaxExamples. Examples of late launches and launch gaps are gaps mostly due to
  /// them, so that `table` lists these gaps under `filter`. If there are none, they are any gaps.
  std::vector<FindingExample> examples;
  std::string table;   ///< table that contains the examples
  std::string filter;  ///< text filter that selects their rows; empty: all rows

  SliceId evidence() const { return examples.empty() ? kNoSlice : examples.front().slice; }
};
inline constexpr std::size_t kMaxExamples = 32;

/// Time windows in which findings are measured: the used steps, or the requested step or range. A trace
/// without steps has one window: that of the GPU or of a thread. Times of findings are means over
/// the windows.
struct FindingBase {
  /// A step of the trace, or a window if there are no steps.
  struct Part {
    TimeRange range;
    std::string name = {};     ///< step number; empty if the part is not a step
    SliceId slice = kNoSlice;  ///< slice that marks the step
    bool used = true;          ///< whether the part is one of the windows
  };

  enum class Kind : std::uint8_t { steps, step, range, gpu_window, thread };
  Kind kind = Kind::range;
  std::vector<TimeRange> windows;
  std::vector<std::string> names;  ///< step numbers by window; empty if the windows are not steps
  std::vector<Part> all;  ///< the first kMaxParts steps including unused ones, disjoint and in order of time;
                          ///< the windows if they are not all used steps
  std::uint64_t steps = 0;  ///< number of all steps of the trace, including unused ones
  std::int64_t mean_ns = 0;

  static constexpr std::size_t kMaxParts = 4096;

  /// Returns "the mean of 5 of 6 steps", "step 3", "the range", "the GPU window" or "the thread with the most events".
  Message brief(std::string_view device) const;
  /// Returns brief() with step numbers or bounds and the time: "the mean of 5 of 6 steps (#17 to #21), 214.3
  /// ms".
  Message text(std::string_view device) const;
};

struct Findings {
  FindingBase base;
  std::string device = "GPU";  ///< see device_word()
  /// The largest cost, or the reason why it is unknown, in a few sentences. Empty if the trace shows no sign
  /// of a GPU program and has no time to attribute.
  Message verdict;
  /// Sorted by time, except that findings within a factor of kCloseFindings of the largest are sorted by
  /// effort. Findings without a time are last.
  std::vector<Finding> list;
  Message caveat;               ///< reason why idle time may be overestimated; may be empty
  std::int64_t compute_ns = 0;  ///< time per window in which GPU work computes; 0 without GPU work

  /// Returns sentences that describe the order of the list, the base, and the findings that are left out.
  Message order() const;
};
inline constexpr double kCloseFindings = 1.5;
inline constexpr double kMinFindingShare = 0.01;  ///< minimum share of the mean window for a finding with a
                                                  ///< time

/// Returns the findings for the whole trace, or for the requested range or step. Times are summed by
/// TimeAttribution over the windows of FindingBase. O(slices).
Findings find_findings(const GpuParts& parts, ByteUnits units, const std::stop_token& stop = {});

}  // namespace kino
