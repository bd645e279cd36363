// Draws the curves of many snapshots over each other on one scale. Colors mark outliers, snapshots with an
// out-of-memory error, and the median; other curves are gray.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <imgui.h>

#include "app/pages/snapshot_set/snapshot_set_state.hpp"
#include "render/pixel_texture.hpp"

namespace kino {

/// The range of a curve's values in a column of pixels, in bytes.
struct CurveColumn {
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  bool any = false;  ///< whether the column is within the recording
};
/// Returns the range of a curve in each of `width` columns, which start at `begin`. `places` contains the
/// position of each point of the curve; the last value extends to `end`. The ranges include every peak.
/// O(points + columns).
std::vector<CurveColumn> curve_columns(const SnapshotSums& sums, const std::vector<double>& places,
                                       double end, double begin, double units_per_px, std::size_t width);

/// Draws the curves and handles the mouse over them. Requires a current OpenGL context.
class SetCurves {
 public:
  /// Handles hovering, clicks, drags and the wheel. Call before draw().
  void handle(SetState& state);
  void draw(ImDrawList& list, const SetState& state);
  /// Returns the color of a member's curve and name.
  static std::uint32_t color_of(const SetState& state, std::uint32_t member);

 private:
  void paint(const SetState& state, std::size_t width, std::size_t height);
  void draw_line(ImDrawList& list, const SetState& state, std::uint32_t member, std::uint32_t color,
                 float thickness) const;
  void draw_rulers(ImDrawList& list, const SetState& state) const;
  void draw_card(const SetState& state) const;
  static std::optional<std::uint32_t> curve_at(const SetState& state, ImVec2 mouse);

  /// Parameters of the picture in texture_.
  struct Painted {
    std::shared_ptr<const SetResult> picture;
    SetAxis axis = SetAxis::events;
    double begin = 0;
    double units_per_px = 0;
    double low = 0;
    double high = 0;
    std::size_t width = 0;
    std::size_t height = 0;
    bool dark = false;
    bool operator==(const Painted&) const = default;
  };
  Painted painted_;
  PixelTexture texture_;
  bool dragging_ = false;
  float dragged_px_ = 0;
};

}  // namespace kino
