// Layers of two runs, compared layer by layer.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/layers/layer_stack.hpp"
#include "core/tables/operators/operator_parts.hpp"

namespace kino {

struct RunRecord;
struct RunWindow;

/// Times of one layer, each the median over the passes.
struct RunLayer {
  std::uint32_t layer = 0;
  std::array<std::int64_t, kLayerPhases> work_ns{};  ///< by LayerPhase, without collectives
  std::int64_t communication_ns = 0;
  /// Sum of work_ns.
  std::int64_t total_ns() const;
};

struct RunStack {
  LayerStack stack;            ///< without passes and copies
  std::vector<RunLayer> rows;  ///< by ascending layer
};

/// The layers of a run.
struct RunLayers {
  LayerSource source = LayerSource::none;
  bool operators = false;        ///< whether times are those of operators, because there is no GPU work
  std::vector<RunStack> stacks;  ///< in order of their first kernels
};

/// Folds the trace of a run, and returns the layers in the passes of the windows of `run`. Passes belong to
/// the step that launched their first kernel. A backward stack is part of its forward stack if each copy is
/// one layer. The cost is that of fold_layers().
RunLayers run_layers(const OperatorParts& parts, const RunRecord& run, const std::stop_token& stop = {});

/// Returns the layers of the first run, with each time replaced by its median over all runs that have the
/// layer. `runs` must not be empty. O(layers of all runs).
RunLayers median_layers(std::span<const RunLayers> runs);

/// A layer that both runs have.
struct LayerChange {
  std::uint32_t stack = 0;  ///< index into LayerChanges::stacks
  RunLayer a;
  RunLayer b;
  std::int64_t change_ns() const;
  bool stands_out = false;  ///< whether the layer became slower relative to the other layers of its stack
};

struct LayerChanges {
  std::vector<LayerStack> stacks;  ///< stacks that both runs have, as in A
  std::vector<LayerChange> rows;   ///< by stack, then layer
  std::vector<Message> notes;      ///< slow layers, and stacks that are not compared
};

/// Compares the layers of stacks that both runs have. The k-th stack of A belongs to the k-th stack of B with
/// the same class or annotation, number of layers, and phase. If a run has no layers, or the runs have
/// different sources of layers, there are no rows, and a note gives the reason. The change of a layer is its
/// time in B, in per mille of its time in A. A layer is marked if its change exceeds the median of its stack
/// by more than max(50, 6 MAD), as in judge_stack(). O(layers log layers).
LayerChanges compare_layers(const RunLayers& a, const RunLayers& b);

}  // namespace kino
