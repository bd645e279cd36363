// Covers: timeline_renderer
#include "render/timeline_renderer.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <epoxy/gl.h>

#include "tests/fixtures/offscreen_gl.hpp"
#include "tests/fixtures/trace_fixture.hpp"

namespace kino {
namespace {

constexpr int kWidth = kOffscreenWidth;
constexpr int kHeight = kOffscreenHeight;
constexpr std::uint32_t kBackground = 0xff201810U;
constexpr std::uint32_t kCounterColor = 0xff30c0f0U;
constexpr std::uint32_t kInstantColor = 0xffffffffU;
constexpr std::uint32_t kRed = 0xff2020e0U;
constexpr std::uint32_t kGreen = 0xff20e020U;

/// Pixels as packed colors, (0, 0) at the top left.
struct Picture {
  std::vector<std::uint32_t> pixels = std::vector<std::uint32_t>(kWidth * kHeight);
  std::uint32_t at(int x, int y) const {
    return pixels[static_cast<std::size_t>((kHeight - 1 - y) * kWidth + x)];
  }
  bool lit(int x, int y) const { return at(x, y) != kBackground; }
  std::set<int> lit_columns(int y) const {
    std::set<int> columns;
    for (int x = 0; x < kWidth; ++x) {
      if (lit(x, y)) columns.insert(x);
    }
    return columns;
  }
};

int green_of(std::uint32_t color) { return static_cast<int>(color >> 8 & 255U); }

/// A renderer on the shared context with its own pool.
class Stage {
 public:
  explicit Stage(const TraceFixture& fixture, std::uint32_t names = 1) : pool(1) {
    REQUIRE_MESSAGE(offscreen_gl_failure().empty(), offscreen_gl_failure());
    trace = fixture.build();
    renderer = std::make_unique<TimelineRenderer>(trace, pool, [this] { ++wakes; });
    renderer->set_surface_colors(kBackground, kCounterColor, kInstantColor);
    renderer->set_palette(std::vector<std::uint32_t>(names, kGreen));
  }

  DrawStats draw_once(const TimeView& view, const std::vector<LaneDraw>& lanes, PixelArea area) {
    glDisable(GL_SCISSOR_TEST);
    glClearColor(0x10 / 255.0F, 0x18 / 255.0F, 0x20 / 255.0F, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    return renderer->draw(view, lanes, area);
  }

  /// Draws until every tile is present at its level.
  Picture draw(const TimeView& view, const std::vector<LaneDraw>& lanes,
               PixelArea area = {0, 0, kWidth, kHeight, kHeight}) {
    for (int frame = 0; frame < 5000; ++frame) {
      stats = draw_once(view, lanes, area);
      if (renderer->complete()) return read();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    FAIL("the tiles never became complete");
    return {};
  }

  static Picture read() {
    Picture picture;
    glReadPixels(0, 0, kWidth, kHeight, GL_RGBA, GL_UNSIGNED_BYTE, picture.pixels.data());
    REQUIRE(glGetError() == GL_NO_ERROR);
    return picture;
  }

  WorkerPool pool;
  std::atomic<int> wakes = 0;
  std::shared_ptr<const Trace> trace;
  std::unique_ptr<TimelineRenderer> renderer;
  DrawStats stats;
};

constexpr LaneDraw lane_of(LaneDraw::Kind kind, std::uint32_t index) { return {kind, index, 10, 40}; }
constexpr int kInsideY = 30;

TEST_CASE("a single slice of 1 ns lights its pixel at every zoom") {
  constexpr std::int64_t kStart = 1'000'003;
  TraceFixture fixture;
  fixture.add_row({{kStart, 1, 0}});
  Stage stage(fixture);
  for (int zoom = -6; zoom <= 40; ++zoom) {
    for (const double place_px : {0.0, 37.4, 511.9, 638.5}) {
      const double ns_per_px = std::ldexp(1.1, zoom);
      const TimeView view{static_cast<double>(kStart) - place_px * ns_per_px, ns_per_px, kWidth};
      const Picture picture = stage.draw(view, {lane_of(LaneDraw::Kind::slices, 0)});
      const std::set<int> columns = picture.lit_columns(kInsideY);
      REQUIRE(!columns.empty());
      // At the left edge of the area, rounding of begin_ns may place it just inside or outside.
      CHECK(std::abs(*columns.begin() - std::floor(place_px)) <= (place_px == 0 ? 1 : 0));
      CHECK(static_cast<double>(columns.size()) <= 1 / ns_per_px + 1.5);
      CHECK(green_of(picture.at(*columns.begin(), kInsideY)) > green_of(kBackground) + 40);
    }
  }
}

TEST_CASE("a fully busy row shows no gap at any tile edge in 200 random views") {
  std::mt19937_64 random(21);
  std::vector<FixtureSlice> slices;
  std::int64_t now = -40'000'000'000;
  for (int i = 0; i < 60'000; ++i) {
    const auto length = static_cast<std::int64_t>(1 + (random() >> (64 - 1 - random() % 22)));
    slices.push_back({now, length, static_cast<std::uint32_t>(random() % 3)});
    now += length;
  }
  const double begin = static_cast<double>(slices.front().start_ns);
  const double length = static_cast<double>(now) - begin;
  TraceFixture fixture;
  fixture.add_row(slices);
  Stage stage(fixture, 3);
  std::uniform_real_distribution<double> share(0, 1);
  for (int round = 0; round < 200; ++round) {
    const double longest_px = std::log2(length / kWidth);
    const double ns_per_px = std::exp2(-6 + share(random) * (longest_px + 6));
    const TimeView view{begin + share(random) * (length - ns_per_px * kWidth), ns_per_px, kWidth};
    const Picture picture = stage.draw(view, {lane_of(LaneDraw::Kind::slices, 0)});
    REQUIRE(picture.lit_columns(kInsideY).size() == kWidth);
  }
}

TEST_CASE("gaps much narrower than a pixel never show as a dark column") {
  std::mt19937_64 random(24);
  std::vector<FixtureSlice> slices;
  std::int64_t now = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto length = static_cast<std::int64_t>(100 + random() % 5000);
    slices.push_back({now, length, 0});
    now += length + 10;
  }
  TraceFixture fixture;
  fixture.add_row(slices);
  Stage stage(fixture);
  for (int round = 0; round < 100; ++round) {
    const double ns_per_px = std::exp2(5 + static_cast<double>(random() % 1000) / 1000 * 13);
    const TimeView view{static_cast<double>(random() % 100'000'000), ns_per_px, kWidth};
    const Picture picture = stage.draw(view, {lane_of(LaneDraw::Kind::slices, 0)});
    REQUIRE(picture.lit_columns(kInsideY).size() == kWidth);
  }
}

TEST_CASE("a row that is busier is brighter") {
  TraceFixture fixture;
  std::vector<LaneDraw> lanes;
  for (const std::int64_t busy : {1, 100, 300, 600, 1000}) {
    std::vector<FixtureSlice> slices;
    for (std::int64_t i = 0; i < 20'000; ++i) slices.push_back({i * 1000, busy, 0});
    const RowId row = fixture.add_row(slices);
    lanes.push_back({LaneDraw::Kind::slices, index_of(row), static_cast<float>(lanes.size()) * 16, 16});
  }
  Stage stage(fixture);
  const Picture picture = stage.draw({0, 20'000'000.0 / kWidth, kWidth}, lanes);
  double before = green_of(kBackground);
  for (int lane = 0; lane < 5; ++lane) {
    double sum = 0;
    for (int x = 0; x < kWidth; ++x) sum += green_of(picture.at(x, lane * 16 + 8));
    CHECK(sum / kWidth > before + 10);
    before = sum / kWidth;
  }
  CHECK(before > 0.95 * green_of(kGreen));
}

TEST_CASE("new colors appear in the next draw without building a tile") {
  TraceFixture fixture;
  fixture.add_row({{0, 1000, 0}, {1000, 1000, 5000}});
  Stage stage(fixture, 5001);
  const TimeView view{0, 2000.0 / kWidth, kWidth};
  const std::vector<LaneDraw> lanes{lane_of(LaneDraw::Kind::slices, 0)};
  CHECK(stage.draw(view, lanes).at(500, kInsideY) == kGreen);
  std::vector<std::uint32_t> colors(5001, kGreen);
  colors[5000] = kRed;
  stage.renderer->set_palette(colors);
  const DrawStats stats = stage.draw_once(view, lanes, {0, 0, kWidth, kHeight, kHeight});
  CHECK(stats.tiles_missing == 0);
  const Picture picture = Stage::read();
  CHECK(picture.at(500, kInsideY) == kRed);
  CHECK(picture.at(100, kInsideY) == kGreen);
}

TEST_CASE("other keys give other colors, and old tiles remain until new ones are built") {
  TraceFixture fixture;
  fixture.add_row({{0, 1000, 0}, {1000, 1000, 0}});
  Stage stage(fixture);
  const TimeView view{0, 2000.0 / kWidth, kWidth};
  const std::vector<LaneDraw> lanes{lane_of(LaneDraw::Kind::slices, 0)};
  CHECK(stage.draw(view, lanes).at(500, kInsideY) == kGreen);
  const auto keys = std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{7, 6});
  std::vector<std::uint32_t> palette(8, kRed);
  palette[7] = kCounterColor;
  stage.renderer->set_paint({keys, nullptr}, palette);
  CHECK(stage.draw_once(view, lanes, {0, 0, kWidth, kHeight, kHeight}).tiles_missing > 0);
  CHECK(Stage::read().at(500, kInsideY) == kGreen);
  const Picture after = stage.draw(view, lanes);
  CHECK(after.at(100, kInsideY) == kCounterColor);
  CHECK(after.at(500, kInsideY) == kRed);
  stage.renderer->set_paint({}, std::vector<std::uint32_t>{kGreen});
  CHECK(stage.draw(view, lanes).at(500, kInsideY) == kGreen);
}

TEST_CASE("slices that are not hits fade, and a hit among many shows in its cell") {
  TraceFixture fixture;
  std::vector<FixtureSlice> slices{{0, 500'000, 0}, {500'000, 400'000, 0}};
  for (int i = 0; i < 100; ++i) slices.push_back({900'000 + i * 2, 2, 0});
  slices.push_back({1'000'000, 100, 0});
  fixture.add_row(slices);
  Stage stage(fixture);
  const TimeView view{0, 1'200'000.0 / kWidth, kWidth};
  const std::vector<LaneDraw> lanes{lane_of(LaneDraw::Kind::slices, 0)};
  stage.draw(view, lanes);
  SliceSet hits(slices.size());
  hits.insert(1);
  hits.insert(57);
  stage.renderer->set_paint({nullptr, std::make_shared<const SliceSet>(hits)},
                            std::vector<std::uint32_t>{kGreen});
  stage.renderer->set_unmatched_share(0);
  const Picture picture = stage.draw(view, lanes);
  const auto x = [&](double ns) { return static_cast<int>(view.px_from_ns(ns)); };
  CHECK(picture.at(x(250'000), kInsideY) == kBackground);
  CHECK(picture.at(x(700'000), kInsideY) == kGreen);
  CHECK(green_of(picture.at(x(900'100), kInsideY)) > green_of(kGreen) * 3 / 4);
  CHECK(picture.at(x(1'000'050), kInsideY) == kBackground);
}

TEST_CASE("idle time, the gap under a lane and pixels outside the area remain background") {
  TraceFixture fixture;
  fixture.add_row({{0, 100, 0}, {540, 100, 0}});
  Stage stage(fixture);
  const PixelArea area{100, 20, 400, 50, kHeight};
  const Picture picture = stage.draw({-50, 1, 400}, {{LaneDraw::Kind::slices, 0, 5, 20}}, area);
  CHECK(picture.lit(150, 25));
  CHECK(picture.lit(249, 25));
  CHECK(!picture.lit(149, 25));
  CHECK(!picture.lit(250, 25));
  CHECK(!picture.lit(400, 25));
  CHECK(picture.lit(200, 43));
  CHECK(!picture.lit(200, 44));  // the lane's last pixel
  CHECK(!picture.lit(200, 24));
  const Picture busy = stage.draw({10, 0.01, 400}, {{LaneDraw::Kind::slices, 0, -100, 500}}, area);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      REQUIRE(busy.lit(x, y) == (x >= 100 && x < 500 && y >= 20 && y < 70));
    }
  }
}

TEST_CASE("a wide slice ends with a darker pixel column, a narrow one does not") {
  TraceFixture fixture;
  fixture.add_row({{0, 100, 0}, {100, 3, 0}, {103, 100, 0}});
  Stage stage(fixture);
  const Picture picture = stage.draw({0, 1, kWidth}, {lane_of(LaneDraw::Kind::slices, 0)});
  CHECK(picture.at(98, kInsideY) == kGreen);
  CHECK(green_of(picture.at(99, kInsideY)) < green_of(kGreen));
  CHECK(picture.lit(99, kInsideY));
  for (const int x : {100, 101, 102, 103}) CHECK(picture.at(x, kInsideY) == kGreen);
}

TEST_CASE("a tile edge inside a long slice is not drawn as its end") {
  TraceFixture fixture;
  fixture.add_row({{-5000, 10'000, 0}});
  Stage stage(fixture);
  const Picture picture = stage.draw({-100, 2, kWidth}, {lane_of(LaneDraw::Kind::slices, 0)});
  for (int x = 0; x < kWidth; ++x) REQUIRE(picture.at(x, kInsideY) == kGreen);
}

TEST_CASE("every instant has a mark at every zoom") {
  const std::vector<std::int64_t> times{-7000, 0, 1, 2000, 2001, 90'000};
  TraceFixture fixture;
  const TrackId track = fixture.add_instants(times);
  Stage stage(fixture);
  for (double ns_per_px = 0.3; ns_per_px < 1e6; ns_per_px *= 3.7) {
    const TimeView view{-10 * ns_per_px - 7000, ns_per_px, kWidth};
    const Picture picture = stage.draw(view, {lane_of(LaneDraw::Kind::instants, index_of(track))});
    for (const std::int64_t time : times) {
      const double px = view.px_from_ns(static_cast<double>(time));
      if (px < 0 || px >= kWidth) continue;
      REQUIRE(picture.at(static_cast<int>(px), kInsideY) == kInstantColor);
    }
  }
}

TEST_CASE("a counter's single peak reaches the top of its lane at every zoom") {
  std::mt19937_64 random(22);
  std::vector<FixtureSample> samples;
  for (std::int64_t i = 0; i < 50'000; ++i) samples.push_back({i * 100, static_cast<double>(random() % 20)});
  constexpr std::int64_t kPeakNs = 2'345'600;
  samples[kPeakNs / 100].value = 100;
  TraceFixture fixture;
  const TrackId track = fixture.add_counter(samples);
  Stage stage(fixture);
  const std::vector<LaneDraw> lanes{lane_of(LaneDraw::Kind::counter, index_of(track))};
  for (double ns_per_px = 0.05; ns_per_px < 100'000; ns_per_px *= 1.31) {
    const TimeView view{static_cast<double>(kPeakNs) - 300.7 * ns_per_px, ns_per_px, kWidth};
    const Picture picture = stage.draw(view, lanes);
    // The peak's bin is one to two pixels wide, so it may be drawn in the preceding pixel.
    CHECK((picture.at(300, 10) == kCounterColor || picture.at(299, 10) == kCounterColor));
    CHECK(picture.lit(300, 48));
    CHECK(!picture.lit(300, 49));  // the gap under the lane
  }
}

TEST_CASE("a counter's height is its value, and values below zero are drawn below the baseline") {
  TraceFixture fixture;
  const TrackId track = fixture.add_counter({{0, 50}, {200, -50}, {400, 0}, {640, 0}});
  Stage stage(fixture);
  // The lane has 40 rows of pixels and a gap: zero is in the middle.
  const Picture picture = stage.draw({0, 1, kWidth}, {{LaneDraw::Kind::counter, index_of(track), 10, 41}});
  CHECK(picture.at(100, 10) == kCounterColor);
  CHECK(picture.lit(100, 29));
  CHECK(!picture.lit(100, 30));
  CHECK(!picture.lit(300, 29));
  CHECK(picture.lit(300, 30));
  CHECK(picture.at(300, 49) == kCounterColor);
  CHECK(picture.at(500, 30) == kCounterColor);
  CHECK(!picture.lit(500, 28));
}

TEST_CASE("the nearest cached level replaces missing tiles, without drawing over others") {
  TraceFixture fixture;
  std::vector<FixtureSlice> slices;
  for (std::int64_t i = 0; i < 4000; ++i) slices.push_back({i * 1000, 1000, 0});
  fixture.add_row(slices);
  Stage stage(fixture);
  const std::vector<LaneDraw> lanes{lane_of(LaneDraw::Kind::slices, 0)};
  const PixelArea area{0, 0, kWidth, kHeight, kHeight};
  stage.draw({0, 1000, kWidth}, lanes);
  std::promise<void> gate;
  std::promise<void> running;
  stage.pool.post(WorkerPool::Priority::urgent, [&] {
    running.set_value();
    gate.get_future().wait();
  });
  running.get_future().wait();
  for (const double ns_per_px : {500.0, 130.0, 2000.0}) {
    const DrawStats stats = stage.draw_once({1000, ns_per_px, kWidth}, lanes, area);
    CHECK(stats.tiles_missing > 0);
    CHECK(!stage.renderer->complete());
    const auto lit = static_cast<double>(Stage::read().lit_columns(kInsideY).size());
    CHECK(lit >= std::min<double>(kWidth, 600'000 / ns_per_px));
  }
  gate.set_value();
  stage.draw({1000, 500, kWidth}, lanes);
  CHECK(stage.wakes > 0);
}

TEST_CASE("visits wide slices once per lane, clipped to the view, from left to right") {
  TraceFixture fixture;
  std::vector<FixtureSlice> slices{{-100'000, 100'100, 0}, {200, 10, 1}, {300, 2000, 2}, {2300, 50, 3}};
  fixture.add_row(slices);
  fixture.add_row({{0, 400, 0}});
  Stage stage(fixture, 4);
  struct Visit {
    std::uint32_t row;
    SliceId slice;
    double left_px;
    double right_px;
  };
  std::vector<Visit> visits;
  const TimeView view{0, 2, kWidth};
  stage.draw(view, {{LaneDraw::Kind::slices, 0, 0, 20}, {LaneDraw::Kind::slices, 1, 20, 20}});
  stage.renderer->visit_wide_slices(
      24, [&](const LaneDraw& lane, SliceId slice, double left_px, double right_px) {
        visits.push_back({lane.index, slice, left_px, right_px});
      });
  REQUIRE(visits.size() == 3);
  CHECK(visits[0].slice == SliceId{0});
  CHECK(visits[0].left_px == 0);
  CHECK(visits[0].right_px == 50);
  CHECK(visits[1].slice == SliceId{2});
  CHECK(visits[1].left_px == 150);
  CHECK(visits[1].right_px == kWidth);
  CHECK(visits[2].row == 1);
  CHECK(visits[2].slice == SliceId{4});
  CHECK(visits[2].right_px == 200);
}

TEST_CASE("visits every slice of 24 px or more for a label at random zooms") {
  std::mt19937_64 random(23);
  std::vector<FixtureSlice> slices;
  std::int64_t now = 0;
  for (int i = 0; i < 5000; ++i) {
    now += static_cast<std::int64_t>(random() % 50);
    const auto length = static_cast<std::int64_t>(random() >> (64 - 1 - random() % 14));
    slices.push_back({now, length, 0});
    now += length;
  }
  TraceFixture fixture;
  fixture.add_row(slices);
  Stage stage(fixture);
  for (int round = 0; round < 60; ++round) {
    const double ns_per_px = std::exp2(static_cast<double>(random() % 1600) / 100 - 6);
    const TimeView view{static_cast<double>(random() % static_cast<std::uint64_t>(now)), ns_per_px, kWidth};
    stage.draw(view, {lane_of(LaneDraw::Kind::slices, 0)});
    std::set<std::uint32_t> visited;
    stage.renderer->visit_wide_slices(24, [&](const LaneDraw&, SliceId slice, double, double) {
      REQUIRE(visited.insert(index_of(slice)).second);
    });
    for (std::uint32_t i = 0; i < slices.size(); ++i) {
      const double left = std::max(0.0, view.px_from_ns(static_cast<double>(slices[i].start_ns)));
      const double right = std::min<double>(
          kWidth, view.px_from_ns(static_cast<double>(slices[i].start_ns + slices[i].duration_ns)));
      REQUIRE(visited.contains(i) == (right - left >= 24));
    }
  }
}

TEST_CASE("panning back draws from the cache immediately") {
  std::vector<FixtureSlice> slices;
  for (std::int64_t i = 0; i < 20'000; ++i) slices.push_back({i * 100, 60, 0});
  TraceFixture fixture;
  fixture.add_row(slices);
  Stage stage(fixture);
  const std::vector<LaneDraw> lanes{lane_of(LaneDraw::Kind::slices, 0)};
  for (int step = 0; step < 40; ++step) stage.draw({step * 3000.0, 10, kWidth}, lanes);
  for (int step = 0; step < 40; ++step) {
    const DrawStats stats =
        stage.draw_once({step * 3000.0, 10, kWidth}, lanes, {0, 0, kWidth, kHeight, kHeight});
    REQUIRE(stats.tiles_missing == 0);
  }
}

TEST_CASE("an empty trace, an empty row and an empty area draw nothing") {
  TraceFixture fixture;
  fixture.add_row({});
  const TrackId instants = fixture.add_instants({});
  const TrackId counter = fixture.add_counter({});
  Stage stage(fixture);
  const Picture picture = stage.draw({0, 1, kWidth}, {lane_of(LaneDraw::Kind::slices, 0),
                                                      lane_of(LaneDraw::Kind::instants, index_of(instants)),
                                                      lane_of(LaneDraw::Kind::counter, index_of(counter))});
  CHECK(picture.lit_columns(kInsideY).empty());
  CHECK(stage.stats.instances == 0);
  const DrawStats stats =
      stage.draw_once({0, 1, 0}, {lane_of(LaneDraw::Kind::slices, 0)}, {0, 0, 0, 0, kHeight});
  CHECK(stats.tiles_drawn == 0);
}

TEST_CASE("a renderer can be destroyed with pending tiles, and never wakes afterwards") {
  std::vector<FixtureSlice> slices;
  for (std::int64_t i = 0; i < 20'000; ++i) slices.push_back({i * 100, 60, 0});
  TraceFixture fixture;
  for (int row = 0; row < 20; ++row) fixture.add_row(slices);
  for (int round = 0; round < 20; ++round) {
    Stage stage(fixture);
    std::vector<LaneDraw> lanes;
    for (std::uint32_t row = 0; row < 20; ++row) {
      lanes.push_back({LaneDraw::Kind::slices, row, static_cast<float>(row) * 4, 4});
    }
    stage.draw_once({0, 1000, kWidth}, lanes, {0, 0, kWidth, kHeight, kHeight});
    stage.renderer.reset();
    const int wakes = stage.wakes;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(stage.wakes == wakes);
  }
}

}  // namespace
}  // namespace kino
