// Covers: rocpd_transcript
// A database in the documented schema of rocprofv3: kernels, copies, regions, links, and two processes.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/gpu/data_quality_report.hpp"
#include "core/trace/event_facts.hpp"
#include "tests/fixtures/database_file.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace rocpd_made {
namespace {

using kino::SliceId;

/// The tables of one process, with the guid in their names.
std::string tables(const std::string& guid, int pid, int start) {
  const auto table = [&](const char* kind) { return "rocpd_" + std::string(kind) + "_" + guid; };
  const auto at = [&](int ns) { return std::to_string(start + ns); };
  return "CREATE TABLE " + table("string") + " (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);" +
         "INSERT INTO " + table("string") +
         " VALUES (1,'','HIP_RUNTIME_API_EXT'),(2,'','hipLaunchKernel'),(3,'','KERNEL_DISPATCH'),"
         "(4,'','MARKER_CORE_API'),(5,'','step'),(6,'','MEMORY_COPY_HOST_TO_DEVICE'),(7,'','HIP_COMPILER_API_"
         "EXT'),"
         "(8,'','__hipRegisterFatBinary');" +
         "CREATE TABLE " + table("info_process") + " (id, guid, nid, pid, command);" + "INSERT INTO " +
         table("info_process") + " VALUES (1,'',1," + std::to_string(pid) + ",'/usr/bin/python3 train.py');" +
         "CREATE TABLE " + table("info_thread") + " (id, guid, nid, pid, tid, name);" + "INSERT INTO " +
         table("info_thread") + " VALUES (9,'',1,1," + std::to_string(pid) + ",'main');" + "CREATE TABLE " +
         table("info_agent") +
         " (id, guid, nid, pid, type, absolute_index, logical_index, type_index, product_name);" +
         "INSERT INTO " + table("info_agent") +
         " VALUES (1,'',1,1,'CPU',0,0,0,'EPYC'),(2,'',1,1,'GPU',1,1,0,'AMD Instinct MI300X');" +
         "CREATE TABLE " + table("info_kernel_symbol") + " (id, guid, kernel_name, display_name);" +
         "INSERT INTO " + table("info_kernel_symbol") + " VALUES (30,'','_Z4gemm.kd','gemm(float*)');" +
         "CREATE TABLE " + table("event") +
         " (id, guid, category_id, stack_id, parent_stack_id, correlation_id);" + "INSERT INTO " +
         table("event") +
         " VALUES (1,'',1,70,0,0),(2,'',3,70,0,0),(3,'',4,0,0,0),(4,'',6,71,0,0),(5,'',7,70,0,0);" +
         "CREATE TABLE " + table("region") +
         " (id, guid, nid, pid, tid, start, \"end\", name_id, event_id);" + "INSERT INTO " + table("region") +
         " VALUES (1,'',1,1,9," + at(0) + "," + at(5) + ",8,5),(2,'',1,1,9," + at(12) + "," + at(15) +
         ",2,1),(3,'',1,1,9," + at(10) + "," + at(20) + ",5,3);" + "CREATE TABLE " +
         table("kernel_dispatch") +
         " (id, guid, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, \"end\", "
         "private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, "
         "grid_size_x, grid_size_y, grid_size_z, region_name_id, event_id);" +
         "INSERT INTO " + table("kernel_dispatch") + " VALUES (1,'',1,1,9,2,30,1,1,3," + at(30) + "," +
         at(130) + ",0,4096,256,1,1,1024,2,1,0,2);" + "CREATE TABLE " + table("memory_copy") +
         " (id, guid, nid, pid, tid, start, \"end\", name_id, dst_agent_id, src_agent_id, size, queue_id, "
         "stream_id, event_id);" +
         "INSERT INTO " + table("memory_copy") + " VALUES (1,'',1,1,9," + at(200) + "," + at(300) +
         ",6,2,1,5000,1,4,4);";
}

std::shared_ptr<const kino::Trace> opened_from(const std::string& statements) {
  const kino_test::TemporaryFolder folder;
  kino_test::write_database(folder.path() / "results.db", statements);
  const auto opened = kino_test::open(folder.path() / "results.db");
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  return opened.value().trace;
}

SliceId named_slice(const kino::Trace& trace, std::string_view name) {
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.name_of(SliceId{i}) == name) return SliceId{i};
  }
  FAIL("there is no such slice");
  return kino::kNoSlice;
}

}  // namespace

TEST_CASE("kernels, copies and regions of rocprofv3 have their kinds, launches, grids and sizes") {
  const auto trace = opened_from(tables("0000a1_b2", 4711, 1000));
  CHECK_FALSE(trace->damage.drops_events());
  const SliceId kernel = named_slice(*trace, "gemm(float*)");
  CHECK(trace->kind(kernel) == kino::SliceKind::compute);
  CHECK(trace->duration_ns(kernel) == 100);
  const SliceId launch = trace->link(kernel);
  REQUIRE(launch != kino::kNoSlice);
  CHECK(trace->name_of(launch) == "hipLaunchKernel");
  CHECK(trace->kind(launch) == kino::SliceKind::runtime);
  CHECK(trace->kind(named_slice(*trace, "step")) == kino::SliceKind::annotation);
  const auto facts = kino::decode_facts(*trace);
  const auto& of_kernel = facts[kino::facts_index(*trace, kernel)];
  CHECK((of_kernel.grid == std::array<std::int64_t, 3>{4, 2, 1}));
  CHECK((of_kernel.block == std::array<std::int64_t, 3>{256, 1, 1}));
  const SliceId copy = named_slice(*trace, "MEMORY_COPY_HOST_TO_DEVICE");
  CHECK(trace->kind(copy) == kino::SliceKind::copy);
  CHECK(facts[kino::facts_index(*trace, copy)].bytes == 5000);
  const auto notes = kino::data_quality_report(*trace).notes;
  CHECK(notes.size() == 2);
}

TEST_CASE("a copy to CPU 0 is shown on the GPU that it comes from") {
  const auto trace =
      opened_from(tables("0000a1", 4711, 1000) +
                  "INSERT INTO rocpd_info_agent_0000a1 VALUES (3,'',1,1,'GPU',2,2,1,'AMD Instinct MI300X');"
                  "INSERT INTO rocpd_string_0000a1 VALUES (9,'','MEMORY_COPY_DEVICE_TO_HOST');"
                  "INSERT INTO rocpd_memory_copy_0000a1 VALUES (2,'',1,1,9,1400,1500,9,1,3,64,1,4,4);");
  const auto pid_of = [&](std::string_view name) {
    return trace->processes[trace->track(trace->track_of(named_slice(*trace, name))).process].pid;
  };
  CHECK(pid_of("MEMORY_COPY_HOST_TO_DEVICE") == "0");
  CHECK(pid_of("MEMORY_COPY_DEVICE_TO_HOST") == "1");
}

TEST_CASE("a database with two processes has the events of both") {
  const auto trace = opened_from(tables("0000a1", 4711, 1000) + tables("0000a2", 4712, 5000));
  CHECK(trace->slice_count() == 10);
}

TEST_CASE("an empty rocpd database opens") {
  const auto trace =
      opened_from("CREATE TABLE rocpd_string_1 (id, string); CREATE TABLE rocpd_region_1 (start);");
  CHECK(trace->slice_count() == 0);
}

}  // namespace rocpd_made
