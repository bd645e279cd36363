// The rule by which an operator that calls itself counts once.
#pragma once

#include "core/trace/trace.hpp"

namespace kino {

/// Whether an operator is a part of the operator around it: that one has its name and calls no other operator
/// or annotation. Such a pair is one call (torch.autograd.profiler_util, TensorBoard plugin), e.g. the
/// overloads of aten::add_. Never for other kinds of slices. O(1) where names differ, else O(lanes log slices
/// + slices of the outer operator beside this one).
bool is_part_of_namesake(const Trace& trace, SliceId slice);

}  // namespace kino
