// Adds communication, idle time, FLOPs and memory to the layer copies of a fold.
#pragma once

#include <stop_token>

#include "core/tables/layers/layer_stack.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Fills the span, the number of kernels and the remaining costs of all copies. Idle time is the part of the
/// span in which the device runs nothing. If layers were found by names or as alike parts, the communication
/// of a copy consists of the collectives that are launched from its first kernel up to the first kernel of
/// the next copy in the pass. For the last copy of a pass, these are the collectives up to its last launch.
/// For other sources, communication is already known. Memory is known only for forward calls of modules.
/// `operators` is the tree for counted_calls(). O(work log copies).
void add_costs(const Trace& trace, const GpuWork& work, const OperatorTreePart& operators, LayerFold& fold,
               const std::stop_token& stop = {});

}  // namespace kino
