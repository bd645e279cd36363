// Launches find their GPU work by the correlation id that both have.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/base/ids.hpp"
#include "core/build/slice_writer.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Fills SliceColumns::link: of work its launch, of a launch its first work. What of the work shares a
/// launch, in pairs (another piece of it, the work), for launch_index(). Of no use when stopped.
std::vector<SliceId> link_launches(std::span<const SliceFindings> findings, Trace& trace,
                                   const std::stop_token& stop);

}  // namespace kino
