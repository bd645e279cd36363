// Covers: python_table
// Python functions: self and total time computed by hand, through operators, in ranges, and in recursion.
#include "core/tables/name_stats/python_table.hpp"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

struct Times {
  std::uint64_t calls = 0;
  std::int64_t self_ns = 0;
  std::int64_t total_ns = 0;
  bool operator==(const Times&) const = default;
};

std::map<std::string, Times> times_in(const kino::Trace& trace, kino::TimeRange range) {
  std::map<std::string, Times> times;
  for (const kino::PythonRow& row : kino::python_rows(trace, range))
    times[std::string(trace.names[kino::index_of(row.name)])] = {row.calls, row.self_ns, row.total_ns};
  return times;
}

std::shared_ptr<const kino::Trace> functions() {
  kino::EventFixture events;
  const auto call = [&](const char* name, std::int64_t at, std::int64_t length) {
    events.slice(kino::TrackClass::cpu, "python_function", name, at, length, "1");
  };
  call("main", 0, 1000);
  call("train", 100, 600);
  events.op("aten::linear", 200, 300);
  call("hook", 250, 100);  // called by the operator
  call("train", 800, 100);
  call("train", 820, 50);  // calls itself
  return events.build();
}

}  // namespace

TEST_CASE("excludes called functions from self time, even through operators") {
  const auto trace = functions();
  const auto times = times_in(*trace, kino::whole_range(*trace));
  CHECK(times.at("main") == Times{1, 300, 1000});
  CHECK(times.at("train") == Times{3, 600, 750});  // 600 - 100 + 100 - 50 + 50
  CHECK(times.at("hook") == Times{1, 100, 100});
  CHECK(times.size() == 3);
}

TEST_CASE("clips functions to a range, with all self time in the outermost one") {
  const auto trace = functions();
  const auto times = times_in(*trace, {300, 850});
  CHECK(times.at("main") == Times{1, 100, 550});
  CHECK(times.at("hook") == Times{1, 50, 50});
  std::int64_t self_ns = 0;
  for (const auto& [name, it] : times) self_ns += it.self_ns;
  CHECK(self_ns == 550);
  CHECK(kino::python_rows(*kino::EventFixture().build(), {0, 100}).empty());
}

TEST_CASE("keeps callees that an annotation crosses, and no self time below zero") {
  kino::EventFixture events;
  const auto python = [&](const char* name, std::int64_t at, std::int64_t end) {
    events.slice(kino::TrackClass::cpu, "python_function", name, at, end - at, "1");
  };
  python("main", 0, 1000);
  python("step", 100, 200);
  events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#1", 120, 800, "1");
  python("__enter__", 150, 190);  // within step, although the annotation is the inner parent
  const auto trace = events.build();
  const auto times = times_in(*trace, kino::whole_range(*trace));
  CHECK(times.at("main") == Times{1, 900, 1000});
  CHECK(times.at("step") == Times{1, 60, 100});
  CHECK(times.at("__enter__") == Times{1, 40, 40});
}

TEST_CASE("subtracts callees that overlap by a clock tick once") {
  kino::EventFixture events;
  const auto python = [&](const char* name, std::int64_t at, std::int64_t end) {
    events.slice(kino::TrackClass::cpu, "python_function", name, at, end - at, "1");
  };
  python("main", 0, 1000);
  python("first", 0, 600);
  python("second", 500, 1000);
  const auto trace = events.build();
  CHECK(times_in(*trace, kino::whole_range(*trace)).at("main") == Times{1, 0, 1000});
}
