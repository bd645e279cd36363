// Finds stacks of layers in sequences of kernel names.
#pragma once

#include <stop_token>
#include <vector>

#include "core/tables/layers/kernel_sequence.hpp"
#include "core/tables/layers/layer_stack.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The stacks of all sequences on one rung of names. Rules: README.md, Names. O(kernels log kernels).
LayerFold fold_by_names(const Trace& trace, const std::vector<KernelSequence>& sequences, const Steps& steps,
                        NameRung rung, const WorkRules& rules, const std::stop_token& stop = {});

/// The stacks on the rung that explains the most: full names, unless a coarser rung has 1.25 times the time.
LayerFold fold_by_names(const Trace& trace, const std::vector<KernelSequence>& sequences, const Steps& steps,
                        const WorkRules& rules, const std::stop_token& stop = {});

}  // namespace kino
