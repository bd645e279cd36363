// Places the labels of a plot so that none covers another.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/ui/widgets/box.hpp"

namespace kino {

/// Places labels one by one. Earlier labels take precedence, so place the most important ones first.
class LabelPlaces {
 public:
  explicit LabelPlaces(Box area) : area_(area) {}

  /// Reserves an area in which place() puts no label.
  void keep_free(const Box& box) { taken_.push_back(box); }
  /// Reserves and returns the first place that is within the area and does not overlap a reserved place;
  /// nullopt if there is none. O(places * reserved).
  std::optional<Box> place(std::span<const Box> places);
  bool is_free(const Box& box) const;

 private:
  Box area_;
  std::vector<Box> taken_;
};

/// Returns places to the right of x1 and to the left of x0, at `top` and in `rows` - 1 rows below.
std::vector<Box> places_beside(float x0, float x1, float top, float width, float height, int rows);
/// Returns places from `left` to `right`, `step` apart.
std::vector<Box> places_along(float left, float right, float top, float width, float height, float step);

}  // namespace kino
