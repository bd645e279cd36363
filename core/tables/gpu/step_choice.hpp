// Which steps of a trace its figures are of: one rule for summaries, means, comparisons, gates and findings.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class StepUse : std::uint8_t {
  used,
  used_though_cut,  ///< as `cut`, but too few other steps remain, or a step before it is left out
  stub,             ///< fewer than a fifth of the median's GPU work starts in it
  cut,              ///< the first; it holds work that was launched before the recording began
};
constexpr bool is_used(StepUse use) { return use <= StepUse::used_though_cut; }
/// "used", "used though cut", "stub", "cut".
msg::Id text_of(StepUse use);

/// GPU work in a step's range that was launched before the range: the launch is recorded before it, or the
/// work has no launch in the trace and precedes all work of its stream that has one.
struct EarlierWork {
  double share = 0;         ///< of the step's GPU time
  std::int64_t end_ns = 0;  ///< of the last such work, at most the end of the range; 0 without any
};

/// Definitions: README.md, "Which steps". By step.
struct StepChoice {
  std::vector<StepUse> uses;
  std::vector<double> unlaunched;  ///< share of its GPU time whose launch is not in the trace
  std::vector<EarlierWork> earlier;
};

enum class StepRequest : std::uint8_t {
  all,
  chosen,  ///< the user named the steps: only stubs are left out
};

/// The ranges of steps in order of time, made disjoint: where two overlap, a moment belongs to the earlier
/// one.
std::vector<TimeRange> step_ranges(const Steps& steps);

/// Chooses among steps in order of time whose ranges are disjoint. `work` is that of the whole trace.
/// O(work * log steps).
StepChoice choose_steps(const Trace& trace, const GpuWork& work, std::span<const TimeRange> ranges,
                        StepRequest request = StepRequest::all);
/// Chooses among all steps of a trace.
StepChoice choose_steps(const Trace& trace, const Steps& steps, const std::stop_token& stop = {});

/// Sentences on the steps that are left out, and why; and on a cut step that is used. `names` are the steps'
/// numbers.
std::vector<Message> step_notes(const StepChoice& choice, std::span<const std::string> names);

/// Steps by their numbers: "#17 to #21", "#3, #5–#7".
Message listed_steps(std::span<const std::string> names);

}  // namespace kino
