// Keeps a full disk from ending the program by way of the OpenGL driver's cache of compiled shaders.
#pragma once

#include <optional>
#include <string>

#include "core/base/messages/message.hpp"

namespace kino {

/// Mesa maps the index of its cache into memory as a file with holes, so a full disk or an exhausted quota
/// ends the program (SIGBUS) when an entry is written. Makes sure that there is room where the driver keeps
/// its cache; if there is none, switches the cache off through the environment, and returns a sentence about
/// it. Call before OpenGL is loaded and before there are other threads.
std::optional<Message> switch_off_shader_cache_without_room();

}  // namespace kino
