// Texts and colors of folded layers: passes, phases, and the labels of blocks.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/widgets/theme.hpp"
#include "core/tables/layers/layer_stack.hpp"
#include "core/tables/layers/pass_blocks.hpp"

namespace kino {

/// "step 1, microbatch 5", or the index of a pass outside of steps.
std::string pass_text(const LayerStack& stack, std::uint32_t pass);
const char* phase_text(LayerPhase phase);
/// "24 x Qwen2DecoderLayer, p50 1.32 ms".
std::string block_label(const LayerStack& stack, const PassBlock& block);
/// Sentences for the tooltip of a block: stack, pass and phase, times, odd and slow executions.
std::string block_description(const LayerStack& stack, const PassBlock& block);

/// Color of the time beyond the median, and of slow layers.
std::uint32_t excess_color(const Theme& theme);
/// Color of a block. Backward passes and recomputations are darker than forward passes.
std::uint32_t block_color(LayerPhase phase, const Theme& theme);

}  // namespace kino
