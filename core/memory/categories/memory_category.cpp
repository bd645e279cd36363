#include "core/memory/categories/memory_category.hpp"

#include <array>

namespace kino {
namespace {

constexpr std::array<msg::Id, kMemoryCategoryCount> kCategories{
    msg::parameters,
    msg::gradients,
    msg::gradient_buffers,
    msg::master_weights,
    msg::optimizer_state,
    msg::copies_of_parameters,
    msg::unsharded_parameters,
    msg::weight_casts,
    msg::activations,
    msg::recomputed_activations,
    msg::forward_temporaries,
    msg::backward_temporaries,
    msg::optimizer_temporaries,
    msg::kept_from_forward,
    msg::kv_cache,
    msg::workspaces,
    msg::communication_buffers,
    msg::checkpoint_loading,
    msg::autotuning_and_compiling,
    msg::inputs_and_script_tensors,
    msg::script_temporaries,
    msg::before_the_recording_other,
    msg::unknown_other,
};
constexpr std::array<msg::Id, kConfidenceCount> kSureness{msg::certain, msg::likely, msg::guess,
                                                          msg::unknown};
constexpr std::array<std::string_view, kMemoryPhaseCount> kPhases{"script", "forward", "backward",
                                                                  "optimizer", "zero_grad"};

}  // namespace

msg::Id text_of(MemoryCategory category) { return kCategories[static_cast<std::size_t>(category)]; }
msg::Id text_of(Confidence sure) { return kSureness[static_cast<std::size_t>(sure)]; }
std::string_view text_of(MemoryPhase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

}  // namespace kino
