// Covers: tile_builder
#include "render/tile_builder.hpp"

#include <atomic>
#include <future>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/trace_fixture.hpp"

namespace kino {
namespace {

TileKey key_of(std::int64_t number) { return {LaneDraw::Kind::slices, 0, {0, number}}; }

/// A builder for one row, on a pool of one thread that can be blocked.
struct Workshop {
  Workshop() {
    TraceFixture fixture;
    fixture.add_row({{0, 100, 0}, {600, 10, 0}, {2000, 10, 0}});
    trace = fixture.build();
    builder = std::make_unique<TileBuilder>(trace, pool, [this] { ++wakes; });
  }

  /// Waits until the pool has no urgent jobs.
  void settle() {
    std::promise<void> done;
    pool.post(WorkerPool::Priority::normal, [&] { done.set_value(); });
    done.get_future().wait();
  }

  std::vector<BuiltTile> take() const {
    std::vector<BuiltTile> built;
    builder->take(built);
    return built;
  }

  std::shared_ptr<const Trace> trace;
  std::atomic<int> wakes = 0;
  WorkerPool pool{1};
  std::unique_ptr<TileBuilder> builder;
};

TEST_CASE("builds wanted tiles in order, with one wake for all of them") {
  Workshop workshop;
  const std::vector<TileRequest> wanted{{key_of(0), true}, {key_of(1), true}, {key_of(3), true}};
  workshop.builder->request(wanted);
  workshop.settle();
  const std::vector<BuiltTile> built = workshop.take();
  REQUIRE(built.size() == 3);
  for (std::size_t i = 0; i < built.size(); ++i) {
    CHECK(built[i].key == wanted[i].key);
    CHECK(built[i].texel_count() == 1);
  }
  CHECK(workshop.wakes == 1);
  CHECK(workshop.take().empty());
}

TEST_CASE("a new set of wanted tiles replaces the old one") {
  Workshop workshop;
  std::promise<void> gate;
  std::promise<void> running;
  workshop.pool.post(WorkerPool::Priority::urgent, [&] {
    running.set_value();
    gate.get_future().wait();
  });
  running.get_future().wait();
  workshop.builder->request(std::vector<TileRequest>{{key_of(0), true}, {key_of(1), true}});
  workshop.builder->request(std::vector<TileRequest>{{key_of(3), true}});
  gate.set_value();
  workshop.settle();
  const std::vector<BuiltTile> built = workshop.take();
  REQUIRE(built.size() == 1);
  CHECK(built[0].key == key_of(3));
}

TEST_CASE("a tile built ahead of need does not wake until it is visible") {
  Workshop workshop;
  workshop.builder->request(std::vector<TileRequest>{{key_of(0), false}});
  workshop.settle();
  CHECK(workshop.wakes == 0);
  workshop.builder->request(std::vector<TileRequest>{{key_of(0), true}});
  CHECK(workshop.wakes == 1);
  workshop.settle();
  CHECK(workshop.take().size() == 1);
}

TEST_CASE("does not rebuild tiles that are ready, and builds a tile requested twice once") {
  Workshop workshop;
  for (int i = 0; i < 3; ++i) {
    workshop.builder->request(std::vector<TileRequest>{{key_of(0), true}, {key_of(0), true}});
    workshop.settle();
  }
  CHECK(workshop.take().size() == 1);
}

}  // namespace
}  // namespace kino
