// Covers: trace_tables, snapshot_table_kinds
// The list of a trace's tables: unique names, adjacent tables per heading, keys that are unique per row.
#include "core/tables/analysis/trace_tables.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::TableInfo;

std::shared_ptr<const kino::Trace> some_trace() {
  kino::EventFixture events;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = 1000 * step;
    events
        .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(step), at, 900, "1")
        .slice(kino::TrackClass::cpu, "python_function", "nn.Module: Linear_0", at + 5, 300, "1")
        .op("aten::mm", at + 10, 100)
        .told({{'I', "[[2, 3], [3, 4]]"}})
        .launch(at + 20, 10, static_cast<std::uint32_t>(10 * step + 1))
        .kernel("gemm", at + 50, 200, static_cast<std::uint32_t>(10 * step + 1))
        .op("aten::relu", at + 400, 50)
        .launch(at + 410, 10, static_cast<std::uint32_t>(10 * step + 2))
        .kernel("relu", at + 500, 20, static_cast<std::uint32_t>(10 * step + 2), "20")
        .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", at + 600, 100, 0, "20")
        .slice(kino::TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", at + 700, 50, "7");
  }
  return events.build();
}

/// The row's cells of these columns.
std::string key_of(const kino::Table& table, std::span<const std::string_view> keys, std::size_t row) {
  std::string key;
  for (const std::string_view name : keys) {
    const kino::TableColumn* const column = table.find(name);
    if (column == nullptr) return {};
    if (const auto* texts = std::get_if<kino::TableColumn::Texts>(&column->values)) key += (*texts)[row];
    if (const auto* numbers = std::get_if<kino::TableColumn::Integers>(&column->values))
      key += std::to_string((*numbers)[row]);
    key += '|';
  }
  return key;
}

}  // namespace

TEST_CASE("gives every table of a kind of file a unique name, a title and a heading, grouped by heading") {
  for (const auto kinds : {kino::table_kinds(), kino::snapshot_table_kinds()}) {
    std::set<std::string_view> names;
    std::set<kino::msg::Id> headings;
    kino::msg::Id last = kino::msg::nothing;
    for (const TableInfo* const kind : kinds) {
      CAPTURE(std::string(kind->name));
      CHECK(names.insert(kind->name).second);
      CHECK(kind->title != kino::msg::nothing);
      CHECK(kind->about != kino::msg::nothing);
      if (kind->heading != last) CHECK(headings.insert(kind->heading).second);
      last = kind->heading;
      CHECK(kino::kind_named(kinds, kind->name) == kind);
      for (std::size_t i = 0; i < kind->groups.size(); ++i)
        CHECK(kind->group_named(kind->groups[i].name) == i);
      CHECK_FALSE(kind->group_named("nothing").has_value());
    }
  }
  CHECK(kino::kind_named(kino::table_kinds(), "nothing") == nullptr);
}

TEST_CASE("has key columns that identify rows") {
  const auto trace = some_trace();
  const kino::RangeAnalyses analyses(*trace);
  for (const TableInfo* const kind : kino::table_kinds()) {
    for (std::size_t group = 0; group < std::max<std::size_t>(1, kind->groups.size()); ++group) {
      if (kind->keys_of(group).empty()) continue;
      CAPTURE(std::string(kind->name));
      CAPTURE(group);
      kino::TableRequest request;
      request.name = kind->name;
      if (!kind->groups.empty()) request.group = kind->groups[group].name;
      const auto table = kino::compute_table(analyses, request);
      REQUIRE(table.ok());
      std::set<std::string> seen;
      for (std::size_t row = 0; row < table.value().row_count(); ++row) {
        const std::string key = key_of(table.value(), kind->keys_of(group), row);
        CAPTURE(key);
        CHECK_FALSE(key.empty());
        // Only their texts differ between findings of one kind.
        if (kind->name != "summary") CHECK(seen.insert(key).second);
      }
    }
  }
}

TEST_CASE("notes how to record missing data, except for an empty range") {
  const auto notes = [](const kino::Trace& trace, kino::TimeRange range, const TableInfo& kind,
                        std::size_t group) {
    const kino::Table table =
        kino::table_of(kind, kino::RangeAnalysis(trace, range), {.group = group, .stream = {}});
    CHECK(table.row_count() == 0);
    return table.notes;
  };
  const auto all = kino::table_kinds();
  const TableInfo& python = *kino::kind_named(all, "python");
  const TableInfo& memory = *kino::kind_named(all, "memory");
  const auto bare = kino::EventFixture().op("aten::mm", 0, 100).build();
  const kino::TimeRange whole = kino::whole_range(*bare);
  const std::vector<kino::Message> stack{
      "The trace has no Python functions. Record them with profile(with_stack=True)."};
  const std::vector<kino::Message> allocations{
      "The trace has no allocations. Record them with profile(profile_memory=True)."};
  CHECK(notes(*bare, whole, python, 0) == stack);
  CHECK(notes(*bare, whole, memory, 0) == allocations);
  CHECK(notes(*bare, whole, memory, 1) == allocations);
  const auto both = kino::EventFixture()
                        .slice(kino::TrackClass::cpu, "python_function", "main", 0, 100, "1")
                        .memory(20, 1000, 1)
                        .op("aten::mm", 500, 100)
                        .build();
  CHECK(notes(*both, {400, 600}, python, 0).empty());
  CHECK(notes(*both, {400, 600}, memory, 0).empty());
  CHECK(notes(*both, {400, 600}, memory, 1).empty());
}

TEST_CASE("notes that idle times are upper limits if launches lost their kernels") {
  const auto notes_of = [](const char* table, std::uint32_t lost) {
    kino::EventFixture events;
    for (std::uint32_t i = 1; i <= 10; ++i) {
      events.op("aten::mm", 100 * i, 50).launch(100 * i + 10, 10, i);
      if (i > lost) events.kernel("gemm", 100 * i + 30, 40, i);
    }
    const auto trace = events.build();
    const kino::RangeAnalysis analysis(*trace, kino::whole_range(*trace));
    const TableInfo* const kind = kino::kind_named(kino::table_kinds(), table);
    REQUIRE(kind != nullptr);
    std::string notes;
    for (const kino::Message& note : kino::table_of(*kind, analysis).notes) notes += note.str() + "\n";
    return notes;
  };
  const std::string caveat =
      "3 of 10 launches have no GPU work in the trace. Idle times are upper bounds, and their causes are "
      "unknown.";
  for (const char* const table : {"steps", "breakdown", "utilization", "idle", "gaps"}) {
    CAPTURE(table);
    CHECK(notes_of(table, 3).find(caveat) != std::string::npos);
    CHECK(notes_of(table, 0).find("upper limits") == std::string::npos);
  }
  CHECK(notes_of("kernels", 3).find("upper limits") == std::string::npos);
}
