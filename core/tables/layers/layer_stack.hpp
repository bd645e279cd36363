// Result of folding: stacks of repeated layers, with the passes through them and the copies of each layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// The evidence that layers are identified by.
enum class LayerSource : std::uint8_t {
  none,
  modules,      ///< calls of nn.Module
  annotations,  ///< names with an index: "layers.5"
  names,        ///< sequences of kernel names that repeat
  alike,        ///< consecutive parts that resemble each other; a guess
};

enum class LayerPhase : std::uint8_t { forward, backward, recompute };
inline constexpr std::size_t kLayerPhases = 3;

/// The names that were compared, from exact to coarse.
enum class NameRung : std::uint8_t {
  name,        ///< full names
  short_name,  ///< without template arguments and digits
  family,      ///< attention and matrix products are one name each
};

/// Costs of one copy of a layer in one phase.
struct LayerCost {
  std::int64_t work_ns = 0;           ///< summed durations of its kernels
  std::int64_t communication_ns = 0;  ///< summed durations of the collectives launched within it
  std::int64_t idle_ns = 0;           ///< part of its span in which the device did nothing
  std::uint64_t kernels = 0;
  double flop = 0;
  std::optional<std::int64_t> kept_bytes;  ///< allocated and not freed within its calls
};

/// One execution of a layer in one phase.
struct LayerCopy {
  std::uint32_t pass = 0;   ///< index into LayerStack::passes
  std::uint32_t layer = 0;  ///< index in the model; the last copy of a backward pass is layer 0
  LayerPhase phase = LayerPhase::forward;
  bool odd = false;         ///< its kernels differ from those of most copies
  std::size_t first = 0;    ///< index of its first kernel in LayerFold::kernels
  std::uint32_t count = 0;  ///< number of its kernels
  TimeRange span;           ///< first start to last end
  SliceId call = kNoSlice;  ///< call of the module in the forward pass
  LayerCost cost;
};

/// One forward or backward pass of the model through a stack.
struct LayerPass {
  std::optional<std::int64_t> step;  ///< number of the step that launched it
  std::uint32_t microbatch = 0;      ///< index among the passes of the stack in this step
};

/// All copies of one layer body.
struct LayerStack {
  std::string module_class;                 ///< "Qwen2DecoderLayer"; empty without modules
  std::string container;                    ///< "Qwen2Model_0"; base of the index for annotations: "layers"
  std::vector<std::string> container_path;  ///< classes of the modules around it, outermost first
  std::vector<std::string> layer_names;     ///< by layer; empty if layers are found by kernel names
  bool backward = false;
  bool minor = false;        ///< less than a tenth of the time of its stream
  std::uint32_t layers = 0;  ///< most common number of copies per pass
  std::uint32_t layers_per_copy = 1;
  std::optional<std::uint32_t> forward_stack;  ///< index of the stack that a backward stack belongs to
  std::uint32_t body_kernels = 0;
  std::uint32_t body_attention = 0;  ///< attention kernels among them
  std::int64_t slack = 0;            ///< kernels by which the borders of layers may be off
  std::vector<LayerPass> passes;
  std::vector<LayerCopy> copies;  ///< by pass, then layer, then phase
  std::int64_t work_ns = 0;
  // The verdict, see judge_stack().
  std::vector<std::optional<std::int64_t>> effects;  ///< by layer, per mille of the median layer of its pass
  std::vector<std::uint32_t> slow_layers;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> slow_cells;  ///< layer and pass
  std::vector<std::uint32_t> slow_passes;

  std::uint64_t odd_copies() const {
    std::uint64_t odd = 0;
    for (const LayerCopy& copy : copies) odd += copy.odd ? 1 : 0;
    return odd;
  }
};

/// A repetition that consists of stacks: a step or a microbatch.
struct LayerRound {
  std::uint32_t copies = 0;
  std::uint32_t kernels = 0;
};

struct LayerFold {
  LayerSource source = LayerSource::none;
  NameRung rung = NameRung::name;
  bool operators = false;          ///< without GPU work, operators take the place of kernels
  std::vector<SliceId> kernels;    ///< of all copies
  std::vector<LayerStack> stacks;  ///< the most time first
  std::vector<LayerRound> rounds;
  std::int64_t total_ns = 0;   ///< summed durations of the work that could be in layers
  std::int64_t placed_ns = 0;  ///< the part of it that is in layers
};

}  // namespace kino
