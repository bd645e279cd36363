// Titles of tracks in the language of the window.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/view/timeline_state.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// Returns the title that the user has given to a track, else track_title().
std::string shown_title(const TimelineState& state, std::uint32_t track);

/// Returns the name of a track; the names of derived counters are in the language of the window.
std::string track_title(const ShownRows& rows, std::uint32_t track);

/// Returns the unit of a counter's values; Unit::number if the file does not state one.
Unit counter_unit(const ShownRows& rows, std::uint32_t track);

}  // namespace kino
