// Covers: browser_keys, keymap
#include "app/ui/commands/browser_keys.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "app/ui/commands/keymap.hpp"

using kino::CommandId;
using kino::KeyChord;
using kino::Keymap;

namespace {

Keymap in_browser(Keymap map) {
  map.adapt_to_browser();
  return map;
}

bool kept(std::string_view text) {
  const auto chord = kino::chord_from_text(text);
  REQUIRE(chord.has_value());
  return chord && kino::kept_by_browsers(*chord);
}

}  // namespace

TEST_CASE("browsers keep the keys of their tabs and windows, and pass others") {
  for (const char* chord : {"Ctrl+W", "Ctrl+T", "Ctrl+N", "Ctrl+Tab", "Ctrl+Shift+Tab", "Ctrl+PageDown",
                            "Ctrl+PageUp", "Ctrl+Q", "Ctrl+Shift+W"}) {
    CAPTURE(chord);
    CHECK(kept(chord));
  }
  for (const char* chord :
       {"W", "Ctrl+1", "Ctrl+F", "Ctrl+Shift+I", "Alt+W", "Shift+Tab", "PageDown", "F5"}) {
    CAPTURE(chord);
    CHECK_FALSE(kept(chord));
  }
}

TEST_CASE("in a browser, every command that has keys has a key that the browser passes") {
  const Keymap plain;
  const Keymap map = in_browser(Keymap());
  for (const kino::CommandInfo& command : kino::all_commands()) {
    CAPTURE(command.name);
    CHECK(map.first_key_text(command.id).empty() == plain.first_key_text(command.id).empty());
    // Keys that a browser passes nevertheless still work.
    for (const KeyChord& chord : plain.keys(command.id))
      CHECK(std::ranges::find(map.keys(command.id), chord) != map.keys(command.id).end());
    const bool all_kept = !plain.keys(command.id).empty() &&
                          std::ranges::all_of(plain.keys(command.id), kino::kept_by_browsers);
    CHECK(kino::browser_key(command.id).has_value() == all_kept);
  }
  CHECK(map.text(CommandId::close_tab) == "Alt+Q");
  CHECK(map.text(CommandId::next_tab) == "Alt+PageDown");
  CHECK(map.text(CommandId::command_palette) == "Ctrl+P");
  CHECK(map.text(CommandId::fit_all) == "R");
  CHECK(plain.text(CommandId::close_tab) == "Ctrl+W");
}

TEST_CASE("no two commands clash in a browser, and no key of a browser is kept by another one") {
  const Keymap map = in_browser(Keymap());
  for (const kino::CommandInfo& command : kino::all_commands()) {
    CAPTURE(command.name);
    const auto chord = kino::browser_key(command.id);
    if (!chord) continue;
    CHECK_FALSE(kino::kept_by_browsers(*chord));
    for (const kino::CommandInfo& other : kino::all_commands()) {
      if (other.id == command.id || !kino::scopes_meet(command.scope, other.scope)) continue;
      CAPTURE(other.name);
      CHECK(std::ranges::find(map.keys(other.id), *chord) == map.keys(other.id).end());
    }
  }
}

TEST_CASE("keys.json has precedence over the keys of a browser") {
  const Keymap map = in_browser(Keymap::from_json(
      R"({"close-tab": "X", "quit": null, "fit-all": "Alt+J", "next-tab": ["Ctrl+Tab", "Alt+N"]})"));
  CHECK(map.text(CommandId::close_tab) == "X");
  CHECK(map.text(CommandId::quit).empty());
  CHECK(map.text(CommandId::fit_all) == "Alt+J");
  CHECK(map.text(CommandId::copy_name).empty());  // its key belongs to fit-all
  CHECK(map.text(CommandId::next_tab) == "Alt+N");
  CHECK(map.text(CommandId::previous_tab) == "Alt+PageUp");
}

TEST_CASE("the guide lists the keys of a browser") {
  std::ifstream file(KINETOSCOPE_SOURCE "/assets/guide/clusters.md");
  const std::string guide{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const Keymap plain;
  const Keymap map = in_browser(Keymap());
  for (const kino::CommandInfo& command : kino::all_commands()) {
    if (!kino::browser_key(command.id)) continue;
    CAPTURE(command.name);
    const std::string row =
        "| `" + plain.first_key_text(command.id) + "` | `" + map.first_key_text(command.id) + "` | ";
    CHECK(guide.find(row) != std::string::npos);
  }
}
