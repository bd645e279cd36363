// Starts the process of a session: this program again, connected to the server by a pair of sockets.
#pragma once

#include "core/base/platform/descriptor.hpp"
#include "core/base/result.hpp"

namespace kino {

struct SessionProcess {
  int id = -1;
  Descriptor socket;  ///< the server's end of the pair
};

/// Starts this program with its own arguments and with the socket of the session. The process has no display,
/// desktop or editor, so that it does not start other programs.
Result<SessionProcess> start_session_process();

/// Returns the socket of the session if this process is one; otherwise, its descriptor is -1. Call once.
Descriptor take_session_socket();

}  // namespace kino
