// What the page of two compared runs says in sentences.
#pragma once

#include <string>

#include "app/pages/comparison/comparison_state.hpp"

namespace kino {

/// "+7.4 %", "-15.3 %"; "?" where there is none.
std::string signed_percent(double share);
/// "+3.87 ms", "-46.2 ms".
std::string signed_duration(double ns);
std::string cause_name(LedgerCause cause, std::optional<HostCause> host = std::nullopt);
/// `before_backward`: what is no loader and no optimizer, and stands before a backward.
std::string phase_name(StepPhase phase, bool before_backward);

/// "B is faster: 213.8 ms → 181 ms a step".
std::string verdict_sentence(const ComparisonState& state);
/// Where the difference comes from, or why there is no answer.
std::string verdict_reasons(const ComparisonState& state);
/// Samples, p, interval, and what could not have been seen.
std::string verdict_statistics(const ComparisonState& state);
/// What the steps of a side are: "steps 5 to 10", "3 ranges", "no steps: all of it".
std::string steps_words(const ComparisonState& state, std::size_t side);
/// Why steps of a side are left out, a line each; may be empty.
std::string steps_hint(const ComparisonState& state, std::size_t side);

}  // namespace kino
