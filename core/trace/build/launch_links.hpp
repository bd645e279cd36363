// Links launches and GPU work: by their common correlation id, otherwise by an arrow.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/base/ids.hpp"
#include "core/trace/build/slice_writer.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Fills SliceColumns::link: the launch of GPU work, and the first work of a launch. Returns the GPU work of
/// launches with several pieces of work, with duplicates, for launch_index().
std::vector<SliceId> link_launches(std::span<const SliceFindings> findings, Trace& trace,
                                   const std::stop_token& stop);

/// Links GPU work for which link_launches() found no launch, by arrows of the file (msprof, unitrace). The
/// launch is the call on a CPU thread at the start of an arrow to the work. If there are several such calls,
/// the last one that does not start after the work is used; if all start later, the first one. The arrow is
/// removed from Trace::flows, since the link replaces it. `shared_work` is the result of link_launches(), to
/// which further work is appended. O(arrows log arrows).
void link_by_arrows(Trace& trace, std::vector<SliceId>& shared_work, const std::stop_token& stop);

}  // namespace kino
