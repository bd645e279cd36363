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

/// Base and index that a name contains, such as "layers" and 5 of "model.layers.5".
struct IndexedName {
  std::string_view base;    ///< "layers"
  std::uint32_t index = 0;  ///< 5
};

/// Returns the layer in a name: one of the words layers, layer, blocks, block and h, followed by "." or "_"
/// and an index up to 9999. The word must not be part of a longer word. nullopt if there is none. O(length).
std::optional<IndexedName> indexed_name(std::string_view name);

/// Returns one stack per base with at least 3 different indices. Work belongs to the innermost annotation or
/// operator around its launch whose name contains an index. The phase is backward if this name contains
/// "backward" or "bwd". Some annotations, such as those of FSDP, contain only communication, so a stack may
/// contain no compute kernels. O(slices).
LayerFold fold_by_annotations(const Trace& trace, const GpuWork& work, const Steps& steps,
                              const std::stop_token& stop = {});

}  // namespace kino
