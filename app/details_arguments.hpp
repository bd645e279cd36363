// The right half of the selection drawer: inputs of an operator as a table, its Python stack, all arguments.
#pragma once

#include <string>
#include <vector>

#include "app/argument_tree.hpp"
#include "app/call_stack.hpp"
#include "app/tensor_inputs.hpp"
#include "app/theme.hpp"
#include "core/args.hpp"
#include "core/trace.hpp"

namespace kino {

/// What was read about one event.
class DetailsArguments {
 public:
  /// `event` is null when it could not be read, and `problem` says why.
  void set(const Trace& trace, SliceId slice, const ArgNode* event, std::string problem);
  /// Draws into the content region; returns the slice of a stack frame that was clicked, or kNoSlice.
  SliceId draw(const Theme& theme, float ui_scale);

 private:
  void draw_inputs(const Theme& theme, float ui_scale) const;
  SliceId draw_stack(const Theme& theme, float ui_scale);
  void draw_rows(const Theme& theme, float ui_scale);
  void draw_row(std::uint32_t index, float key_width, const Theme& theme, float ui_scale);

  std::string problem_;
  std::vector<TensorInput> inputs_;
  std::vector<StackFrame> stack_;
  std::string stack_text_;
  bool all_frames_ = false;
  std::vector<ArgumentRow> rows_;
};

}  // namespace kino
