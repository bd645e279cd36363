// Iterations without marks: an engine gives a result to the host after each one.
#pragma once

#include <stop_token>

#include "core/tables/serving/iteration_marks.hpp"
#include "core/tables/serving/serving_work.hpp"

namespace kino {

/// Finds iterations in the work of the device with the most pieces, by the rules of README.md ("Hand-over").
/// Kernels that select tokens are tried first, then copies to the host. Empty if the work does not repeat in
/// this way. Marks last from the launch of their first piece to the end of the launch of the last one;
/// without launches, from the start of the first piece to the end of the last one. O(work log work).
UnmarkedIterations hand_over_marks(const Trace& trace, const ServingWork& work,
                                   const std::stop_token& stop = {});

}  // namespace kino
