// The table `layers`: one row per layer, pass, cell (layer and pass), kernel of a layer, or stack.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/tables/layers/layer_fold.hpp"
#include "core/tables/operators/operator_parts.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

enum class LayerGrouping : std::uint8_t { layer, pass, cell, kernel, stack };

/// Returns the table without name and title. Its notes contain the verdict, the source, the share of the
/// time in layers, and sources that find another number of layers.
Table layer_table(const Trace& trace, const FoldedTrace& folded, LayerGrouping grouping);

/// Returns sentences on slow layers, the slowest first, slow layers in single passes, and slow passes, or a
/// sentence that no layer is slow. Each list names at most five. Empty if nothing is slow and no stack has
/// four comparable layers.
std::vector<Message> layer_verdict(const LayerFold& fold);

/// Returns notes on the source of the stacks, the share of time in layers, and other sources that disagree.
/// Includes all major stacks, or the stack at index `only`.
std::vector<Message> fold_notes(const FoldedTrace& folded, std::optional<std::uint32_t> only = {});

/// Returns the index of the stack whose rows contain the copies of a stack. For a backward stack with one
/// layer per copy, it is the forward stack if known; for others, the stack itself.
std::uint32_t shown_stack(const LayerFold& fold, std::uint32_t stack);
/// Returns "Qwen2Model_0.Qwen2DecoderLayer", the base of annotations ("layers"), the phase of a stack that
/// was found by names, or "similar parts, forward".
Message stack_label(const LayerStack& stack);
/// Name of a source of layers, such as "kernel names".
msg::Id source_name(LayerSource source);
/// The sentence for a fold without stacks. `wanted` as for fold_layers().
msg::Id nothing_found(LayerSource wanted);
/// Module or annotation of a layer, "similar part 3", or the layers that one copy contains. Empty if a layer
/// has only an index.
Message module_of(const LayerStack& stack, std::uint32_t layer);

extern const TableKind<OperatorParts> kLayerTable;

}  // namespace kino
