#pragma once

#include <initializer_list>

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

/// Moves boxes below the window without changing their sizes, while another page covers them.
inline void move_out_of_sight(std::initializer_list<Box*> boxes) {
  constexpr float kOutOfSightPx = 1e6F;
  for (Box* const box : boxes) {
    box->top += kOutOfSightPx;
    box->bottom += kOutOfSightPx;
  }
}

}  // namespace kino
