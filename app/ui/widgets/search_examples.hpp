// Examples for a search field.
#pragma once

#include <span>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct SearchExample {
  const char* text;
  Text what;
};

/// Draws a tooltip with examples at `at`, below the search field, so that the field remains visible.
void draw_search_examples(ImVec2 at, Text about, std::span<const SearchExample> examples, const Theme& theme,
                          float ui_scale);

}  // namespace kino
