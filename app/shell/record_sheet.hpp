// How to record: the lines of Python that make what this program opens, ready to copy.
#pragma once

#include <span>
#include <string_view>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// A few lines of Python, and what they are for.
struct RecordRecipe {
  Text title;
  std::string_view python;
};
/// The snippets of assets/guide/recording.md, in the same order.
std::span<const RecordRecipe> record_recipes();

/// Draws the sheet while it is open. Esc, its button or a click beside it close it. UI thread only.
void draw_record_sheet(bool& open, const Theme& theme);

}  // namespace kino
