// Pages shown instead of a document's content: loading page, error page.
#pragma once

#include "app/shell/documents/document.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Draws the page. Returns whether the user canceled the load.
bool draw_loading_page(const Document& document, const Theme& theme);

struct ErrorPageActions {
  bool retry = false;
  bool close = false;
};
ErrorPageActions draw_error_page(const Document& document, const Theme& theme);

}  // namespace kino
