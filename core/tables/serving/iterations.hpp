// Finds the iterations of an inference engine in a trace. Begin here.
#pragma once

#include <stop_token>
#include <vector>

#include "core/tables/iteration_query.hpp"
#include "core/tables/serving/iteration.hpp"
#include "core/tables/serving/iteration_groups.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct IterationOptions {
  bool hide_annotations = false;  ///< find iterations as if the program and the profiler had marked nothing
  bool hide_launches = false;     ///< use GPU work alone, as if the CPU had not been recorded
  bool keep_all = false;          ///< leave nothing out of the statistics
  /// `annotation` restricts the search to annotations. `hand_over` and `replays` use this source even if
  /// annotations or profiler steps exist. Traces with a sign of training have no iterations of these two.
  IterationSourceChoice source = IterationSourceChoice::automatic;
};

/// Iterations with the statistics of their groups.
struct ServingRun {
  Iterations iterations;
  std::vector<IterationGroup> groups;  ///< the longest sum of windows first
};

/// Finds the iterations by the first source of README.md that applies. Traces with two or more profiler steps
/// only have iterations if annotations contain the size of a batch. Unspecified if stopped. O(slices + names
/// + work log work).
ServingRun find_iterations(const Trace& trace, const IterationOptions& options = {},
                           const std::stop_token& stop = {});

}  // namespace kino
