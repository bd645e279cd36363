// The right half of the selection drawer: an operator's inputs as a table, its Python stack, all arguments.
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

/// Data read about one event, ready to be drawn. GPU work has neither inputs nor a stack, so the operator
/// that launched it provides them.
struct EventArguments {
  Message problem;               ///< why the event could not be read, in one sentence
  SliceId inputs_of = kNoSlice;  ///< operator that the inputs belong to, if it is another slice
  SliceId stack_of = kNoSlice;   ///< operator that the stack belongs to; for a backward pass the operator of
                                 ///< the forward pass
  std::optional<std::int64_t> recorded_ns;  ///< recorded duration of a call that was truncated
                                            ///< (call_stacks.hpp)
  std::vector<TensorInput> inputs;
  std::vector<StackFrame> stack;
  std::string stack_text;
  std::vector<ArgumentRow> rows;
};

/// Reads and arranges the arguments. O(size of the event and of its operator).
EventArguments arguments_of(const Trace& trace, const EventDetails& details, EventRef event);

/// Reads and draws the arguments of one event. UI thread only; events are read on the pool.
class DetailsArguments {
 public:
  void show(EventRef event, std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
            WorkerPool& pool, const std::function<void()>& wake);
  bool complete() const { return !read_.running(); }
  /// Draws into the content region. Returns the slice of the stack frame that was clicked, or kNoSlice.
  SliceId draw(const Theme& theme, float ui_scale);

 private:
  std::string title_of(Text own, Text others, SliceId owner) const;
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
  std::vector<std::uint32_t> in_list_;  // indices of frames or rows; used while drawing
};

}  // namespace kino
