// Which tab of the drawer a timeline shows.
#pragma once

#include <cstdint>

namespace kino {

/// Of a timeline, in the order of the bar.
enum class DrawerTab : std::uint8_t { selection, range, compare, tables, flame, steps, hits, bookmarks };

}  // namespace kino
