// What an allocation can be for, how sure that is, and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/messages/message.hpp"

namespace kino {

enum class MemoryCategory : std::uint8_t {
  parameters,        ///< and buffers of modules
  gradients,         ///< of single tensors
  gradient_buffers,  ///< flat ones, of Megatron-LM, DDP and others
  master_weights,    ///< the optimizer's copies in full precision
  optimizer_state,
  copies_of_parameters,
  unsharded_parameters,
  weight_casts,  ///< of autocast and of mixed precision
  activations,
  recomputed_activations,
  forward_temporaries,
  backward_temporaries,
  optimizer_temporaries,
  kept_from_forward,  ///< outputs without a backward
  kv_cache,
  workspaces,  ///< of cuBLAS
  communication_buffers,
  checkpoint_loading,
  autotuning,
  inputs,  ///< and what the script made for longer than the next pass
  script_temporaries,
  before_recording,
  unknown,
};
inline constexpr std::size_t kMemoryCategoryCount = static_cast<std::size_t>(MemoryCategory::unknown) + 1;
/// "Optimizer state".
msg::Id text_of(MemoryCategory category);

enum class Sureness : std::uint8_t {
  certain,  ///< a frame with one meaning
  likely,   ///< phase and lifetime, or exactly the sizes of something known
  guess,
  unknown,
};
inline constexpr std::size_t kSurenessCount = 4;
/// "likely".
msg::Id text_of(Sureness sure);

/// In whose code or pass something was done.
enum class MemoryPhase : std::uint8_t { script, forward, backward, optimizer, zero_grad };
inline constexpr std::size_t kMemoryPhaseCount = 5;
/// As searches have it: "zero_grad".
std::string_view text_of(MemoryPhase phase);

}  // namespace kino
