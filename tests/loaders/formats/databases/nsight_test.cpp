// Covers: nsight_transcript, nsight_gpu_work, nsight_names, recorded_processes, recorded_ranges,
//   data_quality_report
// Difficult properties of Nsight Systems exports, each in its own small database.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/name_text.hpp"
#include "loaders/formats/databases/nsight_names.hpp"
#include "tests/fixtures/opened_database.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace nsight_made {
namespace {

using kino::SliceId;
using kino::Trace;
using kino_test::noted;
using kino_test::opened_database;

/// Two processes, 100 and 200, in the virtual machine 1. SQL evaluates << and | from left to right.
constexpr const char* kTables = R"(
  CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
  INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'void gemm<float>(int)'), (3, 'gemm'),
    (4, 'forward'), (5, 'cudaGraphLaunch_v10000'), (6, 'worker');
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", eventClass, globalTid, correlationId, nameId, returnValue);
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, streamId, correlationId, globalPid, demangledName,
    shortName, gridX, gridY, gridZ);
  CREATE TABLE NVTX_EVENTS (start, "end", eventType, text, textId, globalTid, domainId, jsonText);
)";
constexpr const char* kFirst = "(1<<48 | (100<<24) | 7)";
constexpr const char* kSecond = "(1<<48 | (200<<24) | 8)";
constexpr const char* kFirstPid = "(1<<48 | (100<<24))";
constexpr const char* kSecondPid = "(1<<48 | (200<<24))";

std::string call(int start, int end, int event_class, const char* thread, int id, int name = 1) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + std::to_string(start) + "," +
         std::to_string(end) + "," + std::to_string(event_class) + "," + thread + "," + std::to_string(id) +
         "," + std::to_string(name) + ",0);";
}
std::string kernel(int start, int end, int stream, const char* pid, int id) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(start) + "," +
         std::to_string(end) + ",0," + std::to_string(stream) + "," + std::to_string(id) + "," + pid +
         ",2,3,4,1,1);";
}
std::string range(int start, const std::string& end, int type, const char* text, const char* text_id,
                  const char* thread, int domain) {
  return "INSERT INTO NVTX_EVENTS VALUES (" + std::to_string(start) + "," + end + "," + std::to_string(type) +
         "," + text + "," + text_id + "," + thread + "," + std::to_string(domain) + ",NULL);";
}

kino::Table table_of(const Trace& trace, const char* name) {
  kino::TableRequest request;
  request.name = name;
  auto table = kino::compute_table(kino::RangeAnalyses(trace), request);
  REQUIRE(table.ok());
  return std::move(table).value();
}

SliceId slice_with(const Trace& trace, std::string_view name, std::int64_t duration_ns) {
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.name_of(SliceId{i}) == name && trace.slices.duration_ns[i] == duration_ns) return SliceId{i};
  }
  FAIL("there is no such slice");
  return kino::kNoSlice;
}

constexpr std::string_view kGemm = "void gemm<float>(int)";

}  // namespace

TEST_CASE("a correlation id links a launch and a kernel of the same process only") {
  const auto trace =
      opened_database(std::string(kTables) + call(10, 11, 0, kFirst, 5) + call(10, 12, 0, kSecond, 5) +
                      kernel(20, 21, 7, kFirstPid, 5) + kernel(20, 22, 7, kSecondPid, 5));
  const auto launch_ns = [&](std::int64_t kernel_ns) {
    const SliceId launch = trace->link(slice_with(*trace, kGemm, kernel_ns));
    REQUIRE(launch != kino::kNoSlice);
    return trace->duration_ns(launch);
  };
  CHECK(launch_ns(1) == 1);
  CHECK(launch_ns(2) == 2);
  // Both have a stream 7 on GPU 0, and neither pushes the other's kernels into a lane.
  CHECK(std::ranges::count(trace->tracks, kino::TrackKind::gpu_stream, &kino::Track::kind) == 2);
}

TEST_CASE("assigns waits to the GPU of their context") {
  const auto trace = opened_database(
      std::string(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, \"end\", deviceId, contextId, streamId, "
          "globalPid);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, \"end\", deviceId, contextId, streamId, "
          "globalPid, syncType);"
          "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (hwId, vmId, processId, contextId, deviceId);"
          "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (0, 1, 200, 9, 3);") +
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (10, 11, 0, 1, 7, " + kFirstPid +
      "), (10, 12, 2, 1, 7, " + kSecondPid + ");" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (20, 23, 0, 1, 7, " + kFirstPid +
      ", 3), (20, 24, 0, 1, 7, " + kSecondPid + ", 3), (20, 25, 0, 9, 7, " + kSecondPid +
      ", 3), (20, 26, 0, 8, 7, " + kSecondPid + ", 3);");
  const auto gpu_of = [&](std::int64_t duration_ns) {
    for (const kino::Track& track : trace->tracks) {
      for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
        const kino::Row& of = trace->rows[row];
        for (std::uint32_t i = of.first_slice; i < of.first_slice + of.slice_count; ++i) {
          if (trace->slices.duration_ns[i] == duration_ns) return trace->processes[track.process].pid;
        }
      }
    }
    return std::string("none");
  };
  CHECK(gpu_of(2) == "2");
  CHECK(gpu_of(3) == "0");
  CHECK(gpu_of(4) == "2");
  CHECK(gpu_of(5) == "3");
  CHECK(gpu_of(6) == "0");  // nothing identifies this context
}

TEST_CASE("opens an export without GPUs, session start and kernel processes, and reports the missing clock") {
  const auto trace = opened_database(
      "CREATE TABLE StringIds (id, value); INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'gemm');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, \"end\", globalTid, correlationId, nameId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (-3000, -500, 42, 1, 1);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, \"end\", deviceId, streamId, correlationId, "
      "shortName);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 1000, 0, 7, 1, 2);");
  CHECK(trace->base_time_ns == 0);
  CHECK(trace->origin_unix_ns + trace->range.begin_ns == -3000);
  CHECK(trace->link(slice_with(*trace, "gemm", 1000)) != kino::kNoSlice);
  CHECK(noted(*trace, "does not contain its date"));
}

TEST_CASE("reports GPU work without a call and calls without work") {
  const auto trace =
      opened_database(std::string(kTables) + call(10, 11, 0, kFirst, 1) + kernel(20, 21, 7, kFirstPid, 2));
  const kino::DataQualityReport report = kino::data_quality_report(*trace);
  CHECK(report.gpu_work == 1);
  CHECK(report.linked_gpu_work_ns == 0);
  CHECK(report.launches.all.calls.count == 1);
  CHECK(report.launches.all.with_work.count == 0);
}

TEST_CASE("ranges have a text or a string id, and unnamed domains have their id") {
  const auto trace = opened_database(std::string(kTables) + range(10, "30", 59, "'step'", "NULL", kFirst, 0) +
                                     range(12, "20", 59, "NULL", "4", kFirst, 1));
  const kino::Table table = table_of(*trace, "nvtx_sum");
  REQUIRE(table.row_count() == 2);
  CHECK(kino_test::text(table, "name", 0) == ":step");
  CHECK(kino_test::text(table, "name", 1) == "domain 1:forward");
}

TEST_CASE("domain ids are per process") {
  const auto trace = opened_database(
      std::string(kTables) + range(1, "NULL", 75, "'NCCL'", "NULL", kFirst, 1) +
      range(1, "NULL", 75, "'cuBLAS'", "NULL", kSecond, 1) + range(10, "30", 59, "'a'", "NULL", kFirst, 1) +
      range(10, "20", 59, "'a'", "NULL", kSecond, 1));
  const kino::Table table = table_of(*trace, "nvtx_sum");
  REQUIRE(table.row_count() == 2);
  CHECK(kino_test::text(table, "name", 0) == "NCCL:a");
  CHECK(kino_test::text(table, "name", 1) == "cuBLAS:a");
}

TEST_CASE("opens an export without kernels, with the recorder's warning once") {
  const auto trace = opened_database(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, \"end\", globalTid, correlationId, nameId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 42, 1, 1);"
      "CREATE TABLE DIAGNOSTIC_EVENT (severity, text);"
      "INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 'Profiling has started.'), (2, 'CUDA events were lost.'),"
      "  (2, 'CUDA events were lost.'), (1, 'Not all CUDA events might have been collected.');");
  CHECK(trace->slice_count() == 1);
  CHECK(noted(*trace, "has no kernels"));
  CHECK(noted(*trace, "CUDA events were lost."));
  CHECK(noted(*trace, "Not all CUDA events might have been collected."));
  CHECK_FALSE(noted(*trace, "has started"));
  CHECK(kino::data_quality_report(*trace).notes.size() == 4);
}

TEST_CASE("warnings of the recorder name their processes") {
  const auto trace = opened_database(std::string(kTables) + call(10, 11, 0, kFirst, 5) +
                                     "CREATE TABLE DIAGNOSTIC_EVENT (severity, text, globalPid);"
                                     "INSERT INTO DIAGNOSTIC_EVENT VALUES (2, 'No CUDA events collected.', "
                                     "(1<<48 | (300<<24))), (2, 'About all.', NULL), (2, 'About the "
                                     "recorder.', -144115188075855872);"
                                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i "
                                     "< 5) INSERT INTO DIAGNOSTIC_EVENT SELECT 2, 'Lost.', (1<<48 | (i<<24)) "
                                     "FROM n;");
  const auto notes = kino::data_quality_report(*trace).notes;
  CHECK(std::ranges::count(notes, "No CUDA events collected. (process 300)") == 1);
  CHECK(std::ranges::count(notes, "About all.") == 1);
  CHECK(std::ranges::count(notes, "About the recorder.") == 1);
  CHECK(std::ranges::count(notes, "Lost. (processes 1, 2, 3 and 2 more)") == 1);
}

TEST_CASE("imports a whole graph as GPU work with its launch, not as a kernel") {
  const auto trace =
      opened_database(std::string(kTables) + call(10, 11, 0, kFirst, 9, 5) + kernel(12, 14, 7, kFirstPid, 1) +
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, \"end\", deviceId, streamId, "
                      "correlationId, globalPid, graphId, graphExecId);"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (20, 120, 0, 7, 9, " +
                      kFirstPid + ", 4, 5);");
  const SliceId graph = slice_with(*trace, "CUDA graph 4 / 5", 100);
  CHECK(kino::is_gpu_work(trace->kind(graph)));
  const SliceId launch = trace->link(graph);
  REQUIRE(launch != kino::kNoSlice);
  CHECK(trace->name_of(launch) == "cudaGraphLaunch_v10000");
  const kino::Table kernels = table_of(*trace, "cuda_gpu_kern_sum");
  REQUIRE(kernels.row_count() == 1);
  CHECK(kino_test::text(kernels, "name", 0) == kGemm);
  CHECK(table_of(*trace, "kernels").row_count() == 1);
  CHECK(noted(*trace, "CUDA graphs were recorded as a whole"));
}

TEST_CASE("ignores ids in rows of other classes") {
  const auto trace = opened_database(std::string(kTables) + call(1, 9, 67, kFirst, 5) +
                                     call(2, 4, 0, kFirst, 5) + kernel(20, 21, 7, kFirstPid, 5));
  const SliceId launch = trace->link(slice_with(*trace, kGemm, 1));
  REQUIRE(launch != kino::kNoSlice);
  CHECK(trace->duration_ns(launch) == 2);
}

TEST_CASE("keeps all overlapping kernels of a stream") {
  const auto trace = opened_database(std::string(kTables) + kernel(20, 40, 7, kFirstPid, 1) +
                                     kernel(30, 60, 7, kFirstPid, 2));
  CHECK(trace->slice_count() == 2);
  CHECK(trace->rows.size() == 2);
}

TEST_CASE("short names leave out unnamed namespaces in any spelling") {
  CHECK(kino::short_name("void at::native::<unnamed>::kernel<4>(int)") ==
        kino::short_name("void at::native::(anonymous namespace)::kernel<4>(int)"));
}

TEST_CASE("PyTorch's marks become operators with sequence number and shapes, other ranges annotations") {
  const auto trace = opened_database(
      std::string(kTables) +
      range(10, "30", 59,
            "'aten::index, seq = 17, op_id = 71, sizes = [[10, 768], [4]], input_op_ids = [(1,0)]'", "NULL",
            kFirst, 0) +
      range(5, "50", 59, "'forward pass'", "NULL", kFirst, 0));
  const SliceId op = slice_with(*trace, "aten::index", 20);
  CHECK(trace->kind(op) == kino::SliceKind::cpu_op);
  const auto facts = kino::decode_facts(*trace);
  CHECK(facts[kino::facts_index(*trace, op)].input_dims == "[[10, 768], [4]]");
  CHECK(trace->kind(slice_with(*trace, "forward pass", 45)) == kino::SliceKind::annotation);
}

TEST_CASE("a range is projected onto each stream from the first to the last work launched in it") {
  const auto trace = opened_database(std::string(kTables) + range(10, "30", 59, "'step'", "NULL", kFirst, 0) +
                                     call(11, 12, 0, kFirst, 1) + call(13, 14, 0, kFirst, 2) +
                                     call(29, 31, 0, kFirst, 3) + kernel(40, 45, 7, kFirstPid, 1) +
                                     kernel(60, 70, 7, kFirstPid, 2) + kernel(80, 90, 7, kFirstPid, 3));
  const kino::Table table = table_of(*trace, "nvtx_gpu_proj_sum");
  REQUIRE(table.row_count() == 1);
  CHECK(kino_test::integer(table, "total_ns", 0) == 30);
  CHECK(kino_test::integer(table, "range_total_ns", 0) == 20);
  CHECK(kino_test::integer(table, "gpu_operations", 0) == 2);
  const SliceId shown = slice_with(*trace, "step", 30);
  CHECK(trace->kind(shown) == kino::SliceKind::gpu_annotation);
}

TEST_CASE("counts rows with missing, wrongly typed or huge times, and opens the rest") {
  const auto trace =
      opened_database(std::string(kTables) + kernel(20, 21, 7, kFirstPid, 1) +
                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, \"end\") VALUES (NULL, 5), "
                      "('soon', 7), (1.5, 8), (x'00ff', 9);"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, \"end\") VALUES "
                      "(9223372036854775807, -9223372036854775808);");
  CHECK(trace->damage.count(kino::DamageReason::no_timestamp) == 4);
  CHECK(trace->damage.count(kino::DamageReason::time_out_of_range) == 1);
  CHECK(trace->slice_count() == 1);
}

TEST_CASE("keeps quotes and line breaks in texts") {
  const auto trace = opened_database(
      std::string(kTables) + range(10, "30", 59, "'a \"b\" \\c' || char(10) || 'd'", "NULL", kFirst, 0));
  CHECK(trace->name_of(SliceId{0}) == "a \"b\" \\c\nd");
}

TEST_CASE("ignores sizes that are not an array of numbers") {
  for (const char* const sizes : {"[[10, 768], [4]]", "[]", "[[], [-1]]"}) {
    const std::string text =
        std::string("aten::mm, seq = 1, op_id = 2, sizes = ") + sizes + ", input_op_ids = []";
    CAPTURE(text);
    REQUIRE(kino::nvtx_operator(text).has_value());
    CHECK(kino::nvtx_operator(text)->sizes == sizes);
  }
  for (const char* const sizes :
       {"[1 2]", "[-]", "[01]", "[1,]", "[,1]", "[[1] [2]]", "[1", "1]", "5", "[1--2]", "]"}) {
    const std::string text = std::string("aten::mm, seq = 1, sizes = ") + sizes;
    CAPTURE(text);
    REQUIRE(kino::nvtx_operator(text).has_value());
    CHECK(kino::nvtx_operator(text)->sizes.empty());
  }
}

}  // namespace nsight_made
