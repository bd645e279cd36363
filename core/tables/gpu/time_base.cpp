#include "core/tables/gpu/time_base.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/time_text.hpp"

namespace kino {

Message TimeBase::as_marked() const {
  switch (kind) {
    case Kind::steps:
      return steps == 1 ? Message(msg::n_1_step) : Message(msg::steps_named, grouped(steps));
    case Kind::step:
      return {msg::step_named, step};
    case Kind::gpu_window:
      return {msg::the_device_window, device};
    case Kind::range:
      return msg::the_range;
    case Kind::trace:
      break;
  }
  return msg::the_trace;
}

Message TimeBase::brief() const {
  if (!with_launched_work || (kind != Kind::steps && kind != Kind::step)) return as_marked();
  const bool one = kind == Kind::step || steps == 1;
  return {one ? msg::with_its_work : msg::with_their_work, as_marked(), device};
}

Message TimeBase::text() const {
  switch (kind) {
    case Kind::steps:
    case Kind::step:
      return with_launched_work ? Message(msg::tensorboards_definition, brief()) : brief();
    case Kind::gpu_window:
      return {msg::from_the_first_work_to_the, brief(), device};
    case Kind::range:
      return brief();
    case Kind::trace:
      break;
  }
  return {operators ? msg::from_the_first_operator_to_the : msg::from_the_first_event_to_the, brief()};
}

namespace {

/// Replacements of "stream", since XLA's profiler has lines instead of GPU streams. In Chinese, the word for
/// stream is also part of other words, so adjacent characters are included.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kStreamAndLine{
    {{"stream", "line"},
     {"ストリーム", "ライン"},
     {"一流中", "一线路中"},
     {"流按", "线路按"},
     {"多个流", "多条线路"}}};

}  // namespace

std::string device_word(const Trace& trace) {
  std::string_view common;
  for (const Process& process : trace.processes) {
    if (!process.gpu) continue;
    std::string_view word = "GPU";
    for (const std::string_view other : {"TPU", "NPU", "MTIA", "HPU"}) {
      if (process.title.starts_with(other)) word = other;
    }
    if (!common.empty() && word != common) return "GPU";
    common = word;
  }
  return common.empty() ? "GPU" : std::string(common);
}

std::string with_device_word(std::string text, std::string_view device) {
  const auto replace = [&text](std::string_view word, std::string_view by) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
      text.replace(at, word.size(), by);
  };
  replace("GPU", device);
  if (device == "TPU") {
    for (const auto& [stream, line] : kStreamAndLine) replace(stream, line);
  }
  return text;
}

TimeBase base_of_trace(const std::vector<StepWindow>& steps, bool has_gpu_work) {
  TimeBase base;
  if (steps.empty()) return base;  // stopped
  const StepWindow& first = steps.front();
  if (first.slice == kNoSlice) {
    base.kind = has_gpu_work ? TimeBase::Kind::gpu_window : TimeBase::Kind::trace;
    base.window = first.range;
    base.marked = {first.range};
    base.operators = first.operators;
    return base;
  }
  base.kind = TimeBase::Kind::steps;
  base.with_launched_work = has_gpu_work;
  StepChoice choice;
  std::vector<std::string> names;
  for (const StepWindow& step : steps) {
    choice.uses.push_back(step.use);
    choice.unlaunched.push_back(step.unlaunched);
    names.push_back(step.name);
    if (!is_used(step.use)) continue;
    if (base.steps == 0) {
      base.window = step.tensorboard;
      base.calls = step.range;
    }
    base.window.end_ns = step.tensorboard.end_ns;
    base.calls.end_ns = std::max(base.calls.end_ns, step.range.end_ns);
    const std::int64_t begin_ns =
        base.marked.empty() ? step.range.begin_ns : std::max(step.range.begin_ns, base.marked.back().end_ns);
    base.marked.push_back({begin_ns, std::max(begin_ns, step.range.end_ns)});
    ++base.steps;
  }
  base.notes = step_notes(choice, names);
  return base;
}

TimeBase base_of_step(const StepWindow& step) {
  TimeBase base;
  base.kind = TimeBase::Kind::step;
  base.window = step.tensorboard;
  base.calls = step.range;
  base.marked = {step.range};
  base.step = step.name;
  base.with_launched_work = step.gpu_work > 0;
  return base;
}

}  // namespace kino
