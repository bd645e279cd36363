// Covers: hit_table
// Hits of a search in the requested order, as a list and as a table.
#include "core/trace/search/hit_table.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

using namespace kino;

namespace {

struct SomeHits {
  std::shared_ptr<const Trace> trace;
  SliceSet set{0};
  std::vector<SliceId> all;

  SomeHits() {
    std::mt19937 random(5);
    EventFixture events;
    for (int i = 0; i < 3000; ++i) {
      events.op("name " + std::to_string(random() % 30), static_cast<std::int64_t>(random() % 100'000),
                static_cast<std::int64_t>(random() % 50), std::to_string(random() % 4));
    }
    trace = events.build();
    set = SliceSet(trace->slice_count());
    for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
      if (random() % 3 == 0) continue;
      set.insert(i);
      all.push_back(SliceId{i});
    }
  }

  /// The slice's value in the column, a text or a number.
  std::pair<std::string, std::int64_t> key(std::size_t column, SliceId id) const {
    const std::uint32_t i = index_of(id);
    switch (static_cast<HitColumn>(column)) {
      case HitColumn::name:
        return {std::string(trace->name_of(id)), 0};
      case HitColumn::kind:
        return {std::string(text_of(trace->slices.kind[i])), 0};
      case HitColumn::track:
        return {trace->tracks[index_of(trace->rows[index_of(trace->row_of(id))].track)].name.str(), 0};
      case HitColumn::start:
        return {"", trace->slices.start_ns[i]};
      case HitColumn::duration:
        break;
    }
    return {"", trace->slices.duration_ns[i]};
  }

  std::vector<SliceId> sorted(const std::vector<TableOrder>& order) const {
    std::vector<SliceId> ids = all;
    std::sort(ids.begin(), ids.end(), [&](SliceId a, SliceId b) {
      for (const TableOrder& by : order) {
        const auto key_a = key(by.column, a);
        const auto key_b = key(by.column, b);
        if (key_a != key_b) return by.descending ? key_b < key_a : key_a < key_b;
      }
      const auto tie = [&](SliceId id) { return std::pair(trace->slices.start_ns[index_of(id)], id); };
      return tie(a) < tie(b);
    });
    return ids;
  }
};

}  // namespace

TEST_CASE("hits in every order equal a sort of all hits, and are limited in number") {
  const SomeHits hits;
  std::vector<std::vector<TableOrder>> orders{{}};
  for (std::size_t column = 0; column < kHitColumnCount; ++column) {
    for (const bool descending : {false, true}) {
      orders.push_back({{column, descending}});
      orders.push_back({{column, descending}, {static_cast<std::size_t>(HitColumn::duration), true}});
    }
  }
  for (const std::vector<TableOrder>& order : orders) {
    const std::vector<SliceId> sorted = hits.sorted(order);
    for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, std::size_t{70}, std::size_t{100'000}}) {
      const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(limit, sorted.size()));
      CHECK(ordered_hits(*hits.trace, hits.set, order, limit, {}, 2) == std::vector(sorted.begin(), end));
    }
  }
  std::stop_source stop;
  stop.request_stop();
  CHECK(ordered_hits(*hits.trace, hits.set, {}, 10, stop.get_token()).empty());
  CHECK(ordered_hits(*hits.trace, SliceSet(hits.trace->slice_count()), {}, 10).empty());
}

TEST_CASE("the table of hits contains the first ones in the order of all, and notes that there are more") {
  const SomeHits hits;
  const std::vector<TableOrder> longest{{static_cast<std::size_t>(HitColumn::duration), true}};
  const Table table = hit_table(*hits.trace, hits.set, longest, 70);
  REQUIRE(table.row_count() == 70);
  CHECK(table.slice_of(0) == hits.sorted(longest).front());
  CHECK(kino_test::integer(table, "duration_ns", 0) == 49);
  CHECK(kino_test::text(table, "name", 0) == hits.trace->name_of(table.slice_of(0)));
  CHECK(kino_test::text(table, "kind", 0) == "operator");
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes.front().str().starts_with("Only the first 70 of "));
  CHECK(hit_table(*hits.trace, hits.set, {}, 100'000).notes.empty());
  // The grid sorts the rows again by their texts: this changes nothing.
  const std::vector<TableOrder> by_track{{static_cast<std::size_t>(HitColumn::track), false},
                                         longest.front()};
  const std::vector<std::uint32_t> rows =
      ordered_rows(hit_table(*hits.trace, hits.set, by_track, 500), by_track);
  CHECK(std::ranges::is_sorted(rows));
}
