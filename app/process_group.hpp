// Which process group a collective belongs to, as its arguments or those of its operator say.
#pragma once

#include <string>

#include "core/trace.hpp"
#include "loaders/text_source.hpp"

namespace kino {

/// "Process Group Description" or, without one, "Process Group Name" of a communication kernel; older
/// versions write it at the operator around the launch only. Empty when nothing says. Reads the text of at
/// most a few events.
std::string process_group_of(const Trace& trace, const TextSource& text, SliceId slice);

}  // namespace kino
