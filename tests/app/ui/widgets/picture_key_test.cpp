// Covers: picture_key
#include "app/ui/widgets/picture_key.hpp"

#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "app/system/offscreen_context.hpp"
#include "render/pixel_texture.hpp"
#include "render/timeline_renderer.hpp"
#include "tests/fixtures/trace_fixture.hpp"

using kino::LaneDraw;
using kino::picture_key;

namespace {

void nothing(const ImDrawList* /*list*/, const ImDrawCmd* /*command*/) {}

/// Key of the list that `draw` fills.
template <class Draw>
std::uint64_t key_of(Draw draw) {
  ImDrawList list(ImGui::GetDrawListSharedData());
  list._ResetForNewFrame();
  list.PushClipRect({0, 0}, {100, 100});
  draw(list);
  return picture_key(list);
}

}  // namespace

TEST_CASE("the key of a list depends on its drawing, on callbacks and on textures") {
  const auto target = kino::OffscreenContext::make(8, 8);
  REQUIRE_MESSAGE(target.ok(), target.error().what.str());
  ImGui::CreateContext();
  {
    const auto box = [](float right, std::uint32_t color) {
      return key_of([=](ImDrawList& list) { list.AddRectFilled({10, 10}, {right, 20}, color); });
    };
    CHECK(box(30, 0xff112233) == box(30, 0xff112233));
    CHECK(box(30, 0xff112233) != box(31, 0xff112233));
    CHECK(box(30, 0xff112233) != box(30, 0xff112234));

    const auto drawing = [](int* who, std::uint64_t key) {
      return key_of([=](ImDrawList& list) { kino::add_drawing(list, nothing, who, key); });
    };
    int one = 0;
    int other = 0;
    CHECK(drawing(&one, 5) == drawing(&one, 5));
    CHECK(drawing(&one, 5) != drawing(&one, 6));
    CHECK(drawing(&one, 5) != drawing(&other, 5));

    kino::PixelTexture texture;
    kino::PixelTexture second;
    const auto image_of = [](const kino::PixelTexture& it) {
      return key_of([&](ImDrawList& list) { kino::add_image(list, it, {0, 0}, {8, 8}); });
    };
    const auto image = [&] { return image_of(texture); };
    const std::vector<std::uint32_t> pixels{1, 2, 3, 4};
    texture.set(2, 2, pixels);
    second.set(2, 2, pixels);
    const std::uint64_t before = image();
    CHECK(image() == before);
    CHECK(image_of(second) != before);
    texture.set(2, 2, pixels);
    CHECK(image() != before);
  }
  ImGui::DestroyContext();
}

TEST_CASE("the key of a timeline changes with view, lanes, area and actual changes of settings") {
  const auto target = kino::OffscreenContext::make(8, 8);
  REQUIRE_MESSAGE(target.ok(), target.error().what.str());
  kino::WorkerPool pool(1);
  kino::TimelineRenderer renderer(kino::TraceFixture().build(), pool, [] {});
  const kino::TimeView view{.begin_ns = 100, .ns_per_px = 3, .width_px = 600};
  const std::array lanes{LaneDraw{.index = 1, .top_px = 0, .height_px = 16},
                         LaneDraw{.index = 2, .top_px = 16, .height_px = 16}};
  const kino::PixelArea area{.x = 1, .y = 2, .width = 600, .height = 90, .framebuffer_height = 96};
  const std::uint64_t before = picture_key(renderer, view, lanes, area);
  CHECK(picture_key(renderer, view, lanes, area) == before);

  auto later = view;
  later.begin_ns += 1e-3;
  CHECK(picture_key(renderer, later, lanes, area) != before);
  auto moved = lanes;
  moved[1].top_px += 1;
  CHECK(picture_key(renderer, view, moved, area) != before);
  auto higher = area;
  ++higher.height;
  CHECK(picture_key(renderer, view, lanes, higher) != before);

  renderer.set_unmatched_share(1);
  CHECK(picture_key(renderer, view, lanes, area) == before);
  renderer.set_unmatched_share(0.5F);
  const std::uint64_t faded = picture_key(renderer, view, lanes, area);
  CHECK(faded != before);
  renderer.set_palette(std::array{0xff112233U});
  CHECK(picture_key(renderer, view, lanes, area) != faded);
}
