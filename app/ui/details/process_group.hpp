// Which process group a collective belongs to, as its arguments or those of its operator say.
#pragma once

#include <string>

#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// "Process Group Description" or, without one, "Process Group Name" of a communication kernel; older
/// versions write it at the operator around the launch only. Empty when nothing says. Reads at most a few
/// events.
std::string process_group_of(const Trace& trace, const EventDetails& details, SliceId slice);

}  // namespace kino
