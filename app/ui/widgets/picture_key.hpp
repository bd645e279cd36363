// Detects unchanged frames by hashing Dear ImGui's draw data and keys of other drawings, without reading
// pixels.
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

/// A 64-bit hash of the added data. Do not store it in files: other versions may compute other hashes.
class PictureKey {
 public:
  void add(std::span<const std::byte> bytes);
  /// Adds the values one by one, since padding between members is indeterminate.
  template <class... Values>
  requires((std::is_arithmetic_v<Values> || std::is_pointer_v<Values>)&&...) void add(Values... values) {
    (add(std::as_bytes(std::span<const Values, 1>(&values, 1))), ...);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

/// Adds commands to the list that call `render`, with `who` as user data, and then reset the backend's state.
/// `key` must change whenever the drawing of `who` changes, except for results of workers, which wake the
/// window.
void add_drawing(ImDrawList& list, ImDrawCallback render, void* who, std::uint64_t key);
/// Returns the key to pass to add_drawing() if `renderer` draws these lanes. O(lanes).
std::uint64_t picture_key(const TimelineRenderer& renderer, const TimeView& view,
                          std::span<const LaneDraw> lanes, const PixelArea& area);
/// Draws a texture from `left_top` to `right_bottom`.
void add_image(ImDrawList& list, const PixelTexture& texture, ImVec2 left_top, ImVec2 right_bottom);

/// Returns the hash of a draw list, or of a whole frame that has ended (ImGui::Render()). O(vertices).
std::uint64_t picture_key(const ImDrawList& list);
std::uint64_t picture_key(const ImDrawData& frame);

}  // namespace kino
