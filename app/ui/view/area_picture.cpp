#include "app/ui/view/area_picture.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "app/system/png_text.hpp"
#include "app/ui/widgets/picture_key.hpp"
#include "render/frame_pixels.hpp"
#include "render/gpu.hpp"

namespace kino {

void AreaPicture::read(const ImDrawList* /*list*/, const ImDrawCmd* command) {
  AreaPicture& picture = *static_cast<AreaPicture*>(command->UserCallbackData);
  picture.wanted_ = false;
  if (picture.width_ <= 0 || picture.height_ <= 0) return;
  // If the window is shown in a browser, only the browser has the pixels.
  if (!current_gpu().can_read_pixels()) {
    picture.export_.download_picture({picture.left_, picture.bottom_, picture.width_, picture.height_},
                                     picture.middle_);
    return current_gpu().mark_pixels();
  }
  std::vector<std::uint8_t> pixels =
      read_pixels(picture.left_, picture.bottom_, picture.width_, picture.height_);
  picture.export_.save([pixels = std::move(pixels), width = picture.width_, height = picture.height_](
                           const std::stop_token&) { return png_of(pixels, width, height); },
                       picture.middle_, ".png");
}

void AreaPicture::draw(ImDrawList& list, const Box& area, float framebuffer_scale) {
  if (!wanted_) return;  // added to each frame until one is rendered, since a slow connection skips frames
  const double fine = framebuffer_scale;
  const auto whole = [fine](float value) { return static_cast<int>(std::lround(value * fine)); };
  const ImVec2 origin = ImGui::GetMainViewport()->Pos;
  left_ = whole(area.left - origin.x);
  width_ = whole(area.right - origin.x) - left_;
  bottom_ = whole(ImGui::GetIO().DisplaySize.y) - whole(area.bottom - origin.y);
  height_ = whole(area.bottom - origin.y) - whole(area.top - origin.y);
  add_drawing(list, &AreaPicture::read, this, ++asked_);
}

}  // namespace kino
