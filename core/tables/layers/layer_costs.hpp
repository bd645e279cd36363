// Adds communication, idle time, FLOPs and memory to the copies of a fold.
#pragma once

#include <stop_token>

#include "core/tables/layers/layer_stack.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Fills span and kernels of all copies, and the remaining costs. Communication of a copy is that launched
/// between the launch of its first kernel and the launch of the first kernel of the next copy. Idle time is
/// the span less the union of all work of the device. Memory is known only for calls of modules. `operators`
/// is the tree for counted_calls(). O(work log copies).
void add_costs(const Trace& trace, const GpuWork& work, const OperatorTreePart& operators, LayerFold& fold,
               const std::stop_token& stop = {});

}  // namespace kino
