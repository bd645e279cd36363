// A picture of plain pixels on the GPU.
#pragma once

#include <cstdint>
#include <span>

#include "render/gl_objects.hpp"

namespace kino {

/// Used by the UI thread with its OpenGL context current, also when it is destroyed.
class PixelTexture {
 public:
  /// Sets the picture. `pixels` has width * height values 0xAABBGGRR, rows from top to bottom. Scaling does
  /// not interpolate.
  void set(int width, int height, std::span<const std::uint32_t> pixels);
  /// 0 before the first set().
  GLuint id() const { return texture_.id(); }
  /// Changes with each set().
  std::uint64_t version() const { return version_; }

 private:
  GlTexture texture_;
  int width_ = 0;
  int height_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace kino
