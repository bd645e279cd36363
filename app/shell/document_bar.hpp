// The slim bar above a timeline that says when it shows a part of its file, or not what the disk has now.
#pragma once

#include <string>

#include "app/shell/documents/document.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// What a person asked for.
struct DocumentBarActions {
  bool cancel = false;
  bool reload = false;
  bool dismiss = false;
};

/// Draws over the width of the window and moves the cursor below; nothing without a notice.
DocumentBarActions draw_document_bar(const Document& document, const Theme& theme, float scale);
/// The bar's sentence; empty without a notice.
std::string notice_text(const Document& document);

}  // namespace kino
