// The drawer's tab with the hits of a search as a table: name, track, start, duration.
#pragma once

#include <imgui.h>

#include "app/search_hits.hpp"
#include "app/theme.hpp"
#include "core/trace.hpp"

namespace kino {

/// Draws the listed hits into a child window of `size` and says so when there are more; null
/// is no search. Returns the slice a person clicked on, or kNoSlice. O(rows in sight).
SliceId draw_hits_table(const Trace& trace, const SearchAnswer* answer, SliceId selected, ImVec2 size,
                        const Theme& theme, float ui_scale);

}  // namespace kino
