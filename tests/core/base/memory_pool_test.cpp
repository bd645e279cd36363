// Covers: memory_pool, key_averages, operator_table
// A pool reuses memory across ranges, and tables do not depend on it.
#include "core/base/memory_pool.hpp"

#include <cstring>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/operators/key_averages.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::MemoryPool;
using kino::OperatorRow;
using kino::TimeRange;
using kino::Trace;

constexpr std::size_t kPoolMega = std::size_t{1} << 20;

/// Enough nested operators on two threads for several pieces, and for arrays that a pool retains.
std::shared_ptr<const Trace> long_job() {
  std::mt19937 random(7);
  EventFixture events;
  std::int64_t now = 0;
  for (std::uint32_t i = 1; i <= 60'000; ++i) {
    const std::string tid = random() % 3 == 0 ? "2" : "1";
    const std::int64_t length = 40 + static_cast<std::int64_t>(random() % 50);
    events.op("outer" + std::to_string(random() % 5), now, length, tid);
    const std::string inner = random() % 4 == 0 ? "inner" : "outer1";
    events.op(inner, now + 5, length - 10, tid);
    events.launch(now + 8, 4, i, tid);
    events.kernel("gemm", now + 30, 10, i);
    now += length + static_cast<std::int64_t>(random() % 3);
  }
  return events.build();
}

std::vector<std::int64_t> figures(const std::vector<OperatorRow>& rows) {
  std::vector<std::int64_t> all;
  for (const OperatorRow& row : rows) {
    for (const std::int64_t figure :
         {std::int64_t{kino::index_of(row.name)}, static_cast<std::int64_t>(row.calls), row.host_ns,
          row.host_self_ns, row.device_ns, row.device_self_ns, std::int64_t{kino::index_of(row.longest)},
          std::int64_t{row.facts}}) {
      all.push_back(figure);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a pool returns the smallest block that is not far too large, and retains a limited amount") {
  MemoryPool pool(10 * kPoolMega);
  MemoryPool::Block first = pool.take(4 * kPoolMega);
  CHECK(first.zero);
  void* const place = first.memory.data();
  std::memset(place, 1, 4 * kPoolMega);
  pool.give(std::move(first.memory));
  CHECK(pool.kept_bytes() >= 4 * kPoolMega);
  CHECK(pool.take(kPoolMega).zero);      // four times as large
  CHECK(pool.take(8 * kPoolMega).zero);  // too small
  MemoryPool::Block again = pool.take(3 * kPoolMega);
  CHECK_FALSE(again.zero);
  CHECK(again.memory.data() == place);
  CHECK(pool.kept_bytes() == 0);
  pool.give(kino::HugeMemory(2 * kPoolMega));
  pool.give(kino::HugeMemory(9 * kPoolMega));  // the oldest block is dropped
  CHECK(pool.kept_bytes() == 9 * kPoolMega);
  pool.give(kino::HugeMemory(11 * kPoolMega));
  pool.give(kino::HugeMemory(kPoolMega / 2));
  CHECK(pool.kept_bytes() == 9 * kPoolMega);
}

TEST_CASE("tables of consecutive ranges equal those of each range alone") {
  const auto trace = long_job();
  const kino::RangeAnalyses analyses(*trace);
  const std::int64_t length = trace->range.length_ns();
  for (const TimeRange range : {kino::whole_range(*trace), TimeRange{0, length / 2},
                                TimeRange{length / 3, length}, TimeRange{length / 4, length / 3 * 2}}) {
    const auto analysis = analyses.of(range);
    const auto tree = kino::operator_tree(*trace, range, {.annotations = true});
    const auto alone = kino::operator_rows(*trace, tree, kino::OperatorGrouping::name);
    CHECK(figures(analysis->operators()) == figures(alone));
    std::map<std::string_view, std::int64_t> host_ns;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (!tree.nodes[i].merged) host_ns[trace->name_of(tree.nodes[i].slice)] += tree.nodes[i].duration_ns;
    }
    REQUIRE(alone.size() == host_ns.size());
    for (const OperatorRow& row : alone) CHECK(row.host_ns == host_ns[trace->name_text(row.name)]);
    const auto name = kino::KeyAverageGrouping::name;
    CHECK(
        kino::key_averages_text(kino::key_averages(*trace, range, analysis->work(), analysis->key_tree(),
                                                   analysis->key_groups(name)),
                                name, kino::KeyAverageOrder::none) ==
        kino::key_averages_text(kino::key_averages(*trace, range, name), name, kino::KeyAverageOrder::none));
  }
}

TEST_CASE("a call that belongs to another thread's operator is its child, whichever thread is first") {
  for (const bool caller_first : {false, true}) {
    EventFixture events;
    const std::string caller = caller_first ? "1" : "2";
    const std::string helper = caller_first ? "2" : "1";
    events.launch(20, 10, 1, helper).external(5);
    events.op("aten::mm", 0, 100, caller).external(5);
    events.op("aten::mm", 15, 80, caller);  // an only child, so it is merged into the outer call
    const auto trace = events.kernel("gemm", 200, 30, 1).external(5).build();
    const auto averages =
        kino::key_averages(*trace, kino::whole_range(*trace), kino::KeyAverageGrouping::name);
    std::map<std::string, kino::KeyAverage> rows;
    for (const auto& row : averages.rows) rows[row.key] = row;
    CHECK(rows["aten::mm"].count == 1);
    CHECK(rows["aten::mm"].self_cpu_ns == 100 - 10);
    CHECK(rows["aten::mm"].device_ns == 30);
    CHECK(rows["cudaLaunchKernel"].count == 1);
  }
}
