#include "app/pages/memory_plot/label_places.hpp"

#include <algorithm>

namespace kino {

bool LabelPlaces::is_free(const Box& box) const {
  if (box.left < area_.left || box.right > area_.right || box.top < area_.top || box.bottom > area_.bottom)
    return false;
  return std::ranges::none_of(taken_, [&](const Box& other) {
    return box.left < other.right && other.left < box.right && box.top < other.bottom &&
           other.top < box.bottom;
  });
}

std::optional<Box> LabelPlaces::place(std::span<const Box> places) {
  const auto found = std::ranges::find_if(places, [&](const Box& box) { return is_free(box); });
  if (found == places.end()) return std::nullopt;
  taken_.push_back(*found);
  return *found;
}

std::vector<Box> places_beside(float x0, float x1, float top, float width, float height, int rows) {
  std::vector<Box> places;
  for (int row = 0; row < rows; ++row) {
    const float y = top + static_cast<float>(row) * (height + 2);
    places.push_back({x1 + 1, y, x1 + 1 + width, y + height});
    places.push_back({x0 - 1 - width, y, x0 - 1, y + height});
  }
  return places;
}

std::vector<Box> places_along(float left, float right, float top, float width, float height, float step) {
  std::vector<Box> places;
  const int count = width <= right - left ? static_cast<int>((right - left - width) / step) + 1 : 0;
  for (int i = 0; i < count; ++i) {
    const float x = left + static_cast<float>(i) * step;
    places.push_back({x, top, x + width, top + height});
  }
  return places;
}

}  // namespace kino
