// What can be typed into a field that searches, for those who have never done it.
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

/// A tip at `at`, under the field, so that what is typed stays in sight.
void draw_search_examples(ImVec2 at, Text about, std::span<const SearchExample> examples, const Theme& theme,
                          float ui_scale);

}  // namespace kino
