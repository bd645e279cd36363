// Covers: namesakes, part_summary, range_summary, operator_table
// Operators that call themselves count once: in the table of operators, in ranges and in comparisons.
#include "core/trace/links/namesakes.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/part_summary.hpp"
#include "core/tables/analysis/range_summary.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/operator_tree.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::Trace;
using Calls = std::map<std::string, std::uint64_t>;

Calls calls_in_range(const Trace& trace) {
  Calls calls;
  const kino::RangeSummary summary = kino::summarize_range(trace, kino::whole_range(trace)).value();
  for (const kino::NameStats& row : summary.names) {
    if (row.kind == kino::SliceKind::cpu_op)
      calls[std::string(trace.names[kino::index_of(row.name)])] = row.stats.calls();
  }
  return calls;
}

Calls calls_in_part(const Trace& trace) {
  Calls calls;
  const kino::TracePart whole{kino::whole_range(trace), std::nullopt, kino::kNoSlice};
  const std::vector<kino::NameStats> names = kino::summarize_part(trace, whole).value();
  for (const kino::NameStats& row : names) {
    if (row.kind == kino::SliceKind::cpu_op)
      calls[std::string(trace.names[kino::index_of(row.name)])] = row.stats.calls();
  }
  return calls;
}

Calls calls_of_operators(const Trace& trace) {
  Calls calls;
  const auto tree = kino::operator_tree(trace, kino::whole_range(trace), {.annotations = true});
  for (const kino::OperatorRow& row : kino::operator_rows(trace, tree, kino::OperatorGrouping::name))
    calls[std::string(trace.names[kino::index_of(row.name)])] = row.calls;
  return calls;
}

}  // namespace

TEST_CASE("an operator that only calls itself counts once, and its slices count twice") {
  const auto trace = EventFixture()
                         .op("aten::add_", 0, 100)
                         .op("aten::add_", 10, 80)
                         .launch(20, 10, 1)
                         .op("aten::mul", 200, 100)
                         .op("aten::mul", 210, 20)
                         .op("aten::empty", 240, 5)
                         .op("aten::to", 350, 20)
                         .op("aten::to", 360, 0)
                         .op("aten::relu", 400, 50)
                         .slice(kino::TrackClass::cpu, "python_function", "hook", 405, 40, "1")
                         .op("aten::relu", 410, 20)
                         .build();
  const Calls calls = calls_in_range(*trace);
  CHECK(calls ==
        Calls{{"aten::add_", 1}, {"aten::empty", 1}, {"aten::mul", 2}, {"aten::relu", 1}, {"aten::to", 1}});
  CHECK(calls == calls_in_part(*trace));
  CHECK(calls == calls_of_operators(*trace));
  const auto summary = kino::summarize_range(*trace, kino::whole_range(*trace)).value();
  CHECK(summary.all.count == 11);
  CHECK(summary.all.parts == 3);
}

TEST_CASE("ranges and comparisons count calls like the table of operators") {
  std::mt19937 random(24);
  for (int round = 0; round < 200; ++round) {
    EventFixture events;
    // Nested halves, so that nothing crosses.
    std::int64_t begin = 0;
    std::int64_t length = 1 << 12;
    for (int depth = 0; depth < 9; ++depth) {
      const std::string name = random() % 3 == 0 ? "aten::b" : "aten::a";
      if (random() % 4 == 0) {
        events.slice(kino::TrackClass::cpu, "python_function", name, begin, length, "1");
      } else {
        events.op(name, begin, length);
      }
      length /= 2;
      if (random() % 2 == 0) events.op(name, begin + length, length / 2);
    }
    const auto trace = events.build();
    CHECK(calls_in_range(*trace) == calls_of_operators(*trace));
    CHECK(calls_in_part(*trace) == calls_of_operators(*trace));
  }
}
