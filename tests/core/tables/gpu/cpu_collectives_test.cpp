// Covers: cpu_collectives, collective_table, step_breakdown
// Collectives of Gloo and MPI, which run on CPU threads.
#include "core/tables/gpu/cpu_collectives.hpp"

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/gpu/collective_table.hpp"
#include "core/tables/gpu/step_breakdown.hpp"
#include "core/trace/steps.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace {

/// Two all-reduces of 1,000 floats on one thread and one on another, besides the main thread's operators.
std::shared_ptr<const kino::Trace> gloo_trace(const char* library = "gloo") {
  kino::EventFixture events;
  const auto reduce = [&](std::int64_t start_ns, std::int64_t duration_ns, const char* thread) {
    events
        .slice(kino::TrackClass::cpu, "user_annotation", std::string(library) + ":all_reduce", start_ns,
               duration_ns, thread)
        .told({{'I', "[[1000]]"}, {'T', "[\"float\"]"}});
  };
  events.op("aten::addmm", 0, 300).op("aten::mm", 400, 200);
  reduce(100, 50, "2");
  reduce(200, 90, "2");
  reduce(210, 100, "3");
  return events.build();
}

}  // namespace

TEST_CASE("counts annotations of Gloo and MPI as collectives, and those of NCCL as calls") {
  CHECK(kino::is_cpu_collective("gloo:all_reduce"));
  CHECK(kino::is_cpu_collective("mpi:broadcast"));
  CHECK_FALSE(kino::is_cpu_collective("nccl:all_reduce"));
  CHECK(kino::cpu_collectives(*gloo_trace()).size() == 3);
  CHECK(kino::cpu_collectives(*gloo_trace("nccl")).empty());
}

TEST_CASE("lists collectives on CPU threads with sizes and unknown overlap") {
  const auto trace = gloo_trace();
  const std::vector<kino::CollectiveRow> rows = kino::cpu_collective_rows(*trace, kino::whole_range(*trace));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == kino::CollectiveKind::all_reduce);
  CHECK(rows[0].kernel == "gloo:all_reduce");
  CHECK(rows[0].bytes == 4'000);
  CHECK(rows[0].spread.count == 3);
  CHECK(rows[0].spread.total_ns == 240);
  const kino::Table table = kino::collective_table(rows);
  CHECK(kino_test::integer(table, "exposed_ns", 0) == kino::kNoInteger);
  const kino::GpuWork none = kino::gpu_work_in(*trace, kino::whole_range(*trace));
  const kino::TimeRange whole = kino::whole_range(*trace);
  CHECK(kino::collective_instances(*trace, none, whole, rows[0].slowest).size() == 3);
  // The instances of a row are those that the row counts.
  const kino::TimeRange first{whole.begin_ns, whole.begin_ns + 180};
  const std::vector<kino::CollectiveRow> in_first = kino::cpu_collective_rows(*trace, first);
  REQUIRE(in_first.size() == 1);
  CHECK(in_first[0].spread.count == 1);
  CHECK(kino::collective_instances(*trace, none, first, in_first[0].slowest).size() == 1);
}

TEST_CASE("leaves the time of collectives on CPU threads unknown in steps, instead of 0") {
  const auto rows_of = [](const kino::Trace& trace) {
    return kino::step_table(kino::step_rows(trace, kino::find_steps(trace)));
  };
  CHECK(kino_test::integer(rows_of(*gloo_trace()), "communication_ns", 0) == kino::kNoInteger);
  const auto on_gpu = kino::EventFixture().op("aten::mm", 0, 100).kernel("gemm", 10, 50).build();
  CHECK(kino_test::integer(rows_of(*on_gpu), "communication_ns", 0) == 0);
}
