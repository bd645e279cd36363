// What tracks are called, in the language of the window.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/view/timeline_state.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// A track's name as the person has it, or else track_title().
std::string shown_title(const TimelineState& state, std::uint32_t track);

/// A track's name; that of a derived counter in the language of the window.
std::string track_title(const ShownRows& rows, std::uint32_t track);

/// Of a counter's values. Unit::number where the file does not tell.
Unit counter_unit(const ShownRows& rows, std::uint32_t track);

}  // namespace kino
