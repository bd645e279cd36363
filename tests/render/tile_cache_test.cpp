// Covers: tile_cache
#include "render/tile_cache.hpp"

#include <chrono>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/offscreen_gl.hpp"
#include "tests/fixtures/trace_fixture.hpp"

namespace kino {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// A row in which every ns of `length_ns` is a slice, so a tile of level 0 has 512 instances.
std::shared_ptr<const Trace> dense_trace(std::int64_t length_ns) {
  std::vector<FixtureSlice> slices;
  for (std::int64_t i = 0; i < length_ns; ++i) slices.push_back({i, 1, 0});
  TraceFixture fixture;
  fixture.add_row(std::move(slices));
  return fixture.build();
}

TileKey cache_key(std::int64_t number) { return {LaneDraw::Kind::slices, 0, {0, number}}; }

/// Draws frames until the tiles [first, last) are cached.
void show(TileCache& cache, std::int64_t first, std::int64_t last, double budget_ms = 1000) {
  for (int frame = 0; frame < 5000; ++frame) {
    cache.begin_frame(budget_ms);
    std::vector<TileRequest> missing;
    for (std::int64_t number = first; number < last; ++number) {
      if (cache.find(cache_key(number)) == nullptr) missing.push_back({cache_key(number), true});
    }
    if (missing.empty()) return;
    cache.request(std::move(missing));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  FAIL("the tiles never came");
}

TEST_CASE("the cache evicts the least recently used tiles, respects its budget, and keeps tiles in use") {
  REQUIRE_MESSAGE(offscreen_gl_failure().empty(), offscreen_gl_failure());
  WorkerPool pool(1);
  TileCache cache(dense_trace(600'000), pool, nullptr, 4 * kMiB);
  // 128 tiles of 8 KiB fill a page of 1 MiB.
  for (std::int64_t first = 0; first < 1100; first += 100) {
    show(cache, first, first + 50);
    show(cache, first + 50, first + 100);
    CHECK(cache.size_bytes() <= 5 * kMiB);
  }
  CHECK(cache.find(cache_key(0)) == nullptr);
  CHECK(cache.find(cache_key(1099)) != nullptr);
  REQUIRE(cache.find(cache_key(1060)) != nullptr);
  CHECK(cache.find(cache_key(1060))->texel_count == 512);
}

TEST_CASE("each frame uploads at least one tile") {
  REQUIRE_MESSAGE(offscreen_gl_failure().empty(), offscreen_gl_failure());
  WorkerPool pool(1);
  TileCache cache(dense_trace(10'000), pool, nullptr);
  show(cache, 0, 19, 0);
}

TEST_CASE("empty tiles are cached too, and bounded") {
  REQUIRE_MESSAGE(offscreen_gl_failure().empty(), offscreen_gl_failure());
  WorkerPool pool(1);
  TileCache cache(dense_trace(10), pool, nullptr, 2 * kMiB);
  for (std::int64_t first = 1; first < 60'000; first += 2000) show(cache, first, first + 2000);
  CHECK(cache.size_bytes() <= 5 * kMiB);
  REQUIRE(cache.find(cache_key(59'999)) != nullptr);
  CHECK(cache.find(cache_key(59'999))->texel_count == 0);
}

}  // namespace
}  // namespace kino
