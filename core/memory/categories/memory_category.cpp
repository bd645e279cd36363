#include "core/memory/categories/memory_category.hpp"

#include <array>

namespace kino {
namespace {

constexpr std::array<std::string_view, kMemoryCategoryCount> kCategories{
    "Parameters",
    "Gradients",
    "Gradient buffers",
    "Master weights",
    "Optimizer state",
    "Copies of parameters",
    "Unsharded parameters",
    "Weight casts",
    "Activations",
    "Recomputed activations",
    "Forward temporaries",
    "Backward temporaries",
    "Optimizer temporaries",
    "Kept from forward",
    "KV cache",
    "Workspaces",
    "Communication buffers",
    "Checkpoint loading",
    "Autotuning and compiling",
    "Inputs and script tensors",
    "Script temporaries",
    "Before the recording",
    "Unknown",
};
constexpr std::array<std::string_view, kSurenessCount> kSureness{"certain", "likely", "guess", "unknown"};
constexpr std::array<std::string_view, kMemoryPhaseCount> kPhases{"script", "forward", "backward",
                                                                  "optimizer", "zero_grad"};

}  // namespace

std::string_view text_of(MemoryCategory category) { return kCategories[static_cast<std::size_t>(category)]; }
std::string_view text_of(Sureness sure) { return kSureness[static_cast<std::size_t>(sure)]; }
std::string_view text_of(MemoryPhase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

}  // namespace kino
