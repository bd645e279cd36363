// Places for the labels of a plot so that none covers another.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/ui/widgets/box.hpp"

namespace kino {

/// Whoever asks first has the choice, so what matters most asks first.
class LabelPlaces {
 public:
  explicit LabelPlaces(Box area) : area_(area) {}

  /// No label will lie here, at least as far as `place()` decides.
  void keep_free(const Box& box) { taken_.push_back(box); }
  /// The first of the places that lies within the area and over nothing taken, which is taken from now on;
  /// nullopt when there is none. O(places * taken).
  std::optional<Box> place(std::span<const Box> places);
  bool is_free(const Box& box) const;

 private:
  Box area_;
  std::vector<Box> taken_;
};

/// Beside what lies from x0 to x1: right of it, then left of it, at `top` and then in each row below, up to
/// `rows` of them.
std::vector<Box> places_beside(float x0, float x1, float top, float width, float height, int rows);
/// From `left` on, each a `step` further to the right, up to `right`.
std::vector<Box> places_along(float left, float right, float top, float width, float height, float step);

}  // namespace kino
