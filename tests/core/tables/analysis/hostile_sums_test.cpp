// Covers: range_summary, trace_summary, collective_table, copy_table, gpu_breakdown, idle_gaps,
//   launch_table, queue_length, flops_table, key_averages, trace_flame
// Durations of a hostile file with sums above 64 bits: sums of every table saturate.
#include <algorithm>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/range_summary.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/gpu/collective_table.hpp"
#include "core/tables/gpu/copy_table.hpp"
#include "core/tables/gpu/gpu_breakdown.hpp"
#include "core/tables/gpu/idle_gaps.hpp"
#include "core/tables/gpu/launch_table.hpp"
#include "core/tables/gpu/queue_length.hpp"
#include "core/tables/operators/flops_table.hpp"
#include "core/tables/operators/key_averages.hpp"
#include "core/tables/operators/trace_flame.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::TrackClass;

constexpr std::int64_t kEndless = INT64_MAX / 2;

/// Five threads with a module, an operator and a call each, all with the maximum duration, and such work of
/// every kind on five streams.
std::shared_ptr<const kino::Trace> endless_job() {
  EventFixture events;
  std::uint32_t id = 0;
  for (int i = 0; i < 5; ++i) {
    const std::string thread = std::to_string(i + 1);
    const std::string stream = std::to_string(i + 20);
    const auto start_work = [&](std::int64_t at, const char* category, const char* name) {
      events.launch(at, kEndless - 2 * at, ++id, thread);
      events.slice(TrackClass::gpu, category, name, at + 1, kEndless, stream, id);
    };
    events.slice(TrackClass::cpu, "user_annotation", "forward", 0, kEndless, thread);
    events.op("aten::mm", 1, kEndless - 2, thread).told({{'I', "[[2, 3], [3, 4]]"}});
    events.op("aten::add", 2, kEndless - 4, thread);
    start_work(3, "kernel", "gemm");
    start_work(4, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)");
    events.told({{'y', "9000000000000000000"}, {'w', "1"}});
    start_work(5, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    start_work(6, "kernel", "gemm");
  }
  return events.build();
}

const kino::TableColumn::Integers& column_of(const kino::Table& table, std::string_view key) {
  const kino::TableColumn* column = table.find(key);
  REQUIRE(column != nullptr);
  return std::get<kino::TableColumn::Integers>(column->values);
}

}  // namespace

TEST_CASE("saturates the sums of endless work") {
  const auto trace = endless_job();
  const kino::RangeAnalyses analyses(*trace);
  const auto analysis = analyses.of(kino::whole_range(*trace));
  const auto most = [&](const kino::Table& table, std::string_view key) {
    const auto& column = column_of(table, key);
    REQUIRE_FALSE(column.empty());
    return *std::max_element(column.begin(), column.end());
  };
  const kino::Table operators =
      operator_table(*trace, analysis->operators(), kino::OperatorGrouping::name, analysis->coverage());
  CHECK(most(operators, "host_total_ns") == INT64_MAX);
  CHECK(most(operators, "device_total_ns") == INT64_MAX);
  CHECK(most(operators, "device_self_ns") == INT64_MAX);
  for (const kino::KeyAverage& row :
       key_averages(*trace, analysis->range(), kino::KeyAverageGrouping::name).rows) {
    CHECK(std::max(row.cpu_ns, row.device_ns) == INT64_MAX);
  }
  CHECK_FALSE(key_averages_text(key_averages(*trace, analysis->range(), kino::KeyAverageGrouping::name),
                                kino::KeyAverageGrouping::name, kino::KeyAverageOrder::none)
                  .empty());
  const kino::Table modules =
      module_table(module_tree(*trace, analysis->range(), kino::ModuleSource::annotation));
  CHECK(most(modules, "host_total_ns") == INT64_MAX);
  CHECK(most(modules, "device_total_ns") == INT64_MAX);
  CHECK(most(kernel_table(*trace, analysis->kernels(), kino::KernelGrouping::name), "total_ns") == INT64_MAX);
  const auto launches = kino::launch_rows(*trace, analysis->work());
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].cpu_ns == INT64_MAX);
  CHECK(launches[0].gpu_ns == INT64_MAX);
  const auto copies = kino::copy_rows(*trace, analysis->work(), analysis->range());
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].spread.total_ns == INT64_MAX);
  CHECK(copies[0].bytes == INT64_MAX);
  const auto collectives = kino::collective_rows(*trace, analysis->work(), analysis->range());
  REQUIRE(collectives.size() == 1);
  CHECK(collectives[0].spread.total_ns == INT64_MAX);
  const auto flops = kino::flops_report(*trace, analysis->tree(), {analysis->base(), INT64_MAX});
  REQUIRE(flops.rows.size() == 1);
  CHECK(flops.rows[0].device_ns == INT64_MAX);
  auto range = kino::summarize_range(*trace, analysis->range());
  REQUIRE(range.ok());
  CHECK(range->all.total_ns == INT64_MAX);
  CHECK(range->gpu_work_ns == INT64_MAX);
  for (const auto time : {kino::FlameTime::cpu, kino::FlameTime::device}) {
    const auto graph = trace_flame(*trace, {analysis->range(), time}, kino::default_libraries(), "no launch");
    CHECK(graph.tree.nodes.front().total == INT64_MAX);
  }
  // The other tables only have to exist.
  CHECK(summary_table(*trace, summarize_trace(*analysis, kino::ByteUnits::decimal), kino::ByteUnits::decimal)
            .row_count() > 0);
  CHECK(idle_table(*trace, analysis->idle()).name == "idle");
  CHECK(queue_table(*trace, queue_rows(*trace, analysis->work())).row_count() > 0);
  CHECK(breakdown_table(*trace, analysis->breakdown()).row_count() > 0);
}
