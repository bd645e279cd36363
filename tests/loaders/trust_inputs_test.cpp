// Covers: data_quality_report, launch_calls, doubtful_work, recorder_notes, gpu_breakdown, trace_summary,
//   python_table, rocpd_transcript
// Inputs of shared/data/trust for which the program once reported wrong facts. The expected values are from
// the README.md there.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/flight/hang.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/tables/gpu/gpu_breakdown.hpp"
#include "core/tables/name_stats/python_table.hpp"
#include "core/trace/links/doubtful_work.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/recorder_notes.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/query_fixture.hpp"

namespace trust_inputs {
namespace {

using kino::DataQualityLine;
using kino::DataQualityReport;
using kino::LaunchKind;
using kino::QualityFinding;
using kino::SliceKind;
using kino::Trace;

/// Opens an input. If the data is absent, returns nullopt, and the test is skipped.
std::optional<kino::OpenedTrace> opened_input(std::string_view name) {
  const auto path = kino_test::real_data(std::filesystem::path("trust") / name);
  if (!path) return std::nullopt;
  auto opened = kino_test::open(*path);
  REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? std::string() : opened.error().what.str()));
  return std::move(opened.value());
}

/// Returns the line of a finding; zeros if the report has no such line.
DataQualityLine line_of(const DataQualityReport& report, QualityFinding finding) {
  const auto found = std::ranges::find(report.lines, finding, &DataQualityLine::finding);
  return found == report.lines.end() ? DataQualityLine{} : *found;
}

std::vector<std::string> device_titles(const Trace& trace) {
  std::vector<std::string> titles;
  for (const kino::Process& process : trace.processes) {
    if (process.gpu) titles.push_back(process.title);
  }
  return titles;
}

std::vector<kino::GpuBreakdown> devices_of(const Trace& trace) {
  const kino::TimeRange whole = kino::whole_range(trace);
  return kino::gpu_breakdown(trace, kino::gpu_work_in(trace, whole), whole);
}

kino::Findings findings_of(const Trace& trace) {
  return kino::summarize_trace(kino::RangeAnalysis(trace, kino::whole_range(trace)), kino::ByteUnits::decimal)
      .findings;
}

std::uint64_t slices_of(const Trace& trace, const kino::Track& track) {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < track.row_count; ++i) count += trace.rows[track.first_row + i].slice_count;
  return count;
}

bool says(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string answer(const kino::OpenedTrace& opened, std::string_view sql) {
  return kino_test::asked({kino_test::query_model(opened)}, sql);
}

}  // namespace

TEST_CASE("a CPU sample whose frame has the name of a launch is not a launch") {
  const auto opened = opened_input("01_cpu_samples_named_as_launches.sqlite");
  if (!opened) return;
  const Trace& trace = *opened->trace;
  std::uint64_t samples = 0;
  const kino::LaunchCalls launches(trace);
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    const kino::SliceId slice{i};
    if (trace.name_of(slice) != "cudaLaunchKernel" || trace.slices.kind[i] == SliceKind::runtime) continue;
    ++samples;
    CHECK(launches.kind_of(slice) == LaunchKind::none);
  }
  CHECK(samples == 1);
  const DataQualityReport report = kino::data_quality_report(trace);
  CHECK(report.launches.all.calls.count == 16);
  CHECK(report.launches.all.without_work.count == 0);
  CHECK(line_of(report, QualityFinding::launch_without_gpu_work).count == 0);
  CHECK(report.covered_launches() == 1.0);
}

TEST_CASE("launches during a HIP stream capture are recorded into the graph, and none is reported as lost") {
  const auto opened = opened_input("02_launches_in_graph_capture.json");
  if (!opened) return;
  const DataQualityReport report = kino::data_quality_report(*opened->trace);
  CHECK(line_of(report, QualityFinding::captured_launch).count == 5);
  CHECK(line_of(report, QualityFinding::captured_launch).of == 6);
  CHECK(line_of(report, QualityFinding::launch_without_gpu_work).count == 0);
  CHECK(report.covered_launches() == 1.0);
}

TEST_CASE("threads of rocprofv3 keep a name that a later description lacks, and agents are GPUs") {
  const auto opened = opened_input("03_rocprofv3.pftrace");
  if (!opened) return;
  const Trace& trace = *opened->trace;
  const auto launching =
      std::ranges::find(trace.tracks, "app01", [](const kino::Track& it) { return std::string(it.name); });
  REQUIRE(launching != trace.tracks.end());
  CHECK(slices_of(trace, *launching) == 113);
  CHECK(trace.processes[launching->process].title == "app01 3648722");
  CHECK(device_titles(trace) == std::vector<std::string>{"GPU 4"});
  const auto gpus = devices_of(trace);
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].compute_ns() == 194'762);
  const std::vector<kino::Message> notes = kino::recorder_notes(trace);
  CHECK(std::ranges::count(notes, "2 packets of kind service event are not shown.") == 1);
}

TEST_CASE("kernels of two agents of one process belong to two GPUs") {
  const auto opened = opened_input("03b_rocprofv3_two_gpus.pftrace");
  if (!opened) return;
  const Trace& trace = *opened->trace;
  CHECK(device_titles(trace) == std::vector<std::string>{"GPU 4", "GPU 5"});
  const auto gpus = devices_of(trace);
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].compute_ns() == 108'481);
  CHECK(gpus[1].compute_ns() == 86'281);
  std::vector<std::uint64_t> kernels;
  for (const kino::Track& track : trace.tracks) {
    if (track.kind == kino::TrackKind::gpu_stream) kernels.push_back(slices_of(trace, track));
  }
  CHECK(kernels == std::vector<std::uint64_t>{8, 7});
}

TEST_CASE("launches in a trace without GPU work report that the GPU side is missing") {
  const auto opened = opened_input("04_launches_but_no_gpu_events.json");
  if (!opened) return;
  const DataQualityReport report = kino::data_quality_report(*opened->trace);
  CHECK(line_of(report, QualityFinding::gpu_side_missing).count == 20);
  CHECK(line_of(report, QualityFinding::gpu_side_missing).of == 20);
  CHECK(report.launches.gpu_side_missing());
  CHECK(report.covered_launches() == 0.0);
  CHECK(findings_of(*opened->trace)
            .verdict.str()
            .starts_with("No GPU work was recorded, although the trace has launches (20)"));
}

TEST_CASE("launches of Unified Runtime without recorded kernels do not make a trace launch-bound") {
  const auto opened = opened_input("05_xpu_launches_without_kernels.json");
  if (!opened) return;
  const DataQualityReport report = kino::data_quality_report(*opened->trace);
  CHECK(line_of(report, QualityFinding::kernels_missing).count == 20);
  CHECK(line_of(report, QualityFinding::kernels_missing).of == 22);
  CHECK(report.launches.of(LaunchKind::kernel).calls.count == 20);
  CHECK(report.launches.of(LaunchKind::transfer).with_work.count == 2);
  CHECK(report.launches.idle_unknown());
  const kino::Findings findings = findings_of(*opened->trace);
  CHECK_MESSAGE(says(findings.verdict.str(), "No kernel was recorded"), findings.verdict);
  CHECK(std::ranges::count(findings.list, kino::FindingKind::launch_bound, &kino::Finding::kind) == 0);
}

TEST_CASE("C calls that end only when the profiler stops cause no negative self times, and few lanes") {
  const auto opened = opened_input("06_c_calls_end_at_profiler_stop.json");
  if (!opened) return;
  const Trace& trace = *opened->trace;
  std::vector<std::int64_t> self_ns;
  for (const kino::PythonRow& row : kino::python_rows(trace, kino::whole_range(trace)))
    self_ns.push_back(row.self_ns);
  // The built-in, step, forward and <module>.
  CHECK(self_ns == std::vector<std::int64_t>{4'400'000, 480'000, 100'000, 20'000});
  std::uint32_t lanes = 0;
  for (const kino::Track& track : trace.tracks) lanes = std::max(lanes, track.row_count);
  CHECK(lanes == 6);  // four functions, the operator and its launch
}

TEST_CASE("GPU work that contains later work of its stream overlaps it") {
  const auto opened = opened_input("07_gpu_work_outlasts_its_successors.json");
  if (!opened) return;
  const Trace& trace = *opened->trace;
  CHECK(line_of(kino::data_quality_report(trace), QualityFinding::stream_overlap).count == 2);
  std::vector<std::int64_t> doubtful_ns;
  for (const kino::DoubtfulWork& work : kino::doubtful_work(trace))
    doubtful_ns.push_back(trace.duration_ns(work.slice));
  std::ranges::sort(doubtful_ns);
  CHECK(doubtful_ns == std::vector<std::int64_t>{3'150'000, 3'400'000});
  const std::string verdict = findings_of(trace).verdict.str();
  CHECK_MESSAGE(verdict.starts_with("It is unknown how long the GPU was idle."), verdict);
}

TEST_CASE("flight recorder dumps without operations give no verdict on a hang") {
  const auto path = kino_test::real_data("trust/08_flight_recorder_empty");
  if (!path) return;
  kino::OpenOptions options;
  options.cache_directory = std::filesystem::temp_directory_path();
  kino::LoadProgress progress;
  const auto opened = kino::open_file(*path, options, progress, {});
  REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? std::string() : opened.error().what.str()));
  REQUIRE(std::holds_alternative<kino::OpenedHang>(opened.value()));
  const kino::HangRecording& hang = *std::get<kino::OpenedHang>(opened.value()).hang;
  CHECK(hang.dumps.size() == 2);
  CHECK(kino::hang_verdict(hang.analysis) ==
        "The dumps contain no operations, so they do not show whether the job hangs.");
}

TEST_CASE("replays of graphs without their kernels leave the GPU's idle time unknown") {
  const auto opened = opened_input("09_graph_replays_without_kernels.json");
  if (!opened) return;
  const DataQualityReport report = kino::data_quality_report(*opened->trace);
  CHECK(report.launches.of(LaunchKind::graph).calls.count == 4);
  CHECK(report.launches.of(LaunchKind::graph).without_work.count == 4);
  CHECK(report.launches.of(LaunchKind::kernel).without_work.count == 0);
  CHECK(report.launches.idle_unknown());
  const kino::Findings findings = findings_of(*opened->trace);
  CHECK_MESSAGE(says(findings.verdict.str(), "4 of 12 launches have no GPU work in the trace."),
                findings.verdict);
  CHECK(findings.list.empty());
}

TEST_CASE("arguments of NCCL's profiler without quotes are read as text and counted") {
  const auto opened = opened_input("10_unquoted_values_in_args.json");
  if (!opened) return;
  CHECK(answer(*opened,
               "SELECT slice.name, key, display_value FROM slice JOIN args USING (arg_set_id) "
               "WHERE key IN ('args.Stream', 'args.datatype') ORDER BY slice.ts, key") ==
        "KernelLaunch|args.Stream|0x262ca50\nSend|args.Stream|0x4142e90\nSend|args.datatype|ncclFloat32");
  CHECK(opened->trace->damage.count(kino::DamageReason::repaired_event) == 2);
}

TEST_CASE("ids of communicators above 2^63 keep their last digit in SQL") {
  const auto opened = opened_input("11_ids_above_2_63.json");
  if (!opened) return;
  CHECK(answer(*opened, "SELECT EXTRACT_ARG(arg_set_id, 'args.Comms Id') FROM slice ORDER BY ts") ==
        "12715772615376301750\n12715772615376301751");
}

TEST_CASE("communication and compute times of an NPU equal the recorder's own analysis") {
  const auto opened = opened_input("13_ascend_npu_work.json");
  if (!opened) return;
  const Trace& trace = *opened->trace;
  CHECK(device_titles(trace) == std::vector<std::string>{"NPU 0"});
  std::int64_t analysis_ns = 0;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.name_of(kino::SliceId{i}) == "Communication") analysis_ns += trace.slices.duration_ns[i];
  }
  const auto devices = devices_of(trace);
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].communication_ns() == analysis_ns + 2);  // its four rows are rounded
  CHECK(devices[0].compute_ns() > 0);
}

TEST_CASE("recognizes launches of MUSA and their work") {
  const auto opened = opened_input("14_musa_launch_names.json");
  if (!opened) return;
  const DataQualityReport report = kino::data_quality_report(*opened->trace);
  CHECK(report.launch_side == kino::LaunchSide::counted);
  CHECK(report.launches.of(kino::DeviceApi::musa).with_work.count == 5);
  CHECK(report.launches.all.calls.count == 5);
  CHECK(report.covered_launches() == 1.0);
  CHECK(report.covered_gpu_time() == 1.0);
}

TEST_CASE("the device of unitrace is a GPU, and its overlap is that of a stream") {
  const auto opened = opened_input("15_intel_unitrace.json");
  if (!opened) return;
  const Trace& trace = *opened->trace;
  CHECK(device_titles(trace) == std::vector<std::string>{"GPU 0.0 · Intel(R) Data Center GPU Max 1550"});
  const auto device = std::ranges::find(trace.tracks, kino::TrackKind::gpu_stream, &kino::Track::kind);
  REQUIRE(device != trace.tracks.end());
  CHECK(slices_of(trace, *device) == 7);
  const DataQualityReport report = kino::data_quality_report(trace);
  CHECK(line_of(report, QualityFinding::stream_overlap).count == 1);
  CHECK(line_of(report, QualityFinding::thread_overlap).count == 0);
}

}  // namespace trust_inputs
