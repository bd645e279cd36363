// Instructions for recording: Python snippets to copy.
#pragma once

#include <span>
#include <string_view>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// A few lines of Python and their purpose.
struct RecordRecipe {
  Text title;
  std::string_view python;
};
/// The snippets of assets/guide/recording.md, in the same order.
std::span<const RecordRecipe> record_recipes();

/// Draws the sheet if `open`. Esc, its button or a click outside closes it. UI thread only.
void draw_record_sheet(bool& open, const Theme& theme);

}  // namespace kino
