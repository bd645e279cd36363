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

/// Returns the stacks of layers. Layers are modules of one class in one container, if there are at least
/// three. The k-th call of a layer in a step belongs to pass k. Work of the backward pass belongs to the
/// module call that contains its forward operator, found by an arrow of category fwdbwd. A module call inside
/// a backward node is recomputation. `calls` and `placers` must be those of Python frames. With `operators`,
/// outermost operators take the place of kernels. All rules: README.md, "Sources". O(nodes + work log work).
LayerFold fold_by_modules(const Trace& trace, const OperatorTreePart& calls, const ModuleAnchors& placers,
                          const Steps& steps, bool operators, const std::stop_token& stop = {});

/// A kernel (or operator) and the index of its copy in LayerStack::copies.
struct PlacedWork {
  std::uint32_t copy = 0;
  SliceId slice = kNoSlice;
};
/// Assigns work to the copies of a stack: fills their first, count, span and costs of work and
/// communication, and appends to LayerFold::kernels. Marks copies whose kernels differ from the most common
/// ones of the phase as odd. Removes copies without work. O(work log work).
void place_work(const Trace& trace, std::vector<PlacedWork> work, LayerFold& fold, LayerStack& stack);

}  // namespace kino
