// Facts from the frames of each stack of a snapshot: phase, module depth, and flags.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/memory/categories/category_packs.hpp"
#include "core/memory/categories/memory_category.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// Facts of one stack. 16 bytes.
struct StackFacts {
  MemoryPhase phase = MemoryPhase::script;
  std::uint8_t pack_rule = kNoPackRule;
  bool recorded = false;         ///< has a frame
  bool python = false;           ///< has a Python frame
  bool cpp = false;              ///< has a C++ frame
  bool engine = false;           ///< runs in the autograd engine
  bool below_forward = false;    ///< called by a forward, in any pass
  bool recomputed = false;       ///< a forward that checkpointing executes again in the backward
  bool cached_cast = false;      ///< autocast's copy of a weight or an input
  bool accumulate_grad = false;  ///< autograd's leaf that stores a gradient (AccumulateGrad)
  bool make_grads = false;       ///< creates the first gradient of a backward
  bool workspace = false;        ///< a workspace of cuBLAS
  bool under_init = false;       ///< called by an __init__
  bool empty_cache = false;      ///< calls torch.cuda.empty_cache
  std::uint16_t depth = 0;       ///< number of nested module calls
};

/// Returns the facts of each stack, by StackId. The innermost frame that implies a phase decides the phase,
/// but a forward within a backward belongs to the backward. Other stacks of the autograd engine are also
/// backward. O(distinct frames * rules + stored frames).
std::vector<StackFacts> stack_facts(const Snapshot& snapshot, const std::stop_token& stop = {});

/// Returns the path of a Python file with slashes instead of backslashes.
std::string with_slashes(std::string_view path);

/// The frames of PyTorch's modules: `_call_impl` of nn/modules/module.py, and every `forward`.
struct ModuleFrames {
  std::vector<std::uint8_t> call;     ///< 1 for `_call_impl` of a module, by FrameId
  std::vector<std::uint8_t> forward;  ///< 1 for `forward` in a Python file, by FrameId
};
ModuleFrames module_frames(const Snapshot& snapshot);

}  // namespace kino
