// What the frames of each stack of a snapshot say: whose pass it was, which module called, and marks.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/memory/categories/category_packs.hpp"
#include "core/memory/categories/memory_category.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// Of one stack. 16 bytes.
struct StackFacts {
  MemoryPhase phase = MemoryPhase::script;
  std::uint8_t pack_rule = kNoPackRule;
  bool recorded = false;         ///< has a frame
  bool python = false;           ///< has a frame of Python
  bool cpp = false;              ///< has a frame of C++
  bool engine = false;           ///< runs below the autograd engine
  bool below_forward = false;    ///< a forward called it, in whatever pass
  bool recomputed = false;       ///< a forward that checkpointing runs again in the backward
  bool cached_cast = false;      ///< autocast's copy of a weight or an input
  bool accumulate_grad = false;  ///< autograd's leaf that keeps a gradient
  bool make_grads = false;       ///< the first gradient of a backward
  bool workspace = false;        ///< of cuBLAS
  bool under_init = false;       ///< an __init__ called it
  bool empty_cache = false;      ///< torch.cuda.empty_cache
  std::uint16_t depth = 0;       ///< modules that call each other
};

/// By StackId. The phases of frames are told innermost first. O(distinct frames * rules + stored frames).
/// Shorter than the stacks when stopped.
std::vector<StackFacts> stack_facts(const Snapshot& snapshot, const std::stop_token& stop = {});

/// A Python file's path with slashes.
std::string with_slashes(std::string_view path);

/// The frames of PyTorch's modules: `_call_impl` of nn/modules/module.py, and every `forward`.
struct ModuleFrames {
  std::vector<std::uint8_t> call;     ///< by FrameId: 1 where it is `_call_impl` of a module
  std::vector<std::uint8_t> forward;  ///< by FrameId: 1 where it is `forward` of a Python file
};
ModuleFrames module_frames(const Snapshot& snapshot);

}  // namespace kino
