// One lane to draw: its content and position.
#pragma once

#include <cstdint>

namespace kino {

/// Positions are framebuffer pixels from the top of the area.
struct LaneDraw {
  enum class Kind : std::uint8_t { slices, instants, counter };
  Kind kind = Kind::slices;
  std::uint32_t index = 0;  ///< RowId for slices (ShownRows), TrackId for instants and counters
  float top_px = 0;
  float height_px = 0;
  bool pinned = false;  ///< part of the top area that does not scroll
};

}  // namespace kino
