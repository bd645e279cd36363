// Covers: table_results
#include "app/ui/tables/table_results.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "app/ui/search/search_hits.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/eventually.hpp"

using namespace kino;

namespace {

std::shared_ptr<const Trace> two_kernels() {
  return EventFixture()
      .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#7", 0, 1000, "1")
      .op("aten::mm", 10, 100)
      .launch(20, 10, 1)
      .kernel("gemm", 50, 200, 1)
      .launch(150, 10, 2)
      .kernel("relu", 600, 300, 2)
      .build();
}

const TableInfo* kind_of(std::string_view name) { return kind_named(table_kinds(), name); }

void finish(TableResults& results) {
  REQUIRE(kino_test::eventually([&] {
    results.update();
    return !results.running();
  }));
}

std::vector<std::string> names(const TableResults& results) {
  const TableResults::Rows& rows = *results.rows();
  const auto& column = std::get<TableColumn::Texts>(rows.answer->table.find("name")->values);
  std::vector<std::string> list;
  for (const std::uint32_t row : rows.order) list.push_back(column[row]);
  return list;
}

}  // namespace

TEST_CASE("the newest query is answered in the requested order and with the requested filter") {
  using Names = std::vector<std::string>;
  WorkerPool pool(2);
  TableResults results(tables_of(kino::analyses_of(two_kernels())), pool, [] {});
  CHECK(results.rows() == nullptr);
  TableResultQuery whole;
  whole.kind = kind_of("kernels");
  TableResultQuery part = whole;
  part.range = TimeRange{500'000, 1'000'000};
  results.ask(part);
  results.ask(whole);
  finish(results);
  REQUIRE(results.rows() != nullptr);
  CHECK(results.rows()->answer->question == whole);
  CHECK(names(results) == Names{"relu", "gemm"});
  results.set_order({{0, false}}, "");
  finish(results);
  CHECK(names(results) == Names{"gemm", "relu"});
  results.set_order({{0, false}, {1000, true}}, "REL");
  finish(results);
  CHECK(names(results) == Names{"relu"});
}

TEST_CASE("an answer is cached: the same query is not computed again") {
  WorkerPool pool(2);
  TableResults results(tables_of(kino::analyses_of(two_kernels())), pool, [] {});
  TableResultQuery kernels;
  kernels.kind = kind_of("kernels");
  results.ask(kernels);
  finish(results);
  const TableResult* first = results.rows()->answer.get();
  TableResultQuery operators;
  operators.kind = kind_of("operators");
  results.ask(operators);
  finish(results);
  CHECK(results.rows()->answer.get() != first);
  results.ask(kernels);
  finish(results);
  CHECK(results.rows()->answer.get() == first);
}

TEST_CASE("a new computation answers the same query again, and earlier rows remain only on request") {
  WorkerPool pool(2);
  TableResults results(tables_of(kino::analyses_of(two_kernels())), pool, [] {});
  TableResultQuery kernels;
  kernels.kind = kind_of("kernels");
  results.ask(kernels);
  finish(results);
  const auto one_row = [](const TableResultQuery&, const std::stop_token&) -> kino::Result<kino::Table> {
    kino::Table table;
    table.add_texts("name", "Name", "Of a row").emplace_back("other");
    return table;
  };
  results.set_compute(one_row, kino::OldRows::keep);
  REQUIRE(results.rows() != nullptr);
  CHECK(names(results).size() == 2);
  results.ask(kernels);
  finish(results);
  CHECK(names(results) == std::vector<std::string>{"other"});
  results.set_compute(one_row, kino::OldRows::drop);
  CHECK(results.rows() == nullptr);
  results.ask(kernels);
  finish(results);
  CHECK(names(results).size() == 1);
}

TEST_CASE("while the moment moves, the table under way is shown before that of the newest moment") {
  WorkerPool pool(1);
  std::mutex gate;
  std::vector<std::string> computed;  // guarded by gate
  const auto moment = [&](const TableResultQuery& question,
                          const std::stop_token&) -> kino::Result<kino::Table> {
    const std::lock_guard lock(gate);
    kino::Table table;
    computed.push_back(std::to_string(question.at));
    table.add_texts("name", "Name", "Of a row").push_back(computed.back());
    return table;
  };
  TableResults results(moment, pool, [] {});
  TableResultQuery question;
  question.kind = kind_of("kernels");
  std::unique_lock held(gate);
  for (const int at : {1, 2, 3}) {
    question.at = at;
    results.ask(question);
    results.update();
  }
  held.unlock();
  finish(results);
  CHECK(computed == std::vector<std::string>{"1", "3"});
  CHECK(names(results) == std::vector<std::string>{"3"});
  question.at = 1;  // not cached: a snapshot has too many moments
  results.ask(question);
  finish(results);
  CHECK(computed.size() == 3);
}

TEST_CASE("an unknown step is a problem in one sentence, not a table") {
  WorkerPool pool(1);
  TableResults results(tables_of(kino::analyses_of(two_kernels())), pool, [] {});
  TableResultQuery missing;
  missing.kind = kind_of("kernels");
  missing.step = 8;
  results.ask(missing);
  finish(results);
  CHECK(results.rows()->answer->problem == "There is no step 8 in this trace, only 7");
  CHECK(results.rows()->order.empty());
}

TEST_CASE("the query for a name finds that name and, if an expression can express it, no other") {
  const std::string longer(200, 'x');
  const auto trace = EventFixture()
                         .op("aten::add", 0, 10)
                         .op("aten::add_", 20, 10)
                         .op("a (b) [c] {d} /e f/ \\g ^$.|?*+-", 40, 10)
                         .op(longer, 60, 10)
                         .op(longer + "y", 80, 10)
                         .build();
  SearchedTrace searched(trace);
  const auto hits = [&](std::string_view name) {
    return search_trace(searched, query_for_name(name), {}).total;
  };
  CHECK(hits("aten::add") == 1);
  CHECK(hits("aten::add_") == 1);
  CHECK(hits("a (b) [c] {d} /e f/ \\g ^$.|?*+-") == 1);
  CHECK(hits(longer) == 2);
  CHECK(hits("nothing of it") == 0);
}
