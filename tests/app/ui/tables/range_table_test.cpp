// Covers: range_table
// The range's table is sorted, filtered and copied as a person asks.
#include "app/ui/tables/range_table.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

namespace {

struct Fixture {
  std::shared_ptr<const Trace> trace;
  RangeSummary summary;

  Fixture() {
    TraceFixture rows;
    rows.add_row({{0, 100, 0}, {200, 10, 1}, {300, 10, 1}, {400, 40, 2}});
    rows.add_row({{0, 30, 2}, {900, 500, 0}});
    trace = rows.build();
    summary = summarize_range(*trace, {0, 1000}).value();
  }
  std::vector<std::string> names(const RangeOrder& order) const {
    std::vector<std::string> names;
    for (const std::uint32_t i : ordered_rows(*trace, summary, order)) {
      names.emplace_back(trace->name_text(summary.names[i].name));
    }
    return names;
  }
};

}  // namespace

TEST_CASE("rows come in the order of the column, equal ones by name") {
  const Fixture fixture;
  using Names = std::vector<std::string>;
  CHECK(fixture.names({RangeColumn::total, false, ""}) == Names{"name 0", "name 2", "name 1"});
  CHECK(fixture.names({RangeColumn::total, true, ""}) == Names{"name 1", "name 2", "name 0"});
  CHECK(fixture.names({RangeColumn::count, false, ""}) == Names{"name 0", "name 1", "name 2"});
  CHECK(fixture.names({RangeColumn::name, false, ""}) == Names{"name 2", "name 1", "name 0"});
}

TEST_CASE("the filter keeps the names that contain it, in any case") {
  const Fixture fixture;
  CHECK(fixture.names({RangeColumn::total, false, "NAME 1"}) == std::vector<std::string>{"name 1"});
  CHECK(fixture.names({RangeColumn::total, false, "nothing"}).empty());
}

TEST_CASE("the longest slice is measured by its part in the range") {
  const Fixture fixture;
  const NameId name = fixture.trace->slices.name[0];
  const SliceKind kind = fixture.trace->slices.kind[0];
  CHECK(longest_slice(*fixture.trace, {0, 950}, name, kind) == SliceId{0});
  CHECK(longest_slice(*fixture.trace, {0, 1200}, name, kind) == SliceId{5});
  CHECK(longest_slice(*fixture.trace, {110, 150}, name, kind) == kNoSlice);
}

TEST_CASE("the table is copied with a header, every name quoted") {
  const Fixture fixture;
  const auto rows = ordered_rows(*fixture.trace, fixture.summary, {RangeColumn::total, false, "1"});
  const std::string csv = csv_of(*fixture.trace, fixture.summary, rows);
  CHECK(csv.starts_with("name,kind,count,total_ns,"));
  CHECK(csv.find("\r\n\"name 1\",") != std::string::npos);
  CHECK(csv.find(",2,20,20,10,10,10,0.020000,") != std::string::npos);
  CHECK(csv.ends_with(",2\r\n"));
}
