// Finds stacks of layers in sequences of kernel names.
#pragma once

#include <stop_token>
#include <vector>

#include "core/tables/layers/kernel_sequence.hpp"
#include "core/tables/layers/layer_stack.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the stacks of all sequences, comparing names on one rung. Rules: README.md, "Names". O(kernels log
/// kernels).
LayerFold fold_by_names(const Trace& trace, const std::vector<KernelSequence>& sequences, const Steps& steps,
                        NameRung rung, const WorkRules& rules, const std::stop_token& stop = {});

/// Returns the stacks on the best rung: full names, unless a coarser rung has 1.25 times the time in layers.
/// Families are also chosen if they find two to three times as many copies in at least 90 % of that time.
LayerFold fold_by_names(const Trace& trace, const std::vector<KernelSequence>& sequences, const Steps& steps,
                        const WorkRules& rules, const std::stop_token& stop = {});

/// Returns the stacks of alike parts (alike_parts.hpp). A coarser rung is used only if it has 1.25 times the
/// time in parts. Parts are not necessarily layers, so backward stacks are not paired with forward stacks.
LayerFold fold_by_alike(const Trace& trace, const std::vector<KernelSequence>& sequences, const Steps& steps,
                        const WorkRules& rules, const std::stop_token& stop = {});

}  // namespace kino
