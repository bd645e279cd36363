// Measures how loading and drawing grow with the size of a trace.
#pragma once

#include <vector>

#include "tests/bench/load_bench.hpp"
#include "tests/bench/timeline_bench.hpp"

namespace kino_test {

/// For each number of slices: writes a trace of about this size, opens it `load.runs` times, draws a timeline
/// of this size. Prints one line of CSV per size, for plot_growth.py. Returns false on failure.
bool run_growth_bench(const std::vector<double>& millions, const LoadBenchOptions& load,
                      const TimelineBenchOptions& timeline);

}  // namespace kino_test
