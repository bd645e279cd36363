// Covers: nsight_counters
// GPU metrics and device memory of Nsight Systems, in databases made in its documented schema.
#include "loaders/formats/databases/nsight_counters.hpp"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/opened_database.hpp"

namespace nsight_counters {
namespace {

using kino::Trace;
using kino_test::noted;
using Values = std::vector<double>;

constexpr const char* kExport = "CREATE TABLE META_DATA_EXPORT (name, value);";

std::map<std::string, Values> counters(const Trace& trace) {
  std::map<std::string, Values> values;
  for (const kino::Track& track : trace.tracks) {
    if (track.kind != kino::TrackKind::counter) continue;
    Values& list =
        values[trace.processes[track.process].pid + ": " + std::string(std::string_view(track.name))];
    for (std::uint32_t i = 0; i < track.sample_count; ++i)
      list.push_back(trace.samples.value[track.first_sample + i]);
  }
  return values;
}

}  // namespace

TEST_CASE("imports metrics as counters of their GPU, and counts values of unnamed metrics") {
  const auto trace = kino_test::opened_database(
      std::string(kExport) +
      "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, sourceId, typeName, metricId, metricName);"
      "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256, 1, 'GPU 0', 1, 'SM Active [Throughput %]'),"
      "  (257, 1, 'GPU 1', 1, 'SM Active [Throughput %]');"
      "CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value);"
      "INSERT INTO GPU_METRICS VALUES (10, 256, 1, 40), (20, 256, 1, 60.5), (10, 257, 1, 5), (30, 256, 9, 1),"
      "  (NULL, 256, 1, 7), (40, 256, 1, NULL);");
  const auto values = counters(*trace);
  REQUIRE(values.size() == 2);
  CHECK(values.at("GPU 0 metrics: SM Active [Throughput %]") == Values{40, 60.5});
  CHECK(values.at("GPU 1 metrics: SM Active [Throughput %]") == Values{5});
  CHECK(noted(*trace, "GPU metric values without a name: 1."));
}

TEST_CASE("adds up device memory by process and device, without host memory") {
  const auto trace = kino_test::opened_database(
      std::string(kExport) +
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, address, bytes, "
      "memKind,"
      "  memoryOperationType);"
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (11, 1<<48 | 100<<24, 0, 1, 4096, 512, 2, 0),"
      "  (12, 1<<48 | 100<<24, 0, 1, 8192, 100, 2, 0), (13, 1<<48 | 100<<24, 0, 1, 4096, 512, 2, 1),"
      "  (14, 1<<48 | 100<<24, 0, 1, 12288, 512, 1, 0), (15, 1<<48 | 100<<24, 0, 1, 12288, -1, 2, 0);");
  const auto values = counters(*trace);
  REQUIRE(values.size() == 1);
  CHECK(values.begin()->second == Values{512, 612, 100});
}

TEST_CASE("imports no counters from an export without metrics and memory") {
  CHECK(counters(*kino_test::opened_database(std::string(kExport) + "")).empty());
}

}  // namespace nsight_counters
