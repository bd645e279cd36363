#include "core/tables/serving/serving_texts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

/// In the order of IterationPart.
constexpr std::array<msg::Id, kIterationPartCount> kPartTitles{
    msg::part_sampling,  msg::part_experts,           msg::part_attention,    msg::part_matrix,
    msg::part_other,     msg::part_all_to_all,        msg::part_all_reduce,   msg::part_communication,
    msg::part_copy,      msg::part_idle_graph_launch, msg::part_idle_launch,  msg::part_idle_sync,
    msg::part_idle_host, msg::part_idle_scheduler,    msg::part_idle_unknown,
};

/// In the order of IterationPhase.
constexpr std::array<msg::Id, 7> kPhaseTitles{msg::nothing,     msg::phase_prefill, msg::phase_decode,
                                              msg::phase_mixed, msg::phase_verify,  msg::phase_draft,
                                              msg::phase_idle};

}  // namespace

Message title_of(IterationPart part) { return kPartTitles[static_cast<std::size_t>(part)]; }

Message title_of(IterationPhase phase) {
  if (phase == IterationPhase::unknown) return {};
  return kPhaseTitles[static_cast<std::size_t>(phase)];
}

Message source_text(const Iterations& found, std::size_t listed) {
  const std::string count = std::to_string(listed);
  switch (found.source) {
    case IterationSource::annotation:
      return {msg::iterations_from_annotations, count, std::string(found.family)};
    case IterationSource::compiled_graph:
      return {msg::iterations_from_compiled_graph, count};
    case IterationSource::hand_over:
      return {msg::iterations_from_hand_over, count};
    case IterationSource::replays:
      return {msg::iterations_from_replays, count};
    case IterationSource::none:
      break;
  }
  switch (found.reason) {
    case NoIterations::none:
      break;
    case NoIterations::profiler_steps:
      return msg::no_iterations_profiler_steps;
    case NoIterations::training:
      return {msg::no_iterations_training, found.training.kind == TrainingSign::Kind::autograd_flow
                                               ? Message(msg::autograd_flow)
                                               : Message(found.training.name)};
    case NoIterations::no_gpu_work:
      return msg::no_iterations_no_gpu_work;
    case NoIterations::nothing_found:
      return msg::no_iterations_nothing_found;
  }
  return {};
}

Message left_out_text(const Trace& trace, const Iteration& iteration) {
  switch (iteration.left_out) {
    case LeftOut::none:
      break;
    case LeftOut::no_window:
      return msg::left_out_no_window;
    case LeftOut::cut:
      return msg::left_out_cut;
    case LeftOut::prepares_code:
      return {msg::left_out_prepares_code, std::string(trace.name_of(iteration.prepares))};
    case LeftOut::warm_up:
      return {msg::left_out_warm_up, text_from_duration(iteration.window_ns()),
              text_from_duration(iteration.steady_ns)};
  }
  return {};
}

std::optional<std::int64_t> all_requests(const BatchSizes& sizes) {
  if (!sizes.context && !sizes.generation) return std::nullopt;
  return saturating_add(sizes.context.value_or(0), sizes.generation.value_or(0));
}

}  // namespace kino
