// Covers: table_scope
#include "app/ui/tables/table_scope.hpp"

#include <memory>
#include <optional>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

using ScopeKind = TableScope::Kind;

std::shared_ptr<const Trace> stepped_trace() {
  return EventFixture()
      .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#7", 0, 1000, "1")
      .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#8", 1000, 1000, "1")
      .launch(20, 10, 1)
      .kernel("late", 1500, 200, 1)
      .build();
}

TableScope::Part range_part(std::int64_t begin_ns, std::int64_t end_ns) {
  return {TimeRange{begin_ns, end_ns}, std::nullopt};
}

}  // namespace

TEST_CASE("tables cover the whole trace until another part is chosen") {
  TableScope scope;
  CHECK(scope.part() == TableScope::Part{});
  CHECK(scope.name() == "whole");
  scope.choose(ScopeKind::range);
  CHECK_FALSE(scope.part().has_value());
  scope.choose(ScopeKind::step);
  CHECK_FALSE(scope.part().has_value());
  scope.next();
  CHECK(scope.name() == "view");
  scope.next();
  CHECK(scope.name() == "whole");
}

TEST_CASE("the marked range is followed, except a range that a table itself marked") {
  const auto trace = stepped_trace();
  TableScope scope;
  scope.choose(ScopeKind::range);
  scope.update({.trace = *trace, .marked = TimeRange{10, 90}});
  CHECK(scope.part() == range_part(10, 90));
  scope.ignore(TimeRange{20, 30}, kNoSlice);
  scope.update({.trace = *trace, .marked = TimeRange{20, 30}});
  CHECK(scope.part() == range_part(10, 90));
  scope.update({.trace = *trace, .marked = TimeRange{40, 50}});
  CHECK(scope.part() == range_part(40, 50));
  scope.update({.trace = *trace});
  CHECK_FALSE(scope.part().has_value());
}

TEST_CASE("a selected kernel chooses the step that launched it, unless a table selected it") {
  const auto trace = stepped_trace();
  const Steps steps = find_steps(*trace);
  const SliceId kernel = slice_named(*trace, "late");
  TableScope scope;
  scope.choose(ScopeKind::step);
  scope.update({.trace = *trace, .steps = &steps, .selected = slice_named(*trace, "ProfilerStep#8")});
  CHECK(scope.part() == TableScope::Part{std::nullopt, 8});
  scope.update({.trace = *trace, .steps = &steps, .selected = kernel});
  CHECK(scope.part() == TableScope::Part{std::nullopt, 7});
  scope.ignore(std::nullopt, slice_named(*trace, "ProfilerStep#8"));
  scope.update({.trace = *trace, .steps = &steps, .selected = slice_named(*trace, "ProfilerStep#8")});
  CHECK(scope.part() == TableScope::Part{std::nullopt, 7});
}

TEST_CASE("a moving view changes the tables once it has rested") {
  const auto trace = stepped_trace();
  TableScope scope;
  scope.choose(ScopeKind::view);
  const auto frame = [&](std::int64_t end_ns, double seconds) {
    scope.update({.trace = *trace, .visible = TimeRange{0, end_ns}, .delta_seconds = seconds});
  };
  frame(1000, 0.01);
  CHECK(scope.part() == range_part(0, 1000));
  frame(500, 0.1);
  frame(400, 0.1);
  CHECK(scope.part() == range_part(0, 1000));
  CHECK(scope.waiting());
  frame(400, 0.1);
  CHECK(scope.waiting());
  frame(400, 0.06);
  CHECK_FALSE(scope.waiting());
  CHECK(scope.part() == range_part(0, 400));
}

TEST_CASE("the menu has the trace, the range, the view and each step") {
  const auto trace = stepped_trace();
  const Steps steps = find_steps(*trace);
  TableScope scope;
  CHECK(scope.choices(nullptr).size() == 3);
  const auto entries = scope.choices(&steps);
  REQUIRE(entries.size() == 5);
  CHECK(entries[0].current);
  CHECK_FALSE(entries[1].missing.empty());
  scope.choose(4, &steps);
  CHECK(scope.part() == TableScope::Part{std::nullopt, 8});
  CHECK(scope.choices(&steps)[4].current);
  scope.choose(99, &steps);
  CHECK(scope.part() == TableScope::Part{std::nullopt, 8});
  scope.choose(2, &steps);
  CHECK(scope.kind() == ScopeKind::view);
}
