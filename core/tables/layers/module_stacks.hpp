// Finds stacks of layers by calls of nn.Module.
#pragma once

#include <span>
#include <stop_token>

#include "core/tables/layers/layer_stack.hpp"
#include "core/tables/operators/module_anchors.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A layer is a module with at least two siblings of its class in one container. The k-th call of a layer in
/// a step belongs to pass k. Work of the backward pass belongs to the call whose operator its arrow of
/// category fwdbwd comes from. A module call inside a backward node is recomputation. `calls` and `placers`
/// are of Python frames. With `operators`, outermost operators take the place of kernels. Rules: README.md,
/// Modules. O(nodes + work log work).
LayerFold fold_by_modules(const Trace& trace, const OperatorTreePart& calls, const ModuleAnchors& placers,
                          const Steps& steps, bool operators, const std::stop_token& stop = {});

/// Fills first, count, span and work of the copies from (copy, work) pairs, and LayerFold::kernels. Marks
/// copies whose kernels differ from the most common ones as odd. Copies without work are removed. O(work log
/// work).
struct PlacedWork {
  std::uint32_t copy = 0;
  SliceId slice = kNoSlice;
};
void place_work(const Trace& trace, std::vector<PlacedWork> work, LayerFold& fold, LayerStack& stack);

}  // namespace kino
