// Covers: bar_line, text_drawing, widgets
#include "app/ui/drawer/bar_line.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <imgui.h>

#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

using kino::BarLine;
using kino::BarText;

namespace {

/// Draws a bar of this width in one frame of Dear ImGui without a window system.
template <class During>
void with_bar(float width, During during) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = ImVec2(2000, 600);
  io.DeltaTime = 1.0F / 60;
  unsigned char* pixels = nullptr;
  int size[2];
  io.Fonts->GetTexDataAsRGBA32(&pixels, &size[0], &size[1]);
  ImGui::NewFrame();
  ImGui::Begin("bar");
  const kino::Theme theme = kino::Theme::make(true);
  BarLine line(*ImGui::GetWindowDrawList(), {0, 0, width, 32}, theme, 1);
  during(line);
  ImGui::End();
  ImGui::EndFrame();
  ImGui::DestroyContext();
}

const std::vector<BarText> kParts{{.words = "ranks 0 to 63", .brief = "ranks"},
                                  {.words = "nothing is briefer than this"},
                                  {.words = "clocks up to 5 ms apart", .brief = "clocks"}};
constexpr float kBetween = 24;

float width_of(bool first_brief, bool last_brief) {
  float width = 0;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const bool brief = (i == 0 && first_brief) || (i == 2 && last_brief);
    width += kino::text_width(brief ? kParts[i].brief : kParts[i].words) + kBetween;
  }
  return width;
}

}  // namespace

TEST_CASE("items at the end of a bar reserve their room before texts do, as long as they fit") {
  with_bar(300, [](BarLine& line) {
    CHECK(line.take_at_end(100).x == 300 - 12 - 100);
    CHECK(line.take_at_end(60).x == 300 - 12 - 100 - 4 - 60);
    line.text(0xffffffff, std::string(200, 'w'));
    CHECK(line.room() < 24);
    CHECK(line.take_at_end(60).x < 0);
  });
}

TEST_CASE("texts of a bar use their brief forms, from the last one on, if not all fit") {
  with_bar(2000, [](BarLine& line) {
    const float before = line.room();
    line.texts(kParts);
    CHECK(before - line.room() == doctest::Approx(width_of(false, false)).epsilon(0.01));
  });
  with_bar(2000, [](BarLine& line) {
    line.take_at_end(line.room() - width_of(false, false) + 2 * kBetween);
    const float before = line.room();
    line.texts(kParts);
    CHECK(before - line.room() == doctest::Approx(width_of(false, true)).epsilon(0.01));
  });
  with_bar(2000, [](BarLine& line) {
    line.take_at_end(line.room() - width_of(true, true) - kBetween);
    const float before = line.room();
    line.texts(kParts);
    CHECK(before - line.room() == doctest::Approx(width_of(true, true)).epsilon(0.01));
  });
}

TEST_CASE("the tooltip of a row is above it, or below it if there is no room above, and inside the window") {
  const ImVec2 display{1000, 600};
  const kino::TooltipPlace above = kino::tooltip_place({250, 310}, display, 300, 320, 80);
  CHECK(above.position.y == 300);
  CHECK(above.pivot.y == 1);
  CHECK(above.position.x == 250);
  CHECK(above.pivot.x == 0.25F);
  const kino::TooltipPlace below = kino::tooltip_place({1000, 60}, display, 50, 70, 80);
  CHECK(below.position.y == 70);
  CHECK(below.pivot.y == 0);
  CHECK(below.pivot.x == 1);
  // A tooltip that fits nowhere begins at the top of the window.
  CHECK(kino::tooltip_place({0, 510}, display, 500, 520, 580).position.y == 580);
}

TEST_CASE("a narrow cell of a table shows an ellipsis and is never blank") {
  with_bar(300, [](BarLine&) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float letter = kino::text_width("w");
    const auto drawn = [&](float width) {
      const int before = list.VtxBuffer.Size;
      const float used = kino::draw_cell_text(list, ImGui::GetCursorScreenPos(), width, 0xffffffff,
                                              "wwwwwwwwwwwwwwwwwwwwwwww");
      CHECK(list.VtxBuffer.Size > before);
      return used;
    };
    CHECK(drawn(40 * letter) == doctest::Approx(24 * letter));
    CHECK(drawn(10 * letter) < 10 * letter + 1);
    for (const float width : {letter * 2, letter, 1.0F}) CHECK(drawn(width) > 0);
    CHECK(kino::draw_cell_text(list, {0, 0}, 10, 0xffffffff, "") == 0);
    const int before = list.VtxBuffer.Size;
    kino::right_aligned_text(0xffffffff, std::string(1000, '7'));
    CHECK(list.VtxBuffer.Size > before);
    CHECK(ImGui::GetItemRectSize().x <= 2000);
  });
}
