// Covers: page
#include "app/ui/drawer/page.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using kino::Page;
using kino::PageKind;

namespace {

class PlainPage : public Page {
 public:
  static constexpr PageKind kKind = PageKind::comparison;
  PageKind kind() const override { return kKind; }
  void write_test_state(nlohmann::ordered_json& json) const override { json["drawn"] = drawn; }

  int drawn = 0;
  ImGuiID id = 0;

 protected:
  void draw_content(const kino::PageFrame& /*frame*/, ImVec2 /*at*/, ImVec2 /*size*/) override {
    ++drawn;
    id = ImGui::GetID("row");
  }
};

/// A page whose drawer is dragged in each frame.
class DraggedPage final : public PlainPage {
 public:
  kino::DrawerChoice drawer{.open = true, .page = "flame"};

 protected:
  void draw_content(const kino::PageFrame& frame, ImVec2 at, ImVec2 size) override {
    PlainPage::draw_content(frame, at, size);
    drawer.set_height(drawer.own_height().value_or(100) + 10);
  }
  kino::DrawerChoice* drawer_choice() override { return &drawer; }
};

class OtherPage final : public PlainPage {
 public:
  static constexpr PageKind kKind = PageKind::job;
  PageKind kind() const override { return kKind; }
};

/// Runs a frame of Dear ImGui without a window system, in a window of this size.
void draw(Page& page, float side, kino::Splitters* splitters) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = ImVec2(2000, 600);
  io.DeltaTime = 1.0F / 60;
  unsigned char* pixels = nullptr;
  int size[2];
  io.Fonts->GetTexDataAsRGBA32(&pixels, &size[0], &size[1]);
  ImGui::NewFrame();
  ImGui::Begin("window");
  ImGui::BeginChild("pane", {side, side});
  const kino::Theme theme = kino::Theme::make(true);
  kino::PageFrame frame;
  frame.theme = &theme;
  frame.splitters = splitters;
  page.draw(frame);
  ImGui::EndChild();
  ImGui::End();
  ImGui::EndFrame();
  ImGui::DestroyContext();
}

}  // namespace

TEST_CASE("a page draws nothing if there is too little room") {
  PlainPage page;
  draw(page, 63, nullptr);
  CHECK(page.drawn == 0);
  draw(page, 64, nullptr);
  CHECK(page.drawn == 1);
}

TEST_CASE("a page uses the shared heights of its kind and updates them when the splitter is dragged") {
  kino::Splitters shared{.header_width = 240,
                         .drawer_heights = {{"comparison", {{"flame", 300.0F}, {"sql", 50.0F}}}}};
  const auto height = [&] { return shared.drawer_heights.at("comparison").at("flame"); };
  DraggedPage dragged;
  draw(dragged, 400, &shared);
  CHECK(height() == 310);
  CHECK(shared.drawer_heights.at("comparison").at("sql") == 50);
  CHECK(shared.header_width == 240);
  PlainPage divides_itself;
  draw(divides_itself, 400, &shared);
  CHECK(height() == 310);
  draw(dragged, 400, nullptr);
  CHECK(dragged.drawer.own_height() == 110);
  CHECK(height() == 310);
}

TEST_CASE("pages of different kinds have different ids, pages of one kind the same") {
  PlainPage first;
  PlainPage second;
  OtherPage other;
  for (PlainPage* const page : {&first, &second, static_cast<PlainPage*>(&other)}) draw(*page, 400, nullptr);
  CHECK(first.id == second.id);
  CHECK(first.id != other.id);
}

TEST_CASE("a page is cast to its own class only") {
  PlainPage page;
  CHECK(kino::page_as<PlainPage>(&page) == &page);
  CHECK(kino::page_as<OtherPage>(&page) == nullptr);
  CHECK(kino::page_as<PlainPage>(nullptr) == nullptr);
}

TEST_CASE("every kind of page has a unique name") {
  std::set<std::string> names;
  for (const char* const name : kino::kPageKindNames) names.insert(name);
  CHECK(names.size() == kino::kPageKindCount);
  CHECK(kino::name_of(PageKind::none) == std::string());
  CHECK(kino::name_of(PageKind::job) == std::string("job"));
}
