// The shader programs in GLSL ES 3.00, for WebGL 2.
#pragma once

#include "render/shader_sources.hpp"

namespace kino {

/// Width of the texture that replaces a buffer texture: texel n of a page is in row n / kPageWidth.
inline constexpr std::uint32_t kPageWidth = 256;

/// Returns shader_source() for WebGL 2, which has no buffer textures: a page is a texture of kPageWidth columns.
ShaderSource es_shader_source(ShaderProgram program);

}  // namespace kino
