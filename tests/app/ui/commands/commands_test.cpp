// Covers: commands, overlays
#include "app/ui/commands/commands.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <string_view>

#include <doctest/doctest.h>
#include <imgui.h>

#include "app/ui/widgets/fuzzy_match.hpp"

namespace {

using kino::CommandId;
using kino::Keymap;
using kino::Language;

/// Caps of a US keyboard, and the characters that they type without modifiers.
constexpr std::string_view kCaps = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',-./;=[\\]`";

std::vector<std::string> chord_texts(std::initializer_list<const char*> texts) {
  std::vector<std::string> read;
  for (const char* text : texts) {
    const auto chord = kino::chord_from_text(text);
    read.push_back(chord ? kino::text_of(*chord) : "none");
  }
  return read;
}

// Runs frames of Dear ImGui without a window, with the given keys held.
class Frames {
 public:
  Frames() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(800, 600);
    io.DeltaTime = 1.0F / 60;
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  }
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;
  ~Frames() { ImGui::DestroyContext(); }

  template <class During>
  void draw(std::initializer_list<char> keys, bool ctrl, const char* typed, During during) {
    ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
    std::fill(std::begin(io.KeysDown), std::end(io.KeysDown), false);
    for (const char key : keys) io.KeysDown[static_cast<int>(key)] = true;
    io.KeyCtrl = ctrl;
#else
    for (const char key : kCaps) {
      io.AddKeyEvent(kino::imgui_key(key), std::find(keys.begin(), keys.end(), key) != keys.end());
    }
    io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
#endif
    io.AddInputCharactersUTF8(typed);
    ImGui::NewFrame();
    during();
    ImGui::EndFrame();
  }
};

}  // namespace

TEST_CASE("every command has a unique id, name and title") {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const kino::CommandInfo& command : kino::all_commands()) {
    CAPTURE(command.name);
    CHECK(kino::index_of(command.id) == index++);
    CHECK_FALSE(command.name.empty());
    CHECK(names.insert(command.name).second);
    CHECK(kino::command_named(command.name) == command.id);
  }
  CHECK(index == kino::kCommandCount);
  CHECK_FALSE(kino::command_named("no-such-command").has_value());
}

TEST_CASE("no two commands have the same title in any language") {
  for (const auto language : {Language::english, Language::japanese, Language::chinese}) {
    std::set<std::string_view> titles;
    for (const kino::CommandInfo& command : kino::all_commands()) {
      CAPTURE(command.name);
      CHECK(titles.insert(kino::tr(command.title, language)).second);
    }
  }
}

TEST_CASE("every default key is valid, and no two clash in a common scope") {
  const Keymap map;
  for (const kino::CommandInfo& command : kino::all_commands()) {
    CAPTURE(command.name);
    const auto spaces = std::count(command.default_keys.begin(), command.default_keys.end(), ' ');
    const auto words = command.default_keys.empty() ? 0 : spaces + 1;
    CHECK(map.keys(command.id).size() == static_cast<std::size_t>(words));
    for (const kino::CommandInfo& other : kino::all_commands()) {
      if (other.id <= command.id || !kino::scopes_meet(command.scope, other.scope)) continue;
      CAPTURE(other.name);
      for (const kino::KeyChord& chord : map.keys(command.id)) {
        CHECK(std::ranges::find(map.keys(other.id), chord) == map.keys(other.id).end());
      }
    }
  }
}

TEST_CASE("keys are read in any case and written in one") {
  CHECK(chord_texts({"ctrl+shift+p", "F12", "escape", "RETURN", "[", "?", "Ctrl++", "+", "alt+pageup",
                     "7"}) == std::vector<std::string>{"Ctrl+Shift+P", "F12", "Esc", "Enter", "[", "?",
                                                       "Ctrl++", "+", "Alt+PageUp", "7"});
  for (const char* text : {"", "Ctrl+", "Hyper+A", "AB", "F13", "F0", "Ctrl+Ctrl+A", "Shift+/", "\xc3\xa4",
                           "Ctrl A", " ", "\n"}) {
    CAPTURE(text);
    CHECK_FALSE(kino::chord_from_text(text).has_value());
  }
}

TEST_CASE("each cap has its own key, and a chord of punctuation is pressed by no other") {
  for (const char character : kCaps) {
    CAPTURE(character);
    const kino::KeyChord chord{.character = character, .ctrl = true};
    Frames frames;
    frames.draw({}, true, "", [] {});
    for (const char key : kCaps) {
      CAPTURE(key);
      // Newer versions accept one change of a key per frame.
      frames.draw({key}, true, "", [&] { CHECK(kino::chord_pressed(chord, false) == (key == character)); });
      frames.draw({}, true, "", [] {});
    }
  }
}

TEST_CASE("keys.json replaces, adds and removes keys") {
  const Keymap map = Keymap::from_json(R"({"fit-all": "X", "next-tab": ["Ctrl+Tab", "L"], "quit": null})");
  CHECK(map.problems().empty());
  CHECK(map.text(CommandId::fit_all) == "X");
  CHECK(map.text(CommandId::next_tab) == "Ctrl+Tab, L");
  CHECK(map.text(CommandId::quit).empty());
  CHECK(map.first_key_text(CommandId::quit).empty());
  CHECK(map.text(CommandId::toggle_theme) == "T");
}

TEST_CASE("a reassigned key is removed from the command that has it by default") {
  const Keymap map = Keymap::from_json(R"({"toggle-theme": "R"})");
  CHECK(map.problems().empty());
  CHECK(map.text(CommandId::toggle_theme) == "R");
  CHECK(map.text(CommandId::fit_all).empty());
}

TEST_CASE("a key given twice belongs to the first command and is reported") {
  const Keymap map = Keymap::from_json(R"({"fit-all": "X", "quit": ["X", "Ctrl+Q"]})");
  REQUIRE(map.problems().size() == 1);
  CHECK(map.problems().front() == R"(X is assigned to "fit-all" and "quit"; the first one is used)");
  CHECK(map.problems().front().str(Language::chinese) == "X 同时是“fit-all”和“quit”的按键，由前者使用");
  CHECK(map.text(CommandId::fit_all) == "X");
  CHECK(map.text(CommandId::quit) == "Ctrl+Q");
}

TEST_CASE("each error in keys.json is reported once and the rest applies") {
  const Keymap map = Keymap::from_json(
      R"({"no-such-command": "X", "fit-all": "Hyper+X", "quit": 5, "zoom-in": [["W"]], "zoom-out": "K"})");
  CHECK(map.problems().size() == 4);
  CHECK(map.text(CommandId::fit_all) == "R");
  CHECK(map.text(CommandId::quit) == "Ctrl+Q");
  CHECK(map.text(CommandId::zoom_in) == "W");
  CHECK(map.text(CommandId::zoom_out) == "K");
}

TEST_CASE("a malformed keys.json leaves the defaults") {
  for (const char* text : {"", "{", "[]", "null", "\xff\xfe", R"({"fit-all": "R")"}) {
    CAPTURE(text);
    const Keymap map = Keymap::from_json(text);
    CHECK(map.problems().size() == 1);
    CHECK(map.text(CommandId::fit_all) == "R");
  }
  CHECK(kino::read_keymap("/nonexistent/keys.json").problems().empty());
}

TEST_CASE("fuzzy matches take letters in order and prefer word starts and consecutive letters") {
  CHECK_FALSE(kino::fuzzy_match("xyz", "Fit the whole trace").has_value());
  CHECK_FALSE(kino::fuzzy_match("a", "").has_value());
  CHECK(kino::fuzzy_match("", "").has_value());
  CHECK_FALSE(kino::fuzzy_match("ecart", "trace").has_value());
  const auto words = kino::fuzzy_match("fwt", "Fit the whole trace");
  REQUIRE(words.has_value());
  CHECK(words->positions == std::vector<std::size_t>{0, 8, 14});
  const auto row = kino::fuzzy_match("trace", "Fit the whole trace");
  REQUIRE(row.has_value());
  CHECK(row->positions == std::vector<std::size_t>{14, 15, 16, 17, 18});
  CHECK(kino::fuzzy_match("open", "Open files")->score > kino::fuzzy_match("open", "Stop at the end")->score);
  CHECK(kino::fuzzy_match("zi", "Zoom in")->score > kino::fuzzy_match("zi", "Gazing")->score);
  CHECK(kino::fuzzy_match(std::string(5000, 'a'), std::string(5000, 'a')).has_value());
}

TEST_CASE("fuzzy matches never split a character") {
  const auto match = kino::fuzzy_match("次タ", "次のタブ");
  REQUIRE(match.has_value());
  CHECK(match->positions == std::vector<std::size_t>{0, 1, 2, 6, 7, 8});
  // The bytes of "に", E3 81 AB, occur in this order in E3 81 82 E3 82 AB.
  CHECK_FALSE(kino::fuzzy_match("に", "あカ").has_value());
}

TEST_CASE("keys run bound actions if their scope is active") {
  Frames frames;
  kino::Commands commands{Keymap()};
  int quits = 0;
  int themes = 0;
  commands.bind(CommandId::quit, {[&] { ++quits; }});
  commands.bind(CommandId::toggle_theme, {[&] { ++themes; }});
  const auto press = [&](char key, bool ctrl, kino::ActiveScopes scopes) {
    frames.draw({}, false, "", [] {});
    frames.draw({key}, ctrl, "", [&] { commands.begin_frame(scopes, 0.01); });
  };
  press('Q', true, {});
  CHECK(quits == 1);
  press('Q', false, {});
  CHECK(quits == 1);
  press('T', false, {});
  CHECK(themes == 1);
  press('T', false, {.window = false});
  CHECK(themes == 1);
  press('T', true, {});
  CHECK(themes == 1);
}

TEST_CASE("the timeline's commands are pressed by their key, by their character, or when run") {
  Frames frames;
  kino::Commands commands{Keymap()};
  frames.draw({}, false, "", [] { CHECK_FALSE(kino::command_pressed(CommandId::fit_all)); });
  frames.draw({'R'}, false, "", [] { CHECK(kino::command_pressed(CommandId::fit_all)); });
  frames.draw({'W'}, false, "", [] { CHECK(kino::command_held(CommandId::zoom_in)); });
  frames.draw({'W'}, true, "", [] { CHECK_FALSE(kino::command_held(CommandId::zoom_in)); });
  frames.draw({}, false, "[", [] {
    CHECK(kino::command_pressed(CommandId::previous_slice));
    CHECK_FALSE(kino::command_pressed(CommandId::next_slice));
  });
  CHECK_FALSE(commands.available(CommandId::fit_all));
  commands.run(CommandId::fit_all);
  CHECK(commands.pending());
  frames.draw({}, false, "", [&] {
    commands.begin_frame({.page = kino::PageKind::timeline}, 0.01);
    CHECK(commands.available(CommandId::fit_all));
    CHECK(kino::command_pressed(CommandId::fit_all));
    CHECK_FALSE(kino::command_pressed(CommandId::fit_all));
  });
  CHECK_FALSE(commands.pending());
  commands.run(CommandId::pan_left);
  frames.draw({}, false, "", [&] {
    commands.begin_frame({.page = kino::PageKind::timeline}, 0.01);
    CHECK(kino::command_held(CommandId::pan_left));
    commands.begin_frame({.page = kino::PageKind::timeline}, 1);
    CHECK_FALSE(kino::command_held(CommandId::pan_left));
  });
}

TEST_CASE("a command that is run ten times between two frames is pressed in ten frames, in order") {
  Frames frames;
  kino::Commands commands{Keymap()};
  for (int i = 0; i < 10; ++i) commands.run(CommandId::next_slice);
  commands.run(CommandId::fit_all);
  int steps = 0;
  int fits = 0;
  const auto frame = [&] {
    commands.begin_frame({.page = kino::PageKind::timeline}, 0.01);
    if (kino::command_pressed(CommandId::fit_all)) ++fits;
    if (kino::command_pressed(CommandId::next_slice)) ++steps;
    CHECK_FALSE(kino::command_pressed(CommandId::next_slice));
  };
  for (int i = 0; i < 10; ++i) {
    CHECK(commands.pending());
    frames.draw({}, false, "", frame);
    CHECK(steps == i + 1);
    CHECK(fits == 0);
  }
  frames.draw({}, false, "", frame);
  CHECK(fits == 1);
  CHECK_FALSE(commands.pending());
}

TEST_CASE("the number of commands that wait for the page is bounded") {
  Frames frames;
  kino::Commands commands{Keymap()};
  for (std::size_t i = 0; i < 2 * kino::Commands::kMaxPendingCommands; ++i)
    commands.run(CommandId::next_slice);
  std::size_t steps = 0;
  while (commands.pending()) {
    frames.draw({}, false, "", [&] {
      commands.begin_frame({.page = kino::PageKind::timeline}, 0.01);
      if (kino::command_pressed(CommandId::next_slice)) ++steps;
    });
  }
  CHECK(steps == kino::Commands::kMaxPendingCommands);
}

TEST_CASE("a command that no page handles is dropped") {
  Frames frames;
  kino::Commands commands{Keymap()};
  commands.run(CommandId::fit_all);
  frames.draw({}, false, "", [&] {
    for (int i = 0; i < 20; ++i) commands.begin_frame({}, 0.01);
  });
  CHECK_FALSE(commands.pending());
}

TEST_CASE("a command of the page has an effect if the page checked it when it last had the keys") {
  Frames frames;
  kino::Commands commands{Keymap()};
  const kino::ActiveScopes timeline{.page = kino::PageKind::timeline};
  const auto frame = [&](bool keyboard, bool selected) {
    frames.draw({}, false, "", [&] {
      commands.begin_frame(timeline, 0);
      commands.begin_page();
      if (keyboard) kino::command_pressed(CommandId::fit_all);
      if (keyboard && selected) kino::command_pressed(CommandId::copy_name);
      commands.end_page(keyboard);
    });
  };
  frames.draw({}, false, "", [&] { commands.begin_frame(timeline, 0); });
  CHECK(commands.has_effect(CommandId::copy_name));  // no page was drawn yet
  frame(true, false);
  CHECK(commands.has_effect(CommandId::fit_all));
  CHECK_FALSE(commands.has_effect(CommandId::copy_name));
  CHECK(commands.has_effect(CommandId::zoom_in));  // is active while held
  frame(true, true);
  CHECK(commands.has_effect(CommandId::copy_name));
  frame(false, false);  // a menu has the keys
  CHECK(commands.has_effect(CommandId::copy_name));
  CHECK(commands.available(CommandId::next_slice));
  CHECK_FALSE(commands.has_effect(CommandId::next_slice));
  frames.draw({}, false, "", [&] { commands.begin_frame({.page = kino::PageKind::job}, 0); });
  CHECK(commands.has_effect(CommandId::next_rank));  // another page that was not drawn yet
  CHECK_FALSE(commands.has_effect(CommandId::copy_name));
  frames.draw({}, false, "", [&] { commands.begin_frame({}, 0); });
  CHECK_FALSE(commands.has_effect(CommandId::toggle_inspector));  // no document is shown
}

TEST_CASE("a command applies where its scope states, and scopes that never meet may share keys") {
  using kino::CommandScope;
  using kino::PageKind;
  const CommandScope window{CommandScope::Reach::window};
  const CommandScope view{CommandScope::Reach::view};
  const CommandScope loading{CommandScope::Reach::loading};
  const CommandScope timeline{PageKind::timeline};
  const CommandScope snapshot{PageKind::snapshot};
  CHECK(timeline.applies_to(PageKind::timeline));
  CHECK(view.applies_to(PageKind::timeline));
  CHECK_FALSE(snapshot.applies_to(PageKind::timeline));
  CHECK_FALSE(timeline.applies_to(PageKind::snapshot));
  CHECK(snapshot.applies_to(PageKind::snapshot));
  CHECK_FALSE(view.applies_to(PageKind::none));
  CHECK(window.applies_to(PageKind::none));
  CHECK(loading.applies_to(PageKind::none));
  CHECK_FALSE(loading.applies_to(PageKind::job));
  CHECK_FALSE(kino::scopes_meet(timeline, snapshot));
  CHECK_FALSE(kino::scopes_meet(loading, view));
  CHECK(kino::scopes_meet(timeline, view));
  CHECK(kino::scopes_meet(window, snapshot));
}

TEST_CASE("a key that was pressed with a modifier moves nothing, even after the modifier is released") {
  Frames frames;
  kino::Commands commands{Keymap()};
  const auto held = [&](std::initializer_list<char> keys, bool ctrl, CommandId command) {
    bool moves = false;
    frames.draw(keys, ctrl, "", [&] {
      commands.begin_frame({.window = true, .loading = false, .page = kino::PageKind::timeline}, 0.016);
      moves = kino::command_held(command);
    });
    return moves;
  };
  CHECK_FALSE(held({'S'}, true, CommandId::zoom_out));
  CHECK_FALSE(held({'S'}, false, CommandId::zoom_out));
  CHECK(held({'S', 'D'}, false, CommandId::pan_right));
  CHECK_FALSE(held({'S', 'D'}, false, CommandId::zoom_out));
  CHECK_FALSE(held({}, false, CommandId::zoom_out));
  CHECK(held({'S'}, false, CommandId::zoom_out));
  CHECK_FALSE(held({'S'}, true, CommandId::zoom_out));
}
