#include "render/pixel_texture.hpp"

#include <cassert>

namespace kino {

void PixelTexture::set(int width, int height, std::span<const std::uint32_t> pixels) {
  assert(pixels.size() == static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  ++version_;
  if (texture_.id() == 0) texture_ = make_gl_texture();
  bind_for_upload(texture_);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  if (width == width_ && height == height_) {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  } else {
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    width_ = width;
    height_ = height;
  }
  glBindTexture(GL_TEXTURE_2D, 0);
}

}  // namespace kino
