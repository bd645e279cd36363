#include "app/pages/timeline/overlays/ruler_iterations.hpp"

#include <cstddef>
#include <utility>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "core/tables/serving/serving_texts.hpp"

namespace kino {
namespace {

/// Returns the requests of the batch, in prefill and in generation.
std::optional<std::int64_t> requests_of(const BatchSizes& sizes) {
  if (!sizes.context && !sizes.generation) return std::nullopt;
  return sizes.context.value_or(0) + sizes.generation.value_or(0);
}

std::string count_text(Text one, Text several, std::int64_t count) {
  return counted(one, several, static_cast<std::uint64_t>(count));
}

}  // namespace

RulerSteps ruler_iterations(const Trace& trace, const Iterations& found) {
  RulerSteps result;
  for (std::size_t i = 0; i < found.list.size(); ++i) {
    const Iteration& iteration = found.list[i];
    if (!iteration.window) continue;
    Step step;
    step.number = static_cast<std::int64_t>(i);
    step.slice = iteration.slice != kNoSlice ? iteration.slice : iteration.first_kernel;
    step.range = *iteration.window;
    result.steps.steps.push_back(step);
    result.iterations.push_back({.phase = iteration.phase,
                                 .guessed = iteration.guessed,
                                 .requests = requests_of(iteration.sizes),
                                 .tokens = iteration.tokens(),
                                 .left_out = left_out_text(trace, iteration)});
  }
  return result;
}

RulerSteps find_ruler_steps(const Trace& trace, const std::stop_token& stop) {
  RulerSteps result;
  result.steps = find_steps(trace, stop);
  if (!result.steps.steps.empty() || stop.stop_requested()) return result;
  const ServingRun run = find_iterations(trace, {}, stop);
  if (stop.stop_requested()) return result;
  return ruler_iterations(trace, run.iterations);
}

std::uint32_t phase_color(IterationPhase phase, const Theme& theme) {
  switch (phase) {
    case IterationPhase::prefill:
      return bookmark_color(0, theme);
    case IterationPhase::decode:
      return bookmark_color(1, theme);
    case IterationPhase::mixed:
      return bookmark_color(5, theme);
    case IterationPhase::verify:
      return bookmark_color(2, theme);
    case IterationPhase::draft:
      return bookmark_color(3, theme);
    case IterationPhase::idle:
    case IterationPhase::unknown:
      break;
  }
  return theme.text_dim;
}

std::string iteration_label(std::int64_t number, const RulerIteration& iteration) {
  std::string label = std::to_string(number);
  if (iteration.phase != IterationPhase::unknown)
    label.append(" ").append(in_language(title_of(iteration.phase)));
  return label;
}

std::vector<std::string> iteration_lines(const RulerIteration& iteration, std::int64_t window_ns) {
  std::vector<std::string> lines;
  if (iteration.phase != IterationPhase::unknown) {
    std::string phase = in_language(title_of(iteration.phase));
    lines.push_back(iteration.guessed ? filled(Text::iterations_guessed, {phase}) : std::move(phase));
  }
  if (iteration.requests && *iteration.requests >= 0)
    lines.push_back(count_text(Text::iterations_request, Text::iterations_requests, *iteration.requests));
  if (iteration.tokens && *iteration.tokens >= 0)
    lines.push_back(count_text(Text::iterations_token, Text::iterations_tokens, *iteration.tokens));
  lines.push_back(filled(Text::iterations_window, {exact_time_text(window_ns)}));
  return lines;
}

}  // namespace kino
