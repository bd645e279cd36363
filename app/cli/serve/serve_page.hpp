// The page that shows the window in a browser: assets/serve/page.html, as part of the program.
#pragma once

#include <string_view>

namespace kino {

/// "NONCE" in the page is replaced by the nonce of the Content-Security-Policy, and "VERSION" by
/// kFrameVersion.
std::string_view serve_page();

}  // namespace kino
