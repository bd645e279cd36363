// Covers: table_counts, table_tab
#include "app/ui/tables/table_counts.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/ui/tables/table_tab.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/eventually.hpp"

using namespace kino;

namespace {

std::shared_ptr<const Trace> counted_trace() {
  return EventFixture()
      .op("aten::mm", 10, 100)
      .launch(20, 10, 1)
      .kernel("gemm", 50, 200, 1)
      .launch(150, 10, 2)
      .kernel("relu", 600, 300, 2)
      .build();
}

const TableInfo& table_named(std::string_view name) { return *kind_named(table_kinds(), name); }

TableResultQuery query_of(std::string_view name) {
  TableResultQuery query;
  query.kind = &table_named(name);
  return query;
}

void finish(TableCounts& counts, const TableResults::Compute& compute, std::uint64_t version,
            const std::vector<TableResultQuery>& queries) {
  REQUIRE(kino_test::eventually([&] {
    counts.ask(compute, version, queries);
    return !counts.running();
  }));
}

}  // namespace

TEST_CASE("rows are counted for the newest input, and tables that fail have no number") {
  WorkerPool pool(2);
  TableCounts counts(pool, [] {});
  const TableResults::Compute compute = tables_of(analyses_of(counted_trace()));
  CHECK_FALSE(counts.rows(table_named("kernels")).has_value());
  TableResultQuery of_step = query_of("operators");
  of_step.step = 99;
  finish(counts, compute, 0, {query_of("kernels"), of_step});
  CHECK(counts.rows(table_named("kernels")) == 2);
  CHECK_FALSE(counts.rows(table_named("operators")).has_value());
  CHECK_FALSE(counts.rows(table_named("gaps")).has_value());
  TableResultQuery part = query_of("kernels");
  part.range = TimeRange{550, 1'000};
  finish(counts, compute, 0, {part});
  CHECK(counts.rows(table_named("kernels")) == 1);
}

TEST_CASE("numbers of another recording are dropped, those of another range remain until they are replaced") {
  WorkerPool pool(2);
  TableCounts counts(pool, [] {});
  const TableResults::Compute compute = tables_of(analyses_of(counted_trace()));
  finish(counts, compute, 0, {query_of("kernels")});
  TableResultQuery part = query_of("kernels");
  part.range = TimeRange{550, 1'000};
  counts.ask(compute, 0, {part});
  CHECK(counts.rows(table_named("kernels")).has_value());
  counts.ask({}, 1, {query_of("kernels")});
  CHECK_FALSE(counts.rows(table_named("kernels")).has_value());
}

TEST_CASE("an input that has been counted is not counted again") {
  WorkerPool pool(2);
  TableCounts counts(pool, [] {});
  const auto calls = std::make_shared<std::atomic<int>>(0);
  const TableResults::Compute compute = [calls](const TableResultQuery&, const std::stop_token&) {
    ++*calls;
    return Result<Table>(Table());
  };
  finish(counts, compute, 0, {query_of("kernels"), query_of("gaps")});
  finish(counts, compute, 0, {query_of("kernels"), query_of("gaps")});
  CHECK(*calls == 2);
  CHECK(counts.rows(table_named("gaps")) == 0);
}

TEST_CASE("a filter belongs to one table: the other tables show all of their rows") {
  WorkerPool pool(2);
  TableTab tab(table_kinds(), tables_of(analyses_of(counted_trace())), "trace.json", pool, [] {});
  tab.choose("gaps");
  tab.set_filter("data loader");
  CHECK(tab.filter() == "data loader");
  tab.choose("kernels");
  CHECK(tab.filter().empty());
  REQUIRE(kino_test::eventually([&] {
    tab.update(true, TableResultQuery());
    return tab.complete() && tab.matching_rows() != nullptr;
  }));
  CHECK(tab.matching_rows()->order.size() == 2);
  TableTab copy(table_kinds(), tables_of(analyses_of(counted_trace())), "trace.json", pool, [] {});
  copy.take_choice(tab);
  CHECK(copy.filter().empty());
  copy.choose("gaps");
  CHECK(copy.filter() == "data loader");
}

TEST_CASE("tabs show their number of rows, and a table without a tab gets one while it is shown") {
  constexpr std::array kTabs{TabbedTable{"kernels"}, TabbedTable{"operators", false, true},
                             TabbedTable{"collectives", true}};
  WorkerPool pool(2);
  TableTab tab(table_kinds(), tables_of(analyses_of(counted_trace())), "trace.json", pool, [] {});
  tab.set_drawer_tabs(kTabs);
  tab.choose("kernels");
  const auto ids = [&](bool shown) {
    std::vector<std::string> list;
    for (const DrawerTab& one : tab.drawer_tabs(shown, "tables"))
      list.push_back(std::string(one.id) + (one.current ? "*" : "") +
                     (one.note.empty() ? "" : "=" + one.note));
    return list;
  };
  using Ids = std::vector<std::string>;
  CHECK(ids(false) == Ids{"kernels", "operators"});
  tab.count_rows(false);
  REQUIRE(kino_test::eventually([&] {
    tab.update(false, TableResultQuery());
    return tab.complete();
  }));
  CHECK(ids(true) == Ids{"kernels*=2", "operators"});
  CHECK(tab.drawer_tab() == "kernels");
  tab.choose("api");
  CHECK(tab.drawer_tab().empty());
  CHECK(ids(true) == Ids{"kernels=2", "operators", "tables*"});
  CHECK(ids(false) == Ids{"kernels=2", "operators"});
  tab.open_drawer_tab("tables");
  CHECK(tab.kind().name == "api");
  tab.open_drawer_tab("operators");
  CHECK(ids(true) == Ids{"kernels=2", "operators*"});
}
