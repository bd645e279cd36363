#include "render/pixel_texture.hpp"

#include <cassert>

namespace kino {

void PixelTexture::set(int width, int height, std::span<const std::uint32_t> pixels) {
  assert(pixels.size() == static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  ++version_;
  if (!texture_) texture_.emplace();
  current_gpu().set_texture(texture_->id(), TexelFormat::rgba8, width, height, std::as_bytes(pixels));
}

}  // namespace kino
