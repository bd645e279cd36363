#include "app/ui/commands/browser_keys.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kino {
namespace {

/// Reserved by Chromium or Firefox on Linux or Windows: tabs, windows, and the end of the browser.
constexpr std::string_view kKept[] = {"Ctrl+N",       "Ctrl+T",         "Ctrl+W",        "Ctrl+Q",
                                      "Ctrl+Tab",     "Ctrl+Shift+Tab", "Ctrl+PageDown", "Ctrl+PageUp",
                                      "Ctrl+Shift+N", "Ctrl+Shift+P",   "Ctrl+Shift+Q",  "Ctrl+Shift+T",
                                      "Ctrl+Shift+W", "Ctrl+F4",        "Alt+F4"};

struct BrowserKey {
  CommandId command;
  std::string_view chord;
};

// Not used: Alt with E, I, N or U, which are dead keys on a Mac; Alt+R and Alt+Z, which open overlays of
// graphics drivers; Alt+Shift and Ctrl+Shift, which change the language of the keyboard; Ctrl+Alt, which is
// AltGr on Windows. Japanese and Chinese input methods use no other chord with Alt and a letter.
constexpr BrowserKey kBrowserKeys[] = {{CommandId::copy_name, "Alt+J"},
                                       {CommandId::save_trimmed, "Alt+M"},
                                       {CommandId::close_tab, "Alt+Q"},
                                       {CommandId::next_tab, "Alt+PageDown"},
                                       {CommandId::previous_tab, "Alt+PageUp"},
                                       {CommandId::close_pane, "Alt+H"},
                                       {CommandId::quit, "Shift+F4"}};

}  // namespace

bool kept_by_browsers(const KeyChord& chord) {
  return std::ranges::find(kKept, text_of(chord)) != std::end(kKept);
}

std::optional<KeyChord> browser_key(CommandId command) {
  const auto* const found = std::ranges::find(kBrowserKeys, command, &BrowserKey::command);
  return found != std::end(kBrowserKeys) ? chord_from_text(found->chord) : std::nullopt;
}

}  // namespace kino
