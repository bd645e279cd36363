// Pages shown instead of a document's content: start page, loading page, error page.
#pragma once

#include "app/shell/documents/document.hpp"
#include "app/shell/recent_list.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct StartPageActions {
  bool open = false;
  bool open_sample = false;
  bool tour = false;
  bool record = false;
  RecentActions recent;
};
/// `has_sample`: whether the bundled sample is installed.
StartPageActions draw_start_page(const Theme& theme, bool has_sample, const RecentFiles& recent);

/// Draws the page. Returns whether the user canceled the load.
bool draw_loading_page(const Document& document, const Theme& theme);

struct ErrorPageActions {
  bool retry = false;
  bool close = false;
};
ErrorPageActions draw_error_page(const Document& document, const Theme& theme);

}  // namespace kino
