// The bar above a page that reports a partly loaded or outdated file.
#pragma once

#include <string>

#include "app/shell/documents/document.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/result.hpp"

namespace kino {

/// The buttons pressed in one frame.
struct DocumentBarActions {
  bool cancel = false;
  bool reload = false;
  bool dismiss = false;
};

/// Draws the bar across the window and moves the cursor below it; does nothing without a notice.
DocumentBarActions draw_document_bar(const Document& document, const Theme& theme, float scale);
/// The sentence in the bar; empty without a notice.
std::string notice_text(const Document& document);
/// The error as a sentence in the user's language that starts with a capital letter.
std::string sentence_of(const Error& error);

}  // namespace kino
