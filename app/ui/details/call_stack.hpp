// The Python stack of a slice: from its arguments, or from the python_function slices around it.
#pragma once

#include <string>
#include <vector>

#include "core/trace/args.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct StackFrame {
  std::string text;          ///< "train.py(187): <module>"
  SliceId slice = kNoSlice;  ///< the function's own slice, if it has one
};

/// Returns the frames, innermost first. Uses the "Call stack" argument (torch separates frames by ';',
/// innermost first), else `slice` and the slices around it that are python_function events. At most 1,000
/// frames.
std::vector<StackFrame> call_stack(const Trace& trace, SliceId slice, const ArgNode* event);

/// Returns the frames as text, one per line, for the clipboard.
std::string text_of(const std::vector<StackFrame>& frames);

}  // namespace kino
