// Covers: nsys_reports, range_projection, report_rows, named_slices, nsight_transcript
// Exports of Nsight Systems against sums, tracks, links and projections from an independent implementation.
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/gpu_cover.hpp"
#include "core/trace/recorder_notes.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace nsight_goldens {
namespace {

using Json = nlohmann::json;
using kino::Table;
using kino_test::integer;
using kino_test::number;

constexpr std::size_t kMostRows = 400;  // in a golden file

struct Export {
  const char* file;
  const char* golden;
};
constexpr Export kExports[] = {
    {"Fuser/report1.sqlite", "Fuser__report1"},
    {"bolongcheng-assignment2-systems/small_fwd_A100.sqlite",
     "bolongcheng-assignment2-systems__small_fwd_A100"},
    {"gemm/profile.sqlite", "gemm__profile"},
    {"lizhieffe-assignment2-systems/ddp53_profile.sqlite", "lizhieffe-assignment2-systems__ddp53_profile"},
    {"nsys-ai/mfu_2gpu_after.sqlite", "nsys-ai__mfu_2gpu_after"},
    {"nsys-ai/mfu_2gpu_before.sqlite", "nsys-ai__mfu_2gpu_before"},
    {"nsys-ai/tests_fixtures__h100_2gpu_1s.sqlite", "nsys-ai__tests_fixtures__h100_2gpu_1s"},
    {"nsys-ai/tests_fixtures__healthy_1pct.sqlite", "nsys-ai__tests_fixtures__healthy_1pct"},
    {"nsys-ai/tests_fixtures__mock.sqlite", "nsys-ai__tests_fixtures__mock"},
    {"pipit/saxpy-mpi-cuda_nsys_perlmutter0.sqlite", "pipit__saxpy-mpi-cuda_nsys_perlmutter0"},
    {"zx3xyy-assignment2-systems/result_2_7B_compile_ro.sqlite",
     "zx3xyy-assignment2-systems__result_2_7B_compile_ro"},
    {"zx3xyy-assignment2-systems/result_2_7B_nvtx.sqlite", "zx3xyy-assignment2-systems__result_2_7B_nvtx"},
};

Table table_of(const kino::Trace& trace, const char* name, const char* group = "") {
  kino::TableRequest request;
  request.name = name;
  request.group = group;
  auto table = kino::compute_table(kino::RangeAnalyses(trace), request);
  REQUIRE(table.ok());
  return std::move(table).value();
}

/// Rows by name, since rows with equal totals may have any order.
void check_report(const kino::Trace& trace, const Json& rows, const char* name, const char* group = "",
                  bool bytes = false, bool styled = false) {
  CAPTURE(std::string(name) + group);
  const Table table = table_of(trace, name, group);
  if (rows.size() < kMostRows) CHECK(table.row_count() == rows.size());
  const auto key = [&](const char* of_time, const char* of_bytes) { return bytes ? of_bytes : of_time; };
  std::map<std::string, std::size_t> places;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    places[kino_test::text(table, "name", row) +
           (styled ? "\t" + kino_test::text(table, "style", row) : "")] = row;
    if (row > 0) {
      CHECK(integer(table, key("total_ns", "total_bytes"), row - 1) >=
            integer(table, key("total_ns", "total_bytes"), row));
    }
  }
  for (const Json& wanted : rows) {
    const auto found = places.find(wanted["name"].get<std::string>());
    REQUIRE_MESSAGE(found != places.end(), wanted["name"].get<std::string>());
    const std::size_t row = found->second;
    CAPTURE(found->first);
    CHECK(integer(table, "count", row) == wanted["n"].get<std::int64_t>());
    CHECK(integer(table, key("total_ns", "total_bytes"), row) == wanted["total"].get<std::int64_t>());
    CHECK(integer(table, key("min_ns", "min_bytes"), row) == wanted["min"].get<std::int64_t>());
    CHECK(integer(table, key("max_ns", "max_bytes"), row) == wanted["max"].get<std::int64_t>());
    CHECK(2 * number(table, key("median_ns", "median_bytes"), row) == wanted["med2"].get<double>());
    const double deviation = wanted["std"].get<double>();
    CHECK(std::abs(number(table, key("deviation_ns", "deviation_bytes"), row) - deviation) <=
          1e-9 * deviation);
    if (wanted.contains("gpu_ops")) {
      CHECK(integer(table, "gpu_operations", row) == wanted["gpu_ops"].get<std::int64_t>());
      CHECK(integer(table, "range_total_ns", row) == wanted["range_total"].get<std::int64_t>());
    }
  }
}

void check_tracks(const kino::Trace& trace, const Json& golden) {
  std::uint64_t work = 0;
  std::uint64_t linked = 0;
  std::multiset<std::pair<std::int64_t, std::int64_t>> streams;  // count and summed duration
  for (const kino::Track& track : trace.tracks) {
    if (track.kind != kino::TrackKind::gpu_stream) continue;
    std::pair<std::int64_t, std::int64_t> sums{0, 0};
    for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
      for (std::uint32_t i = 0; i < trace.rows[row].slice_count; ++i) {
        const std::uint32_t slice = trace.rows[row].first_slice + i;
        ++sums.first;
        sums.second += trace.slices.duration_ns[slice];
        ++work;
        if (trace.slices.link[slice] != kino::kNoSlice) ++linked;
      }
    }
    streams.insert(sums);
  }
  std::multiset<std::pair<std::int64_t, std::int64_t>> wanted;
  for (const Json& track : golden["gpu_tracks"])
    wanted.emplace(track["n"].get<std::int64_t>(), track["sum"].get<std::int64_t>());
  CHECK((streams == wanted));
  CHECK(work == golden["links"]["gpu"].get<std::uint64_t>());
  CHECK(linked == golden["links"]["linked"].get<std::uint64_t>());
}

void check_export(const Export& it) {
  CAPTURE(std::string(it.file));
  const auto path = kino_test::real_data(std::string("nsys/") + it.file);
  const auto golden_path = kino_test::real_data("golden/nsys/" + std::string(it.golden) + ".json");
  if (!path || !golden_path) return;
  const Json golden = Json::parse(kino_test::file_content(*golden_path));
  const auto opened = kino_test::open(*path);
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  const kino::Trace& trace = *opened.value().trace;
  CHECK_FALSE(trace.damage.drops_events());
  check_report(trace, golden["cuda_gpu_kern_sum"], "cuda_gpu_kern_sum");
  check_report(trace, golden["cuda_gpu_kern_sum_base"], "cuda_gpu_kern_sum", "base");
  check_report(trace, golden["cuda_api_sum"], "cuda_api_sum");
  check_report(trace, golden["cuda_gpu_mem_time_sum"], "cuda_gpu_mem_time_sum");
  check_report(trace, golden["cuda_gpu_mem_size_sum_bytes"], "cuda_gpu_mem_size_sum", "", true);
  check_report(trace, golden["nvtx_sum"], "nvtx_sum", "", false, true);
  check_report(trace, golden["nvtx_gpu_proj_sum"], "nvtx_gpu_proj_sum", "", false, true);
  check_report(trace, golden["osrt_sum"], "osrt_sum");
  check_tracks(trace, golden);
  const Json& epoch = golden["session_utc_ns"];
  CHECK(trace.base_time_ns == (epoch.is_null() ? 0 : epoch.get<std::int64_t>()));
}

}  // namespace

TEST_CASE("the reports of every export of Nsight Systems equal those of another implementation" *
          doctest::test_suite("serial")) {
  for (const Export& it : kExports) check_export(it);
}

}  // namespace nsight_goldens
