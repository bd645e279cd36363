// Covers: page_keys
#include "app/cli/serve/page_keys.hpp"

#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

using kino::key_from_browser;

TEST_CASE("keys of a browser are identified by their labels, or by position if the labels are not Latin") {
  CHECK(key_from_browser("a", "KeyA") == 'A');
  CHECK(key_from_browser("Z", "KeyY") == 'Z');  // German layout
  CHECK(key_from_browser("ц", "KeyW") == 'W');  // Russian layout
  CHECK(key_from_browser("!", "Digit1") == '1');
  CHECK(key_from_browser("{", "BracketLeft") == '[');
  CHECK(key_from_browser("?", "Slash") == '/');
  CHECK(key_from_browser("5", "Numpad5") == GLFW_KEY_KP_5);
  CHECK(key_from_browser("+", "NumpadAdd") == GLFW_KEY_KP_ADD);
  CHECK(key_from_browser("Enter", "NumpadEnter") == GLFW_KEY_KP_ENTER);
  CHECK(key_from_browser("Enter", "Enter") == GLFW_KEY_ENTER);
  CHECK(key_from_browser("ArrowLeft", "ArrowLeft") == GLFW_KEY_LEFT);
  CHECK(key_from_browser("F12", "F12") == GLFW_KEY_F12);
  CHECK(key_from_browser("Shift", "ShiftRight") == GLFW_KEY_RIGHT_SHIFT);
  CHECK(key_from_browser("Control", "ControlLeft") == GLFW_KEY_LEFT_CONTROL);
  CHECK(key_from_browser(" ", "Space") == GLFW_KEY_SPACE);
  for (const char* unknown : {"", "F13", "F99999999999", "Unidentified", "AudioVolumeUp"})
    CHECK_MESSAGE(key_from_browser(unknown, "") == 0, unknown);
}
