// Covers: annotation_table
// Ranges marked by the program, on the CPU and on GPUs, by name and side.
#include "core/tables/name_stats/annotation_table.hpp"

#include <doctest/doctest.h>

#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"

TEST_CASE("groups annotations by name and side") {
  kino::EventFixture events;
  for (std::int64_t i = 0; i < 3; ++i) {
    events.slice(kino::TrackClass::cpu, "user_annotation", "forward", 1000 * i, 100 + i, "1");
    events.slice(kino::TrackClass::gpu, "gpu_user_annotation", "forward", 1000 * i + 200, 400, "7");
  }
  events.slice(kino::TrackClass::cpu, "user_annotation", "backward", 5000, 50, "1");
  const auto trace = events.build();
  kino::TableRequest request;
  request.name = "annotations";
  const auto table = kino::compute_table(kino::RangeAnalyses(*trace), request);
  REQUIRE(table.ok());
  REQUIRE(table.value().row_count() == 3);
  const auto& names = std::get<kino::TableColumn::Texts>(table.value().find("name")->values);
  const auto& sides = std::get<kino::TableColumn::Texts>(table.value().find("side")->values);
  const auto& counts = std::get<kino::TableColumn::Integers>(table.value().find("count")->values);
  const auto& totals = std::get<kino::TableColumn::Integers>(table.value().find("total_ns")->values);
  CHECK(names == std::vector<std::string>{"forward", "forward", "backward"});
  CHECK(sides == std::vector<std::string>{"GPU", "CPU", "CPU"});
  CHECK(counts == std::vector<std::int64_t>{3, 3, 1});
  CHECK(totals == std::vector<std::int64_t>{1200, 303, 50});
  CHECK(table.value().find("share") == nullptr);  // meaningless for both sides together
  const kino::RangeAnalysis whole(*trace, kino::whole_range(*trace));
  const auto instances =
      kino::kAnnotationTable.instances(whole, {table.value(), 1, table.value().slice_of(1), 0}, {});
  CHECK(instances.size() == 3);
}
