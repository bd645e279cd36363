// Collectives that run on CPU threads: Gloo's and MPI's, as torch.distributed annotates them.
#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether an annotation of this name spans a collective on a CPU thread ("gloo:all_reduce"). Those of NCCL
/// and its like span the call alone: their kernels carry the collective.
bool is_cpu_collective(std::string_view name);

/// Annotations and operators of such a name on CPU threads, the outermost of those that nest, in order of
/// their ids. O(names + slices if some name fits). Empty when stopped.
std::vector<SliceId> cpu_collectives(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
