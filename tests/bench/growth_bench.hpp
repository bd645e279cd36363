// Measures how loading and drawing grow with the size of a trace.
#pragma once

#include <vector>

#include "tests/bench/load_bench.hpp"
#include "tests/bench/timeline_bench.hpp"

namespace kino_test {

/// For each number of slices: writes a trace of about so many, opens it as often as `load` says, draws a
/// timeline of so many, and prints a line of CSV: plot_growth.py draws them. False when something fails.
bool run_growth_bench(const std::vector<double>& millions, const LoadBenchOptions& load,
                      const TimelineBenchOptions& timeline);

}  // namespace kino_test
