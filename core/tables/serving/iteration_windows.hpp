// Extents of iterations: their own work, windows, and the parts of each window.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "core/tables/serving/iteration.hpp"
#include "core/tables/serving/serving_work.hpp"

namespace kino {

/// Fills Iterations::device and all members of `iterations` from Iteration::window to Iteration::prepares,
/// from the marks in Iterations::list. `process`: launches the engine's work; if nullopt, work belongs to the
/// iteration that is the last to start before it. Own work is otherwise launched by this process from the
/// start of the mark to that of the next one. The main stream is the stream with the most kernel time of all
/// own work. `hide_calls`: see IterationOptions::hide_launches. O(slices + work log work).
void add_windows(const Trace& trace, const ServingWork& work, std::optional<std::uint32_t> process,
                 bool hide_calls, Iterations& iterations, const std::stop_token& stop = {});

}  // namespace kino
