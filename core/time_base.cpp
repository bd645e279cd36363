#include "core/time_base.hpp"

namespace kino {

std::string TimeBase::brief() const {
  switch (kind) {
    case Kind::steps:
      return std::to_string(steps) + (steps == 1 ? " complete step" : " complete steps");
    case Kind::step:
      return "step " + step;
    case Kind::gpu_window:
      return "the GPU's window";
    case Kind::range:
      return "the range";
    case Kind::trace:
      break;
  }
  return "the trace";
}

std::string TimeBase::text() const {
  switch (kind) {
    case Kind::steps:
    case Kind::step:
      return brief() +
             (with_launched_work ? " and the GPU work launched there (TensorBoard's definition)" : "");
    case Kind::gpu_window:
      return brief() + ", from the first GPU work to the last";
    case Kind::range:
      return brief();
    case Kind::trace:
      break;
  }
  return brief() + ", from the first operator to the last";
}

TimeBase base_of_trace(const std::vector<StepWindow>& steps, bool has_gpu_work) {
  TimeBase base;
  if (steps.empty()) return base;  // it was stopped
  const StepWindow& first = steps.front();
  if (first.slice == kNoSlice) {
    base.kind = has_gpu_work ? TimeBase::Kind::gpu_window : TimeBase::Kind::trace;
    base.window = first.range;
    return base;
  }
  base.kind = TimeBase::Kind::steps;
  base.window = first.tensorboard;
  base.with_launched_work = has_gpu_work;
  for (const StepWindow& step : steps) {
    if (!step.complete) break;
    base.window.end_ns = step.tensorboard.end_ns;
    ++base.steps;
  }
  return base;
}

TimeBase base_of_step(const StepWindow& step) {
  TimeBase base;
  base.kind = TimeBase::Kind::step;
  base.window = step.tensorboard;
  base.step = step.name;
  base.with_launched_work = step.gpu_work > 0;
  return base;
}

}  // namespace kino
