// Covers: nsight_samples, trace_flame, sampled_tracks
// Sampled stacks and CPU slices of threads from Nsight Systems: by hand, and from a real export.
#include "loaders/formats/databases/nsight_samples.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/time_text.hpp"
#include "core/tables/operators/trace_flame.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/sampled_tracks.hpp"
#include "tests/fixtures/opened_database.hpp"

namespace nsight_samples {
namespace {

using kino::SliceId;
using kino::Trace;
using kino_test::noted;

/// Thread 7 of process 100 has a call, thread 8 has none.
constexpr const char* kSampledTables = R"(
  CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
  INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'main'), (3, 'work'), (4, '/lib/libc.so.6'), (5, '0x7f00'),
    (6, '0x7f08'), (7, 'poll');
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", eventClass, globalTid, correlationId, nameId);
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 5, 0, 1<<48 | 100<<24 | 7, 1, 1);
  CREATE TABLE COMPOSITE_EVENTS (id, start, cpu, threadState, globalTid, cpuCycles);
  CREATE TABLE SAMPLING_CALLCHAINS (id, symbol, module, kernelMode, unresolved, stackDepth);
  CREATE TABLE SCHED_EVENTS (start, cpu, isSchedIn, globalTid, threadState);
  CREATE TABLE ENUM_SAMPLING_THREAD_STATE (id, name, label);
  INSERT INTO ENUM_SAMPLING_THREAD_STATE VALUES (0, 'Unknown', 'Unknown'), (3, 'Uninterruptible', 'Uninterruptible');
)";
constexpr const char* kThread = "1<<48 | 100<<24 | 7";
constexpr const char* kOther = "1<<48 | 100<<24 | 8";

std::string sample(int id, int time, const char* thread = kThread) {
  return "INSERT INTO COMPOSITE_EVENTS VALUES (" + std::to_string(id) + "," + std::to_string(time) + ",3,1," +
         thread + ",1);";
}
std::string frame(int id, int depth, int symbol, bool unresolved = false) {
  return "INSERT INTO SAMPLING_CALLCHAINS VALUES (" + std::to_string(id) + "," + std::to_string(symbol) +
         ",4,NULL," + (unresolved ? "1" : "NULL") + "," + std::to_string(depth) + ");";
}
std::string turn(int time, int cpu, bool in, const char* thread = kThread, int state = 0) {
  return "INSERT INTO SCHED_EVENTS VALUES (" + std::to_string(time) + "," + std::to_string(cpu) + "," +
         (in ? "1" : "0") + "," + thread + "," + std::to_string(state) + ");";
}

std::shared_ptr<const Trace> opened_samples(const std::string& statements) {
  return kino_test::opened_database(kSampledTables + statements);
}

/// Returns "name start+duration" of all slices of a category, from the outermost lane, sorted by time.
std::vector<std::string> slices_of(const Trace& trace, std::string_view category) {
  std::vector<std::string> list;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.category_text(trace.slices.category[i]) != category) continue;
    list.push_back(std::string(trace.name_of(SliceId{i})) + " " +
                   std::to_string(trace.slices.start_ns[i] + trace.origin_unix_ns) + "+" +
                   std::to_string(trace.slices.duration_ns[i]));
  }
  return list;
}

std::string folded(const Trace& trace, kino::FlameTime time) {
  return kino::folded_text(kino::trace_flame(trace, {kino::whole_range(trace), time},
                                             kino::default_libraries(), "unknown launch"));
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("sampled frames last while consecutive samples share them, at most to the next sample") {
  // Every 10 ns, then a pause; the fourth sample is isolated.
  const auto trace =
      opened_samples(sample(1, 100) + sample(2, 110) + sample(3, 120) + sample(4, 200) + frame(1, 0, 2) +
                     frame(2, 1, 2) + frame(2, 0, 3) + frame(3, 0, 3) + frame(3, 1, 2) + frame(4, 0, 2));
  CHECK(slices_of(*trace, kino::kSampleCategory) == Lines{"main 100+30", "main 200+10", "work 110+20"});
  CHECK(folded(*trace, kino::FlameTime::sampled) == "main 20\nmain;work 20\n");
  CHECK(folded(*trace, kino::FlameTime::cpu) == "cudaLaunchKernel 5\n");
  CHECK(noted(*trace, "4 CPU samples, typically one per 10 ns"));
  CHECK(kino::flame_times(*trace).size() == 3);
}

TEST_CASE("frames with their callers' duration remain below them") {
  const auto trace = opened_samples(sample(1, 100) + sample(2, 110) + frame(1, 0, 7) + frame(1, 1, 3) +
                                    frame(1, 2, 2) + frame(2, 0, 1));
  CHECK(slices_of(*trace, kino::kSampleCategory) ==
        Lines{"main 100+10", "cudaLaunchKernel 110+10", "work 100+10", "poll 100+10"});
}

TEST_CASE("frames without a symbol are named after their module") {
  const auto trace =
      opened_samples(sample(1, 100) + sample(2, 110) + frame(1, 0, 5, true) + frame(2, 0, 6, true));
  CHECK(slices_of(*trace, kino::kSampleCategory) == Lines{"[libc.so.6] 100+20"});
}

TEST_CASE("counts samples without a stack, and has no note without samples") {
  const auto trace = opened_samples(sample(1, 100) + sample(2, 110) + frame(1, 0, 2));
  CHECK(noted(*trace, "CPU samples without a stack: 1."));
  const auto none = opened_samples("");
  CHECK_FALSE(noted(*none, "samples"));
  CHECK_FALSE(noted(*none, "on a CPU"));
  CHECK(kino::flame_times(*none).size() == 2);
}

TEST_CASE("shows the innermost frames of a very deep stack, and reports that" *
          doctest::test_suite("serial")) {
  std::string rows = sample(1, 100);
  for (int depth = 0; depth < 300; ++depth) rows += frame(1, depth, depth < 200 ? 3 : 2);
  const auto trace = opened_samples(rows);
  CHECK(slices_of(*trace, kino::kSampleCategory).size() == 256);
  CHECK(noted(*trace, "only the innermost 256 frames"));
}

TEST_CASE("a thread's CPU slices are next to it, with the reason for the following wait") {
  const auto trace =
      opened_samples(turn(10, 3, true) + turn(30, 3, false, kThread, 3) + turn(30, 4, true) +
                     turn(45, 4, false) + turn(12, 5, true, kOther) + turn(13, 5, false, kOther));
  CHECK(slices_of(*trace, kino::kSchedulingCategory) == Lines{"CPU 3 10+20", "CPU 4 30+15"});
  CHECK(noted(*trace, "Threads without other events whose CPU scheduling was skipped: 1."));
  CHECK_FALSE(noted(*trace, "without a counterpart"));
}

TEST_CASE("counts CPU slices without a begin or end") {
  const auto trace = opened_samples(turn(5, 1, false) + turn(10, 3, true) + turn(20, 4, true) +
                                    turn(30, 4, false) + turn(40, 3, true));
  CHECK(slices_of(*trace, kino::kSchedulingCategory) == Lines{"CPU 4 20+10"});
  CHECK(noted(*trace, "CPU context switches without a counterpart: 3."));
}

TEST_CASE("imports all samples and CPU slices of a real export") {
  const auto path = kino_test::real_data("nsys/pipit/saxpy-mpi-cuda_nsys_perlmutter0.sqlite");
  if (!path) return;
  const auto opened = kino_test::open(*path);
  REQUIRE(opened.ok());
  const Trace& trace = *opened.value().trace;
  CHECK(noted(trace, kino::grouped(5451) + " CPU samples, typically one per"));
  // 3,238 changes, 72 of them for threads without other events.
  CHECK(slices_of(trace, kino::kSchedulingCategory).size() == 1583);
  CHECK(noted(trace, "Threads without other events whose CPU scheduling was skipped: 4."));
  CHECK_FALSE(noted(trace, "without a counterpart"));
  const auto graph = kino::trace_flame(trace, {kino::whole_range(trace), kino::FlameTime::sampled},
                                       kino::default_libraries(), "unknown launch");
  const auto weight_of = [&](std::string_view name) {
    std::vector<bool> matches;
    for (const auto& it : graph.frames) matches.push_back(it.name == name);
    return static_cast<double>(kino::matched_weight(graph.tree, 0, matches));
  };
  // 2,980 of 5,451 samples end in main, most as the only frame.
  const double share = weight_of("main") / static_cast<double>(graph.tree.nodes[0].total);
  CHECK(share > 0.5);
  CHECK(share <= 1);
}

}  // namespace nsight_samples
