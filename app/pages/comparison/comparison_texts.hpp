// Texts of the comparison page.
#pragma once

#include <string>

#include "app/pages/comparison/comparison_state.hpp"

namespace kino {

/// Returns a change as text: "+7.4 %", "-15.3 %"; "?" if unknown.
std::string signed_percent(double share);
/// Returns a signed duration: "+3.87 ms", "-46.2 ms".
std::string signed_duration(double ns);
std::string cause_name(TimeCategory cause, std::optional<HostCause> host = std::nullopt);
/// Returns the name of a phase. `before_backward`: whether a backward phase follows; only then is
/// StepPhase::forward called a forward pass.
std::string phase_name(StepPhase phase, bool before_backward);

/// Returns the verdict in one sentence: "B is faster: 213.8 ms → 181 ms per step".
std::string verdict_sentence(const ComparisonState& state);
/// Returns the causes of the difference, or the reason why there is no verdict.
std::string verdict_reasons(const ComparisonState& state);
/// Returns the number of samples, p, the interval, and the smallest detectable change.
std::string verdict_statistics(const ComparisonState& state);
/// Returns the compared steps of a side: "steps 5 to 10", "3 ranges", "whole trace (no steps)".
std::string steps_text(const ComparisonState& state, std::size_t side);
/// Returns the reasons why steps of a side were omitted, one line per reason; may be empty.
std::string steps_hint(const ComparisonState& state, std::size_t side);

}  // namespace kino
