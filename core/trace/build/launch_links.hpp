// Launches find their GPU work: by the correlation id that both have, else by an arrow.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/base/ids.hpp"
#include "core/trace/build/slice_writer.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Fills SliceColumns::link: of work its launch, of a launch its first work. What of the work shares a
/// launch, in pairs (another piece of it, the work), for launch_index(). Of no use when stopped.
std::vector<SliceId> link_launches(std::span<const SliceFindings> findings, Trace& trace,
                                   const std::stop_token& stop);

/// Links GPU work that no correlation joins with its launch, but arrows of the file (msprof, unitrace): the
/// launch is the call on a CPU thread from which an arrow leads to the work; of several calls, the last one
/// that begins before the work. Such arrows leave Trace::flows, since the link says the same. `shared_work`
/// is what link_launches() returned; the work found here is added to it. O(arrows).
void link_by_arrows(Trace& trace, std::vector<SliceId>& shared_work, const std::stop_token& stop);

}  // namespace kino
