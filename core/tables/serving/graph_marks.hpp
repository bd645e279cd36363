// Iterations without marks: calls of one compiled graph, or replays of graphs.
#pragma once

#include <stop_token>

#include "core/tables/serving/iteration_marks.hpp"
#include "core/tables/serving/serving_work.hpp"

namespace kino {

/// Returns the calls "## Call CompiledFxGraph KEY ##" of the key and thread with the most calls. There must
/// be two or more, and each must launch a whole model. Empty if there is no such key. O(names + slices), a
/// sort of the work.
UnmarkedIterations compiled_graph_marks(const Trace& trace, const ServingWork& work,
                                        const std::stop_token& stop = {});

/// Returns iterations from the graph launches of the thread with the most replayed work; see README.md
/// ("Replays"). O(slices), a sort of the work.
UnmarkedIterations replay_marks(const Trace& trace, const ServingWork& work,
                                const std::stop_token& stop = {});

}  // namespace kino
