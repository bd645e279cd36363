// A picture made of pixels that is on the GPU, for whoever draws it as it is.
#pragma once

#include <cstdint>
#include <span>

#include "render/gl_objects.hpp"

namespace kino {

/// Used by the UI thread with its OpenGL context current, also when it is destroyed.
class PixelTexture {
 public:
  /// Rows from the top, 0xAABBGGRR; `pixels` has width * height of them. Not smoothed when it is stretched.
  void set(int width, int height, std::span<const std::uint32_t> pixels);
  /// 0 before the first set().
  GLuint id() const { return texture_.id(); }
  /// Another number after each set().
  std::uint64_t version() const { return version_; }

 private:
  GlTexture texture_;
  int width_ = 0;
  int height_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace kino
