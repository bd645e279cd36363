// Result of folding: stacks of repeated layers, with the passes through them and the copies of each layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// Kind of evidence by which layers were found.
enum class LayerSource : std::uint8_t {
  none,
  modules,      ///< calls of nn.Module
  annotations,  ///< names with an index: "layers.5"
  names,        ///< sequences of kernel names that repeat
  alike,        ///< consecutive parts that are alike; a guess, only used if the user chooses it
};

enum class LayerPhase : std::uint8_t { forward, backward, recompute };
inline constexpr std::size_t kLayerPhases = 3;

/// Form of the names that were compared, from exact to coarse.
enum class NameRung : std::uint8_t {
  name,        ///< full names
  short_name,  ///< without template arguments and digits
  family,      ///< like short_name, but all attention kernels share one name, and all matrix products another
};

/// Costs of one copy of a layer in one phase.
struct LayerCost {
  std::int64_t work_ns = 0;           ///< summed durations of its kernels, without collectives
  std::int64_t communication_ns = 0;  ///< summed durations of the collectives launched within it
  std::int64_t idle_ns = 0;           ///< part of LayerCopy::span in which the device ran nothing
  std::uint64_t kernels = 0;
  double flop = 0;
  std::optional<std::int64_t> kept_bytes;  ///< allocated minus freed bytes in the call; nullopt: unknown
};

/// One execution of a layer in one phase. It is not a memory copy.
struct LayerCopy {
  std::uint32_t pass = 0;   ///< index into LayerStack::passes
  std::uint32_t layer = 0;  ///< index in the model; in a backward pass, the last copy is layer 0
  LayerPhase phase = LayerPhase::forward;
  bool odd = false;         ///< whether its kernels differ from the most common ones of the phase
  std::size_t first = 0;    ///< index of its first kernel in LayerFold::kernels
  std::uint32_t count = 0;  ///< number of its kernels
  TimeRange span;           ///< from the first start to the last end of its kernels
  SliceId call = kNoSlice;  ///< module call, if modules were recorded and the phase is forward
  LayerCost cost;
};

/// One pass of the model through a stack. Stacks found by names have separate forward and backward passes.
struct LayerPass {
  std::optional<std::int64_t> step;  ///< number of the step that launched its first kernel
  std::uint32_t microbatch = 0;      ///< index among the passes of the stack in this step
};

/// All copies of the layers of one kind.
struct LayerStack {
  std::string module_class;                 ///< "Qwen2DecoderLayer"; empty without modules
  std::string container;                    ///< "Qwen2Model_0"; for annotations, the base: "layers"
  std::vector<std::string> container_path;  ///< classes around the layers, outermost first
  std::vector<std::string> layer_names;     ///< by layer; empty if layers are found by kernel names
  bool backward = false;
  bool minor = false;        ///< whether it takes less than a tenth of the time of its stream
  bool alike = false;        ///< whether its copies are alike parts, which are not necessarily layers
  std::uint32_t layers = 0;  ///< number of layers; by names, the most common number of copies per pass
  std::uint32_t layers_per_copy = 1;
  std::optional<std::uint32_t> forward_stack;  ///< for a backward stack: index of its forward stack
  std::uint32_t body_kernels = 0;
  std::uint32_t body_attention = 0;  ///< attention kernels among `body_kernels`
  std::int64_t slack = 0;            ///< number of kernels by which the borders of layers may be off
  std::vector<LayerPass> passes;
  std::vector<LayerCopy> copies;  ///< by pass, then layer, then phase; not sorted for annotations
  std::int64_t work_ns = 0;
  // The verdict, see judge_stack().
  std::vector<std::optional<std::int64_t>> effects;  ///< by layer; 1000: as the median layer of the pass
  std::vector<std::uint32_t> slow_layers;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> slow_cells;  ///< layer and pass
  std::vector<std::uint32_t> slow_passes;

  std::uint64_t odd_copies() const {
    std::uint64_t odd = 0;
    for (const LayerCopy& copy : copies) odd += copy.odd ? 1 : 0;
    return odd;
  }
};

/// A repetition that contains stacks, such as steps or microbatches.
struct LayerRound {
  std::uint32_t copies = 0;
  std::uint32_t kernels = 0;
};

struct LayerFold {
  LayerSource source = LayerSource::none;
  NameRung rung = NameRung::name;
  bool operators = false;          ///< whether `kernels` contains outermost operators, because there is no
                                   ///< GPU work
  std::vector<SliceId> kernels;    ///< kernels of all copies, see LayerCopy::first
  std::vector<LayerStack> stacks;  ///< by descending time; for annotations, by base
  std::vector<LayerRound> rounds;
  std::int64_t total_ns = 0;   ///< summed durations of the work that could be in layers
  std::int64_t placed_ns = 0;  ///< part of total_ns that is in layers
};

}  // namespace kino
