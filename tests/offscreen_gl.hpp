// An OpenGL 3.3 context without any display, with a small framebuffer bound, for tests that read pixels.
#pragma once

#include <string>

namespace kino {

inline constexpr int kOffscreenWidth = 640;
inline constexpr int kOffscreenHeight = 96;

/// Makes the context current in this thread at the first call, for the whole program. Returns why that
/// failed, or an empty text.
const std::string& offscreen_gl_failure();

}  // namespace kino
