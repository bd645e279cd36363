// Collectives of Gloo and MPI on CPU threads, as annotated by torch.distributed.
#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether an annotation of this name spans a collective on a CPU thread ("gloo:all_reduce"). Annotations of
/// NCCL and similar libraries span only the call; their collectives are kernels.
bool is_cpu_collective(std::string_view name);

/// Returns the annotations and operators for whose names is_cpu_collective() is true, sorted by id. Omits
/// those whose parent also has such a name. O(names), and O(slices) if a name matches.
std::vector<SliceId> cpu_collectives(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
