// Folds the repeated layers of a trace: chooses the source, finds the stacks, adds costs and verdicts.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/layers/layer_stack.hpp"
#include "core/tables/operators/operator_parts.hpp"

namespace kino {

/// Numbers of layers that another source finds in its largest forward and backward stack.
struct OtherSource {
  LayerSource source = LayerSource::none;
  std::uint32_t layers = 0;
  std::uint32_t backward_layers = 0;  ///< layers of the backward stack; 0: no such stack
};

struct FoldedTrace {
  LayerFold fold;
  std::vector<OtherSource> others;         ///< sources that find another number of layers than the fold
  LayerSource wanted = LayerSource::none;  ///< the requested source; none: automatic
};

/// Folds the trace by the source `wanted`. If it is `LayerSource::none`, uses the first of modules,
/// annotations and names that finds layers, and fills `others`. In that case, there is no verdict if
/// annotations contain less than half of the time that names find in layers: annotations of FSDP contain
/// little more than communication. The cost is that of module_placers() and fold_by_names().
FoldedTrace fold_layers(const OperatorParts& parts, LayerSource wanted = LayerSource::none,
                        const std::stop_token& stop = {});

}  // namespace kino
