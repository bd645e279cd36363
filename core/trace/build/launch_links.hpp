// Links launches and GPU work: by their common correlation id, otherwise by an arrow.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/base/ids.hpp"
#include "core/trace/build/slice_writer.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Fills SliceColumns::link: the launch of GPU work, and the first work of a launch. For launches with
/// several pieces of work, returns pairs (another piece, the piece), for launch_index().
std::vector<SliceId> link_launches(std::span<const SliceFindings> findings, Trace& trace,
                                   const std::stop_token& stop);

/// Links GPU work without a correlation to its launch by arrows of the file (msprof, unitrace). The launch is
/// the call on a CPU thread at the start of an arrow to the work. If there are several, it is the last one
/// that starts before the work. Such arrows are removed from Trace::flows, since the link replaces them.
/// `shared_work` is the result of link_launches(); new pairs are appended. O(arrows).
void link_by_arrows(Trace& trace, std::vector<SliceId>& shared_work, const std::stop_token& stop);

}  // namespace kino
