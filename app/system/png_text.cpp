#include "app/system/png_text.hpp"

#include <stb_image_write.h>

#include "core/base/messages/message.hpp"

namespace kino {
namespace {

void append_png(void* context, void* data, int size) {
  static_cast<std::string*>(context)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

}  // namespace

Result<std::string> png_of(const std::vector<std::uint8_t>& pixels, int width, int height) {
  std::string png;
  if (stbi_write_png_to_func(append_png, &png, width, height, 4, pixels.data(), width * 4) == 0)
    return Error{Error::Kind::out_of_memory, msg::not_enough_memory_for_the_picture};
  return png;
}

}  // namespace kino
