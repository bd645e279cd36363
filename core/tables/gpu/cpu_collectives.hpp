// Collectives of Gloo and MPI on CPU threads, as annotated by torch.distributed.
#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether an annotation of this name spans a collective on a CPU thread ("gloo:all_reduce"). Annotations of
/// NCCL and similar libraries span the call only; their kernels carry the collective.
bool is_cpu_collective(std::string_view name);

/// Annotations and operators with such names on CPU threads, only the outermost of nested ones, sorted by id.
/// O(names), and O(slices) if a name matches.
std::vector<SliceId> cpu_collectives(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
