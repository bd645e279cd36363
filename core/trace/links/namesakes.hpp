// The rule that an operator and its only callee of the same name count as one call.
#pragma once

#include "core/trace/trace.hpp"

namespace kino {

/// Whether an operator is part of the operator around it. This holds if the outer one has the same name and
/// calls no other operator or annotation. Such a pair is one call (torch.autograd.profiler_util, TensorBoard
/// plugin), e.g. the overloads of aten::add_. False for other kinds of slices. O(1) if the names differ,
/// otherwise O(lanes log slices + other slices in the outer operator).
bool is_merged_into_caller(const Trace& trace, SliceId slice);

}  // namespace kino
