#include "core/tables/serving/iteration.hpp"

#include <array>

namespace kino {

std::string_view text_of(IterationSource source) {
  constexpr std::array<std::string_view, 5> kNames{"", "annotation", "compiled graph", "hand-over",
                                                   "replays"};
  return kNames[static_cast<std::size_t>(source)];
}

std::string_view text_of(LaunchedBy launched_by) {
  constexpr std::array<std::string_view, 4> kNames{"", "eager", "graph", "piecewise"};
  return kNames[static_cast<std::size_t>(launched_by)];
}

std::optional<std::int64_t> Iteration::tokens() const {
  if (!sizes.context_tokens && !sizes.generation_tokens) return std::nullopt;
  return sizes.context_tokens.value_or(0) + sizes.generation_tokens.value_or(0);
}

bool Iteration::generates() const {
  const bool phase_generates =
      phase == IterationPhase::decode || phase == IterationPhase::mixed || phase == IterationPhase::verify;
  return phase_generates && sizes.generation.value_or(0) > 0;
}

}  // namespace kino
