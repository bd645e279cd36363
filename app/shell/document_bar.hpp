// The bar above a page that shows the document's notice, for example that its file is partly loaded or has
// changed.
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

/// Draws the bar across the content region of the current window, and moves ImGui's cursor below it. Does
/// nothing if there is no notice.
DocumentBarActions draw_document_bar(const Document& document, const Theme& theme, float scale);
/// Returns the sentence in the bar; empty if there is no notice.
std::string notice_text(const Document& document);
/// Returns the error as a sentence in the language in use.
std::string sentence_of(const Error& error);

}  // namespace kino
