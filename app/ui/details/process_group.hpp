// The process group of a collective, from its arguments or those of its operator.
#pragma once

#include <string>

#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// "Process Group Description" or, without one, "Process Group Name" of a communication kernel. Older
/// versions write it only at the operator around the launch. Empty if it is unknown. Reads at most a few
/// events.
std::string process_group_of(const Trace& trace, const EventDetails& details, SliceId slice);

}  // namespace kino
