// Memory categories of allocations, and the confidence of a category.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/messages/message.hpp"

namespace kino {

enum class MemoryCategory : std::uint8_t {
  parameters,        ///< also buffers of modules
  gradients,         ///< gradients of single tensors
  gradient_buffers,  ///< buffers of Megatron-LM, DDP and others
  master_weights,    ///< full-precision copies that the optimizer keeps
  optimizer_state,
  copies_of_parameters,
  unsharded_parameters,
  weight_casts,  ///< copies made by autocast and mixed precision
  activations,
  recomputed_activations,
  forward_temporaries,
  backward_temporaries,
  optimizer_temporaries,
  kept_from_forward,  ///< outputs of a forward that no backward follows
  kv_cache,
  workspaces,  ///< workspaces of cuBLAS
  communication_buffers,
  checkpoint_loading,
  autotuning,
  inputs,  ///< inputs, and tensors of the script that live beyond the next pass
  script_temporaries,
  before_recording,
  unknown,
};
inline constexpr std::size_t kMemoryCategoryCount = static_cast<std::size_t>(MemoryCategory::unknown) + 1;
/// Returns a name such as "Optimizer state".
msg::Id text_of(MemoryCategory category);

enum class Confidence : std::uint8_t {
  certain,  ///< by the file, a user's rule, a frame with one meaning, or a fate such as a free by zero_grad
  likely,   ///< by phase and lifetime, or by exactly the sizes of a known set
  guess,
  unknown,
};
inline constexpr std::size_t kConfidenceCount = 4;
/// Returns a name such as "likely".
msg::Id text_of(Confidence sure);

/// Pass or code in which an allocation or free happened.
enum class MemoryPhase : std::uint8_t { script, forward, backward, optimizer, zero_grad };
inline constexpr std::size_t kMemoryPhaseCount = 5;
/// Returns the name that searches use, such as "zero_grad".
std::string_view text_of(MemoryPhase phase);

}  // namespace kino
