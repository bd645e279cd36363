// By what a frame is known to look like another, without its pixels: what Dear ImGui draws, and what others
// draw into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <imgui.h>

namespace kino {

class PixelTexture;
class TimelineRenderer;
struct LaneDraw;
struct PixelArea;
struct TimeView;

/// Differs, but for a chance of 2^-64, when what was added does. Not for files: other versions may make other
/// keys.
class PictureKey {
 public:
  void add(std::span<const std::byte> bytes);
  /// One value after the other, without what lies between the members of a class.
  template <class... Values>
  requires((std::is_arithmetic_v<Values> || std::is_pointer_v<Values>)&&...) void add(Values... values) {
    (add(std::as_bytes(std::span<const Values, 1>(&values, 1))), ...);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

/// Has `render` draw over what the list has until now, and resets the backend's state behind it. `key`
/// differs when `who` would draw otherwise, but for what workers bring, who wake the window.
void add_drawing(ImDrawList& list, ImDrawCallback render, void* who, std::uint64_t key);
/// What `renderer` draws with these arguments, for add_drawing(). O(lanes).
std::uint64_t picture_key(const TimelineRenderer& renderer, const TimeView& view,
                          std::span<const LaneDraw> lanes, const PixelArea& area);
/// A texture that fills the box from `left_top` to `right_bottom`.
void add_image(ImDrawList& list, const PixelTexture& texture, ImVec2 left_top, ImVec2 right_bottom);

/// That of what a list draws, or the whole of a frame that has ended (ImGui::Render()). O(vertices).
std::uint64_t picture_key(const ImDrawList& list);
std::uint64_t picture_key(const ImDrawData& frame);

}  // namespace kino
