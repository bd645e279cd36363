// Recognizes the program and the recorder of a trace by its content.
#pragma once

#include "core/trace/trace.hpp"

namespace kino {

/// Whether the trace has slices of this kind. O(slices).
bool has_kind(const Trace& trace, SliceKind kind);
/// Whether the trace has operators. Traces of recorders other than PyTorch's profiler often have only the
/// kernels of PyTorch. O(slices).
bool has_operators(const Trace& trace);
/// Whether the trace has operators, steps or kernels of PyTorch. O(names).
bool is_pytorch(const Trace& trace);
/// Whether PyTorch's profiler recorded the trace, with or without operators. O(names).
bool is_kineto(const Trace& trace);

}  // namespace kino
