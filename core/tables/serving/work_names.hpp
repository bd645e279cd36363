// Rules for the names of GPU work and calls in recordings of inference servers. All ignore the case of ASCII
// letters, and take O(length of the name).
#pragma once

#include <string_view>

#include "core/tables/serving/iteration_parts.hpp"

namespace kino {

/// Returns the part of a kernel that computes. The first rule that matches applies.
IterationPart compute_part(std::string_view kernel);
/// Returns the part of a communication kernel. `collective`: name of the collective in its metadata, which may
/// be empty.
IterationPart communication_part(std::string_view kernel, std::string_view collective);

/// Whether the kernel selects or draws tokens, so that a result for the host follows. Also matches random
/// number generators. Routing of experts and dropout do not count.
bool selects_tokens(std::string_view kernel);
/// Whether the copy, by its name or its recorded direction (may be empty), goes from the device to the host.
bool copies_to_host(std::string_view copy, std::string_view direction);
/// Whether the name is of an attention kernel that is used for generation, or for prefill.
bool attends_in_decode(std::string_view kernel);
bool attends_in_prefill(std::string_view kernel);

/// Whether a kernel, a CPU slice or an annotation of this name is a sign of training.
bool is_training_kernel(std::string_view kernel);
bool is_training_slice(std::string_view slice);
bool is_training_annotation(std::string_view annotation);

/// Whether a call of this name begins a capture, instantiates a graph, or loads a module of code.
bool prepares_code(std::string_view call);

}  // namespace kino
