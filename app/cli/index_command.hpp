// `kinetoscope index`: the index and the digest of traces, written beside them, for whoever opens the job.
#pragma once

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Prints a line of JSON a trace, as it is done. 0 when all of them are indexed, now or before.
int run_index_command(const CommandLine& command);

}  // namespace kino
