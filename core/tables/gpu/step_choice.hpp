// Choice of the steps that figures are based on: one rule for summaries, means, comparisons, gates and
// findings.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class StepUse : std::uint8_t {
  used,
  used_though_cut,  ///< like `cut`, but used because too few other steps remain or because an earlier step is
                    ///< already omitted
  stub,             ///< the number of pieces of GPU work that start in it is less than a fifth of the median
  cut,              ///< first step, with work launched before the recording started
};
constexpr bool is_used(StepUse use) { return use <= StepUse::used_though_cut; }
/// Returns "used", "used though cut", "stub" or "cut".
msg::Id text_of(StepUse use);

/// GPU work in a step's range that was launched before the range. Either its launch is recorded before the
/// range, or it has no recorded launch and precedes all work of its stream with a recorded launch.
struct EarlierWork {
  double share = 0;         ///< share of the step's GPU time
  std::int64_t end_ns = 0;  ///< end of the last such work, at most the end of the range; 0 if there is none
};

/// Choice for each step; all lists are indexed by step. Definitions: README.md, "Which steps".
struct StepChoice {
  std::vector<StepUse> uses;
  std::vector<double> unlaunched;  ///< share of the step's GPU time without a recorded launch
  std::vector<EarlierWork> earlier;
};

enum class StepRequest : std::uint8_t {
  all,
  chosen,  ///< the user named the steps: only stubs are omitted
};

/// Returns the ranges of the steps in order of time. They are disjoint: overlaps belong to the earlier step.
std::vector<TimeRange> step_ranges(const Steps& steps);

/// Chooses among steps with disjoint ranges in order of time. `work` is the work of the whole trace. O(work *
/// log steps).
StepChoice choose_steps(const Trace& trace, const GpuWork& work, std::span<const TimeRange> ranges,
                        StepRequest request = StepRequest::all);
/// Chooses among all steps of a trace.
StepChoice choose_steps(const Trace& trace, const Steps& steps, const std::stop_token& stop = {});

/// Returns sentences on omitted steps with the reasons, and on cut steps that are used. `names` contains the
/// step numbers.
std::vector<Message> step_notes(const StepChoice& choice, std::span<const std::string> names);

/// Returns the step numbers as text: "#17 to #21", "#3, #5–#7". The text ends with "..." after six parts.
Message listed_steps(std::span<const std::string> names);

}  // namespace kino
