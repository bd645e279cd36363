// Folds the repeated layers of a trace: chooses the source, finds the stacks, adds costs and verdicts.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/layers/layer_stack.hpp"
#include "core/tables/operators/operator_parts.hpp"

namespace kino {

/// The number of layers that another source finds in its largest stack.
struct OtherSource {
  LayerSource source = LayerSource::none;
  std::uint32_t layers = 0;
  std::uint32_t backward_layers = 0;  ///< copies in a backward pass; 0: none
};

struct FoldedTrace {
  LayerFold fold;
  std::vector<OtherSource> others;  ///< sources that disagree with the fold
};

/// Folds by one source, or by the first that finds layers: modules, annotations, names. `LayerSource::none`
/// selects the latter. Verdicts are omitted if annotations contain less than half of the time that names find
/// in layers: those of FSDP contain little more than communication. The cost is that of module_placers() and
/// fold_by_names().
FoldedTrace fold_layers(const OperatorParts& parts, LayerSource wanted = LayerSource::none,
                        const std::stop_token& stop = {});

}  // namespace kino
