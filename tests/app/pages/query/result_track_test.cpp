// Covers: result_track
// Rows of a query as a counter: of values from each time on, or of the number of rows that run at a time.
#include "app/pages/query/result_track.hpp"

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

TEST_CASE("rows with ts and value are a counter by time; of several values at one time, the last counts") {
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

TEST_CASE("returns no track for rows without times") {
  Table table;
  table.add_texts("ts", "ts", "") = {"a"};
  table.add_integers("dur", "dur", Unit::ns, "") = {10};
  CHECK(points_of(table).empty());
  CHECK(points_of(Table{}).empty());
}

TEST_CASE("makes one track per lane, and one named after the query for other rows") {
  const auto trace = EventFixture().kernel("gemm", kBeginNs, 10'000).build();
  Table table;
  table.add_integers("ts", "ts", Unit::id, "") = {kBeginNs, kBeginNs + 5, kBeginNs + 20, kBeginNs + 30};
  table.add_integers("dur", "dur", Unit::ns, "") = {10, 10, 5, 5};
  table.add_texts("name", "name", "") = {"gemm", "copy", "gemm", ""};
  const auto names = [&] {
    std::vector<std::string> names;
    const auto made = track_of_result(table, *trace, "select 1");
    REQUIRE(made != nullptr);
    for (const Track& track : made->tracks) names.push_back(track.name.str());
    return names;
  };
  CHECK(names() == std::vector<std::string>{"SQL: select 1", "SQL: copy", "SQL: gemm"});
  const auto made = track_of_result(table, *trace, "select 1");
  CHECK(made->row(2).time_ns.size() == 4);  // the begins and ends of two rows
  table.add_integers("lane", "lane", Unit::id, "") = {7, 7, 7, 20};
  CHECK(names() == std::vector<std::string>{"SQL: 20", "SQL: 7"});
}

TEST_CASE("limits tracks to the lanes with most rows and one for the rest") {
  const auto trace = EventFixture().kernel("gemm", kBeginNs, 10'000).build();
  Table table;
  TableColumn::Integers& ts = table.add_integers("ts", "ts", Unit::id, "");
  for (int i = 0; i < 2000; ++i) ts.push_back(kBeginNs + i);
  TableColumn::Integers& value = table.add_integers("value", "value", Unit::count, "");
  for (int i = 0; i < 2000; ++i) value.push_back(i);
  TableColumn::Texts& name = table.add_texts("name", "name", "");
  for (int i = 0; i < 2000; ++i) name.push_back(i < 1000 ? "often" : "once " + std::to_string(i));
  const auto made = track_of_result(table, *trace, "select 1");
  REQUIRE(made != nullptr);
  REQUIRE(made->tracks.size() == 25);
  CHECK(made->tracks[0].name == "SQL: often");
  CHECK(made->tracks[24].name == "SQL: select 1");
  CHECK(made->row(0).time_ns.size() == 1000);
  CHECK(made->row(24).time_ns.size() == 1000 - 23);
}
