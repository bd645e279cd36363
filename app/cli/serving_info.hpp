// Iterations of an inference engine, as `kinetoscope info` shows them.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/tables/serving/iterations.hpp"

namespace kino {

/// Adds lines on the source of the iterations, their phases, the steady state, and the iterations that
/// statistics leave out, with reasons. Adds nothing if there are no iterations.
void add_iterations(std::string& out, const ServingRun& run);
/// Returns the same figures as JSON; null if there are no iterations. "steady_from" is the number of the first
/// used iteration after the last warm-up; null if no group of iterations reached a steady state.
nlohmann::ordered_json iterations_json(const ServingRun& run);

}  // namespace kino
