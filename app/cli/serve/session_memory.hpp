// The end of a session whose memory runs out.
#pragma once

#include "app/cli/serve/session_channel.hpp"

namespace kino {

/// From now on, the session ends with a message for the page if memory runs out where nothing handles it, on
/// any thread. Dear ImGui then throws std::bad_alloc. `channel` must exist until the process ends. Call once,
/// before Dear ImGui is used.
void report_out_of_memory(SessionChannel& channel);

/// Sends the page the memory limit, and ends the process at once, since the window is in an unspecified state.
[[noreturn]] void end_out_of_memory();

}  // namespace kino
