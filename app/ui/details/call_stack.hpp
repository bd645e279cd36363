// The Python stack of a slice: the Python functions around it, or what its arguments say.
#pragma once

#include <string>
#include <vector>

#include "core/trace/args.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct StackFrame {
  std::string text;          ///< "train.py(187): <module>"
  SliceId slice = kNoSlice;  ///< the function's own slice, when it has one
};

/// Innermost frame first. The "Call stack" argument (torch writes it with ';' between frames, innermost
/// first), else the python_function slices around `slice`; at most 1,000 frames.
std::vector<StackFrame> call_stack(const Trace& trace, SliceId slice, const ArgNode* event);

/// One frame a line, for the clipboard.
std::string text_of(const std::vector<StackFrame>& frames);

}  // namespace kino
