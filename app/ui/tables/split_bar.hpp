// The bar of what time went into, role by role: a step's in its row, and the colours that bars and legends
// share.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/ui/widgets/theme.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// Of a role as text_of(StepRole) names it.
std::uint32_t role_color(std::string_view role, const Theme& theme);

/// Whether this column of the table is shown with a bar of the roles beside it: a step's total.
bool has_split_bar(const Table& table, const TableColumn& column);
/// The longest of the totals, in ns; what the bars are measured by. O(rows).
std::int64_t longest_total_ns(const TableColumn& column);

/// Draws the bar of a row at the begin of the cell the cursor is in, so that `number_px` are left for the
/// number; with `tip` also what the roles took.
void draw_split_bar(const Table& table, std::uint32_t row, std::int64_t longest_ns, float number_px, bool tip,
                    const Theme& theme, float ui_scale);

}  // namespace kino
