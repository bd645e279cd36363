// A picture of plain pixels on the GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "render/gpu.hpp"

namespace kino {

/// Holds one picture as a texture. Used by the UI thread, always with the same current device.
class PixelTexture {
 public:
  /// Sets the picture. `pixels` has width * height values 0xAABBGGRR, rows from top to bottom. Scaling does
  /// not interpolate.
  void set(int width, int height, std::span<const std::uint32_t> pixels);
  /// Returns the texture; 0 before the first set().
  std::uint32_t id() const { return texture_ ? texture_->id() : 0; }
  /// Returns a number that changes with each set().
  std::uint64_t version() const { return version_; }

 private:
  std::optional<GpuTexture> texture_;
  std::uint64_t version_ = 0;
};

}  // namespace kino
