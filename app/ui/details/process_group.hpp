// The process group of a collective, from its arguments or those of its operator.
#pragma once

#include <string>

#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the "Process Group Description" of a communication kernel or, if there is none, its "Process Group
/// Name". Older versions of torch write these arguments only at the operator around the launch. Empty if the
/// group is unknown. Reads at most a few events.
std::string process_group_of(const Trace& trace, const EventDetails& details, SliceId slice);

}  // namespace kino
