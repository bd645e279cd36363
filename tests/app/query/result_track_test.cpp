// Rows of a query as a counter: values from a time on, or how many rows run.
#include "app/query/result_track.hpp"

#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

constexpr std::int64_t kBeginNs = 1'743'406'976'000'000'000;

std::vector<std::pair<std::int64_t, double>> points_of(const Table& table) {
  const auto trace = EventFixture().kernel("gemm", kBeginNs, 10'000).build();
  const auto made = track_of_result(table, *trace, "select 1");
  if (made == nullptr) return {};
  REQUIRE(made->tracks.size() == 1);
  CHECK(made->tracks[0].name == "SQL: select 1");
  const CounterRow row = made->row(0);
  std::vector<std::pair<std::int64_t, double>> points;
  for (std::size_t i = 0; i < row.time_ns.size(); ++i) points.emplace_back(row.time_ns[i], row.value[i]);
  return points;
}

}  // namespace

TEST_CASE("rows with ts and value are a counter by time, the last value of a time counts") {
  Table table;
  table.add_integers("ts", "ts", Unit::id, "") = {kBeginNs + 30, kBeginNs + 10, kBeginNs + 10, kNoInteger};
  table.add_numbers("value", "value", Unit::number, "") = {3.5, 1, 2, 9};
  CHECK(points_of(table) == std::vector<std::pair<std::int64_t, double>>{{10, 2}, {30, 3.5}});
}

TEST_CASE("rows with ts and dur count how many run at a time") {
  Table table;
  table.add_integers("ts", "ts", Unit::id, "") = {kBeginNs, kBeginNs + 5, kBeginNs + 20};
  table.add_integers("dur", "dur", Unit::ns, "") = {10, 5, -1};
  CHECK(points_of(table) == std::vector<std::pair<std::int64_t, double>>{{0, 1}, {5, 2}, {10, 0}});
}

TEST_CASE("rows without times are no track") {
  Table table;
  table.add_texts("ts", "ts", "") = {"a"};
  table.add_integers("dur", "dur", Unit::ns, "") = {10};
  CHECK(points_of(table).empty());
  CHECK(points_of(Table{}).empty());
}
