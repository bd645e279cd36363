// Finds layers by annotations that have an index in their name: "layers.5", "blocks.5", "h.5".
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/tables/layers/layer_stack.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The layer that a name contains.
struct IndexedName {
  std::string_view base;    ///< "layers"
  std::uint32_t index = 0;  ///< 5
};

/// Recognises layers, layer, blocks, block and h with an index after "." or "_", not inside a longer word.
/// O(length).
std::optional<IndexedName> indexed_name(std::string_view name);

/// One stack per base with at least 3 different indices. Work belongs to the innermost annotation with an
/// index around its launch, or around the launch of its forward operator's call. A stack may have no work:
/// many annotations, as those of FSDP, contain only communication. O(slices).
LayerFold fold_by_annotations(const Trace& trace, const GpuWork& work, const Steps& steps,
                              const std::stop_token& stop = {});

}  // namespace kino
