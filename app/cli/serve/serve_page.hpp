// The page that shows the window in a browser: assets/serve/page.html, as part of the program.
#pragma once

#include <string_view>

namespace kino {

/// Returns the page. The server replaces "NONCE" in it with the nonce of the Content-Security-Policy, and
/// "VERSION" with kFrameVersion.
std::string_view serve_page();

}  // namespace kino
