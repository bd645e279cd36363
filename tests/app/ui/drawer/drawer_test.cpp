// Covers: drawer, inspector_frame
#include "app/ui/drawer/drawer.hpp"

#include <doctest/doctest.h>
#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/inspector_frame.hpp"

namespace {

/// A page that records the size in which it was drawn.
class SizedPage final : public kino::DrawerPage {
 public:
  SizedPage(std::string_view id, bool has_bar) : id_(id), has_bar_(has_bar) {}
  std::string_view id() const override { return id_; }
  const char* title() const override { return "page"; }
  bool has_bar() const override { return has_bar_; }
  void draw(ImVec2 size, const kino::DrawContext& /*look*/) override { height = size.y; }

  float height = 0;

 private:
  std::string_view id_;
  bool has_bar_;
};

/// Runs frames of Dear ImGui without a window system, in a window of 800 x 600.
class DrawerFrames {
 public:
  DrawerFrames() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(800, 600);
    io.DeltaTime = 1.0F / 60;
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  }
  DrawerFrames(const DrawerFrames&) = delete;
  DrawerFrames& operator=(const DrawerFrames&) = delete;
  ~DrawerFrames() { ImGui::DestroyContext(); }

  template <class During>
  void run(During during) {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({800, 600});
    ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration);
    during();
    ImGui::End();
    ImGui::EndFrame();
  }
};

}  // namespace

TEST_CASE("a page without a bar takes the whole drawer while it covers the panel, and has the bar below it") {
  DrawerFrames frames;
  kino::DrawerChoice choice;
  kino::Drawer drawer(choice);
  auto& plain = drawer.add<SizedPage>("plain", true);
  auto& bare = drawer.add<SizedPage>("bare", false);
  const kino::Theme theme = kino::Theme::make(true);
  const auto tabs = [&] {
    frames.run([&] { drawer.draw({0, 100, 800, 600}, {theme}); });
    nlohmann::ordered_json state;
    drawer.write_test_state(state);
    return state["drawer_tabs"].size();
  };
  choice.fill("plain");
  CHECK(tabs() == 2);
  CHECK(plain.height == 500 - kino::kDrawerBarPx);
  choice.fill("bare");
  CHECK(tabs() == 0);
  CHECK(bare.height == 500);
  choice.full = false;
  CHECK(tabs() == 2);
  CHECK(bare.height == 500 - kino::kDrawerBarPx);
}

TEST_CASE("a narrow bar shows the current tab, and as many others as fit") {
  DrawerFrames frames;
  kino::DrawerChoice choice;
  kino::Drawer drawer(choice);
  for (const char* id : {"first", "second", "third", "last"}) drawer.add<SizedPage>(id, true);
  choice.show("last");
  const kino::Theme theme = kino::Theme::make(true);
  const auto tabs = [&](float width) {
    frames.run([&] { drawer.draw({0, 100, width, 600}, {theme}); });
    nlohmann::ordered_json state;
    drawer.write_test_state(state);
    return state["drawer_tabs"];
  };
  CHECK(tabs(800).size() == 4);
  const nlohmann::ordered_json narrow = tabs(200);
  CHECK(narrow.size() < 4);
  CHECK(narrow.contains("first"));
  CHECK(narrow.contains("last"));
}

TEST_CASE("the key of the inspector has no effect while the drawer covers the page") {
  DrawerFrames frames;
  kino::Commands commands{kino::Keymap()};
  kino::InspectorFrame inspector;
  kino::DrawerChoice choice;
  const auto frame = [&] {
    frames.run([&] {
      commands.begin_frame({.page = kino::PageKind::job}, 0);
      commands.begin_page();
      inspector.handle_keys(nullptr, true, choice);
      commands.end_page(true);
    });
  };
  frame();
  CHECK(commands.has_effect(kino::CommandId::toggle_inspector));
  choice.fill("tables");
  frame();
  CHECK_FALSE(commands.has_effect(kino::CommandId::toggle_inspector));
  CHECK(commands.has_effect(kino::CommandId::toggle_drawer));
}
