// Bars of the step breakdown by role, in the rows of tables, and the colors that bars and legends share.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/ui/widgets/theme.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// Color of a role by its name (text_of(StepRole)).
std::uint32_t role_color(std::string_view role, const Theme& theme);

/// Whether the column is drawn with a bar of the roles: true for the total time of a step.
bool has_split_bar(const Table& table, const TableColumn& column);
/// Returns the longest total in ns, which has the longest bar. O(rows).
std::int64_t longest_total_ns(const TableColumn& column);

/// Draws the bar of a row at the start of the current cell, leaving `number_px` for the number. `tip` adds a
/// tooltip with the time per role.
void draw_split_bar(const Table& table, std::uint32_t row, std::int64_t longest_ns, float number_px, bool tip,
                    const Theme& theme, float ui_scale);

}  // namespace kino
