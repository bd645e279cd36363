// One lane to draw: its content and position.
#pragma once

#include <cstdint>

namespace kino {

/// A lane. Its top and height are in framebuffer pixels, relative to the top of the area.
struct LaneDraw {
  enum class Kind : std::uint8_t { slices, instants, counter };
  Kind kind = Kind::slices;
  std::uint32_t index = 0;  ///< RowId for slices (ShownRows), TrackId for instants and counters
  float top_px = 0;
  float height_px = 0;
  bool pinned = false;  ///< whether the lane is in the top part, which scrolls separately
};

}  // namespace kino
