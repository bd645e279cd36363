// Prevents a full disk from terminating the program through the OpenGL driver's shader cache.
#pragma once

#include <optional>
#include <string>

#include "core/base/messages/message.hpp"

namespace kino {

/// Mesa maps the index of its cache into memory as a sparse file. If the disk or quota is full, writing an
/// entry terminates the program (SIGBUS). Checks whether there is room in the driver's cache folder. If there
/// is not, disables the cache through the environment and returns a sentence about it. Call before OpenGL is
/// loaded and before other threads exist.
std::optional<Message> switch_off_shader_cache_without_room();

}  // namespace kino
