#include "app/ui/layers/layer_texts.hpp"

#include <array>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/oklch.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/layers/layer_table.hpp"

namespace kino {

std::string pass_text(const LayerStack& stack, std::uint32_t pass) {
  const LayerPass& shown = stack.passes[pass];
  if (!shown.step) return filled(Text::layers_pass, {std::to_string(pass)});
  const bool several =
      shown.microbatch > 0 || (pass + 1 < stack.passes.size() && stack.passes[pass + 1].step == shown.step);
  const std::string step = std::to_string(*shown.step);
  return several ? filled(Text::layers_step_and_microbatch, {step, std::to_string(shown.microbatch)})
                 : filled(Text::layers_step, {step});
}

const char* phase_text(LayerPhase phase) {
  constexpr std::array kPhases{Text::layers_forward, Text::layers_backward, Text::layers_recompute};
  return tr(kPhases[static_cast<std::size_t>(phase)]);
}

std::string block_label(const LayerStack& stack, const PassBlock& block) {
  const std::string count = grouped(block.layers);
  const std::string median = text_from_duration(block.median_ns);
  const std::string& name = stack.module_class.empty() ? stack.container : stack.module_class;
  if (!name.empty()) return filled(Text::layers_block, {count, escaped(name), median});
  if (stack.layers_per_copy > 1)
    return filled(Text::layers_block_of_several, {count, grouped(stack.layers_per_copy), median});
  return filled(Text::layers_block_unnamed, {count, median});
}

std::string block_description(const LayerStack& stack, const PassBlock& block) {
  const std::string copies = grouped(block.layers);
  std::string words = block_label(stack, block);
  const auto line = [&words](const std::string& more) { words += "\n" + more; };
  if (!stack.module_class.empty()) line(escaped(in_language(stack_label(stack))));
  line(pass_text(stack, block.pass) + " \u00b7 " + phase_text(block.phase));
  line(filled(Text::layers_block_times,
              {text_from_duration(block.range.length_ns()), text_from_duration(block.median_ns)}));
  line(filled(Text::layers_odd, {grouped(block.odd), copies}));
  if (block.slow > 0) line(filled(Text::layers_slow_copies, {grouped(block.slow), copies}));
  line(tr(Text::layers_block_hint));
  return words;
}

std::uint32_t excess_color(const Theme& theme) { return packed_color({theme.dark ? 0.78 : 0.64, 0.14, 60}); }

std::uint32_t block_color(LayerPhase phase, const Theme& theme) {
  const double backward = phase == LayerPhase::forward ? 0 : 0.10;
  return packed_color({(theme.dark ? 0.74 : 0.82) - backward, 0.05, 250});
}

}  // namespace kino
