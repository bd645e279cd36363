// The right half of the selection drawer: inputs of an operator as a table, its Python stack, all arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/system/background_result.hpp"
#include "app/ui/details/argument_tree.hpp"
#include "app/ui/details/call_stack.hpp"
#include "app/ui/details/tensor_inputs.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/row_heights.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// What was read about one event, ready to be drawn. GPU work has neither inputs nor a stack of its own: they
/// are its operator's.
struct EventArguments {
  Message problem;               ///< why it could not be read, in one sentence
  SliceId inputs_of = kNoSlice;  ///< the operator whose inputs they are, when that is another slice
  SliceId stack_of = kNoSlice;   ///< the operator whose stack it is, or of a backward pass the forward pass
  std::optional<std::int64_t> recorded_ns;  ///< recorded duration of a call that was cut (call_stacks.hpp)
  std::vector<TensorInput> inputs;
  std::vector<StackFrame> stack;
  std::string stack_text;
  std::vector<ArgumentRow> rows;
};

/// Reads and arranges; O(the event, and its operator's).
EventArguments arguments_of(const Trace& trace, const EventDetails& details, EventRef event);

/// UI thread only; what is shown is read on the pool.
class DetailsArguments {
 public:
  /// Shows this event, or none, from now on.
  void show(EventRef event, std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
            WorkerPool& pool, const std::function<void()>& wake);
  bool complete() const { return !read_.running(); }
  /// Draws into the content region; returns the slice of a stack frame that was clicked, or kNoSlice.
  SliceId draw(const Theme& theme, float ui_scale);

 private:
  std::string title_of(Text own, Text others, SliceId of) const;
  void draw_inputs(const Theme& theme) const;
  SliceId draw_stack(const Theme& theme, float ui_scale);
  void draw_rows(const Theme& theme, float ui_scale);
  float draw_row(std::uint32_t index, float key_width, const Theme& theme, float ui_scale);

  std::shared_ptr<const Trace> trace_;
  BackgroundResult<std::shared_ptr<EventArguments>> read_;
  std::shared_ptr<EventArguments> shown_;  // null until it is read
  bool all_frames_ = false;
  RowHeights frame_heights_;
  RowHeights row_heights_;
  std::vector<std::uint32_t> in_list_;  // frames or rows, while they are drawn
};

}  // namespace kino
