// Keys of a browser's page.
#pragma once

#include <string_view>

namespace kino {

/// Returns the GLFW code of a key of a browser's KeyboardEvent; 0 if it is unknown. `key` is the meaning and
/// `code` the position. As in the native window, the key is the one whose cap shows the character, so that
/// Ctrl+W is at the W of the keyboard layout. The position decides for layouts without Latin letters.
int key_from_browser(std::string_view key, std::string_view code);

}  // namespace kino
