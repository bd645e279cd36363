#include "core/gpu/time_base.hpp"

#include <algorithm>

namespace kino {

std::string TimeBase::brief() const {
  switch (kind) {
    case Kind::steps:
      return std::to_string(steps) + (steps == 1 ? " complete step" : " complete steps");
    case Kind::step:
      return "step " + step;
    case Kind::gpu_window:
      return "the " + device + "'s window";
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
      return brief() + (with_launched_work
                            ? " and the " + device + " work launched there (TensorBoard's definition)"
                            : "");
    case Kind::gpu_window:
      return brief() + ", from the first " + device + " work to the last";
    case Kind::range:
      return brief();
    case Kind::trace:
      break;
  }
  return brief() + (operators ? ", from the first operator to the last"
                              : ", from the first event to the last; none is known to be an operator");
}

std::string device_word(const Trace& trace) {
  bool tpu = false;
  for (const Process& process : trace.processes) {
    if (!process.gpu) continue;
    if (!process.title.starts_with("TPU")) return "GPU";
    tpu = true;
  }
  return tpu ? "TPU" : "GPU";
}

TimeBase base_of_trace(const std::vector<StepWindow>& steps, bool has_gpu_work) {
  TimeBase base;
  if (steps.empty()) return base;  // it was stopped
  const StepWindow& first = steps.front();
  if (first.slice == kNoSlice) {
    base.kind = has_gpu_work ? TimeBase::Kind::gpu_window : TimeBase::Kind::trace;
    base.window = first.range;
    base.operators = first.operators;
    return base;
  }
  base.kind = TimeBase::Kind::steps;
  base.window = first.tensorboard;
  base.calls = first.range;
  base.with_launched_work = has_gpu_work;
  for (const StepWindow& step : steps) {
    if (!step.complete) break;
    base.window.end_ns = step.tensorboard.end_ns;
    base.calls.end_ns = std::max(base.calls.end_ns, step.range.end_ns);
    ++base.steps;
  }
  return base;
}

TimeBase base_of_step(const StepWindow& step) {
  TimeBase base;
  base.kind = TimeBase::Kind::step;
  base.window = step.tensorboard;
  base.calls = step.range;
  base.step = step.name;
  base.with_launched_work = step.gpu_work > 0;
  return base;
}

}  // namespace kino
