#pragma once

namespace kino {

/// A rectangle on screen, in whole ImGui units.
struct Box {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
  float width() const { return right - left; }
  float height() const { return bottom - top; }
  bool contains(float x, float y) const { return x >= left && x < right && y >= top && y < bottom; }
};

}  // namespace kino
