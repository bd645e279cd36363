// The table `layers`: one row per layer, pass, cell, kernel of the body, or stack.
#pragma once

#include <cstdint>

#include "core/tables/layers/layer_fold.hpp"
#include "core/tables/operators/operator_parts.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

enum class LayerGrouping : std::uint8_t { layer, pass, cell, kernel, stack };

/// The notes contain the verdict, the source, the share of the time in layers, and other sources that
/// disagree.
Table layer_table(const Trace& trace, const FoldedTrace& folded, LayerGrouping grouping);

/// Returns the outliers: slow layers, slow copies and slow passes, or a note that there are none. Empty
/// without stacks.
std::vector<Message> layer_verdict(const LayerFold& fold);

extern const TableKind<OperatorParts> kLayerTable;

}  // namespace kino
