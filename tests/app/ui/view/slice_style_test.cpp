// Covers: slice_style, color_legend, slice_palettes
#include "app/ui/view/slice_style.hpp"

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/timeline/color_legend.hpp"
#include "app/ui/view/slice_palettes.hpp"
#include "core/base/worker_pool.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/eventually.hpp"

using namespace kino;

namespace {

/// Waits until the style has applied the options.
SliceStyle::Change settle(SliceStyle& look, const ColorOptions& wanted, const Theme& theme) {
  SliceStyle::Change change = look.update(wanted, theme);
  CHECK(kino_test::eventually([&] {
    if (look.complete()) return true;
    change = look.update(wanted, theme);
    return false;
  }));
  return change;
}

/// Approximate brightness of a packed color.
double brightness(std::uint32_t color) {
  return 0.2126 * (color & 255U) + 0.7152 * (color >> 8 & 255U) + 0.0722 * (color >> 16 & 255U);
}

}  // namespace

TEST_CASE("each mode has its own colors, and names need no keys") {
  EventFixture events;
  events.op("aten::mm", 0, 100).launch(10, 5, 1).kernel("gemm", 50, 200, 1).op("aten::mm", 200, 10, "2");
  const auto trace = events.build();
  WorkerPool pool(1);
  SliceStyle look(trace, pool, [] {});
  const Theme theme = Theme::make(true);
  const SliceId first = slice_named(*trace, "aten::mm", 0);
  const SliceId second = slice_named(*trace, "aten::mm", 1);
  const SliceId kernel = slice_named(*trace, "gemm");
  CHECK(settle(look, {}, theme) == SliceStyle::Change::palette);
  CHECK(look.keys() == nullptr);
  CHECK(look.color_of(first) == look.color_of(second));
  CHECK(look.color_of(first) == name_colors(*trace, theme)[index_of(trace->name(first))]);
  const auto kinds = legend_entries(look, theme);
  REQUIRE(kinds.size() == 3);
  CHECK(kinds[0].color == kind_color(SliceKind::compute, theme));
  CHECK(kinds[0].key == static_cast<std::uint32_t>(SliceKind::compute));
  CHECK(look.update({}, theme) == SliceStyle::Change::nothing);
  CHECK(look.update({}, Theme::make(false)) == SliceStyle::Change::palette);

  CHECK(settle(look, {.color_mode = ColorMode::kind}, theme) == SliceStyle::Change::keys);
  CHECK(look.shown_mode() == ColorMode::kind);
  CHECK(look.color_of(kernel) == kind_color(SliceKind::compute, theme));
  const auto legend = legend_entries(look, theme);
  REQUIRE(legend.size() == 3);
  CHECK(legend[0].text == "compute");
  CHECK(legend[0].color == look.color_of(kernel));

  CHECK(settle(look, {.color_mode = ColorMode::stream}, theme) == SliceStyle::Change::keys);
  CHECK(look.color_of(first) != look.color_of(second));
  CHECK(legend_entries(look, theme).size() == 3);
  CHECK(settle(look, {}, theme) == SliceStyle::Change::keys);
  CHECK(look.keys() == nullptr);
}

TEST_CASE("names are as brief or as full as requested") {
  EventFixture events;
  events.kernel("void at::native::fill<int>(int)", 0, 10);
  const auto trace = events.build();
  WorkerPool pool(1);
  SliceStyle look(trace, pool, [] {});
  const Theme theme = Theme::make(true);
  look.update({}, theme);
  CHECK(look.name_text(trace->name_of(SliceId{0})) == "fill");
  look.update({.color_mode = ColorMode::name, .full_names = true}, theme);
  CHECK(look.name_text(trace->name_of(SliceId{0})) == "void at::native::fill<int>(int)");
}

TEST_CASE("the ramp of durations is monotonic in brightness, so that its order is visible to everyone") {
  for (const bool dark : {true, false}) {
    const std::vector<std::uint32_t> ramp = duration_palette(Theme::make(dark));
    REQUIRE(ramp.size() == kPercentiles + 1);
    for (std::size_t i = 5; i < kPercentiles; i += 5) {
      const double step = brightness(ramp[i]) - brightness(ramp[i - 5]);
      CHECK((dark ? step : -step) > 0);
    }
  }
}

TEST_CASE("lists show an excerpt of names with the same short form") {
  EventFixture events;
  events.kernel("elementwise<4, Add>(int)", 0, 10, 1).kernel("elementwise<4, Relu>(int)", 20, 10, 2);
  events.kernel("gemm<float>(int)", 40, 10, 3);
  WorkerPool pool(1);
  const SliceStyle look(events.build(), pool, [] {});
  const std::array<std::string_view, 3> names{"elementwise<4, Add>(int)", "elementwise<4, Relu>(int)",
                                              "gemm<float>(int)"};
  const std::vector<std::string> shown = look.name_texts(names);
  REQUIRE(shown.size() == 3);
  CHECK(shown[0].starts_with("elementwise"));
  CHECK(shown[0].find("Add") != std::string::npos);
  CHECK(shown[1].find("Relu") != std::string::npos);
  CHECK(shown[2] == "gemm");
  CHECK(look.name_texts({}).empty());
}

TEST_CASE("neighboring tracks have different colors") {
  EventFixture events;
  for (int i = 0; i < 40; ++i) events.kernel("k", i, 1, 0, std::to_string(i));
  const auto trace = events.build();
  const std::vector<std::uint32_t> colors = track_palette(*trace, Theme::make(true));
  for (std::size_t i = 0; i < colors.size(); ++i) {
    for (std::size_t k = i + 1; k < std::min(colors.size(), i + 8); ++k) CHECK(colors[i] != colors[k]);
  }
}

TEST_CASE("colors of very many names are made in the background, and follow the theme") {
  EventFixture events;
  for (int i = 0; i < 50'000; ++i) events.op("name " + std::to_string(i), 10 * i, 5);
  const auto trace = events.build();
  WorkerPool pool(1);
  SliceStyle look(trace, pool, [] {});
  const SliceId first = slice_named(*trace, "name 0");
  for (const bool dark : {true, false}) {
    const Theme theme = Theme::make(dark);
    CHECK(settle(look, {}, theme) == SliceStyle::Change::palette);
    CHECK(look.color_of(first) == name_colors(*trace, theme)[index_of(trace->name(first))]);
  }
}

TEST_CASE("the legend lists the reasons for idle time that occur, after the slices") {
  const Theme theme = Theme::make(true);
  std::array<bool, kIdleReasonCount> reasons{};
  CHECK(idle_entries(reasons, "GPU", theme).empty());
  reasons[static_cast<std::size_t>(IdleReason::loader)] = true;
  reasons[static_cast<std::size_t>(IdleReason::late_launch)] = true;
  const auto entries = idle_entries(reasons, "GPU", theme);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].text == "idle: data loader");
  CHECK(entries[1].text == "idle: late launch");
  CHECK(entries[0].idle);
  CHECK(entries[0].color != entries[1].color);
  CHECK(entries[0].key != entries[1].key);
}
