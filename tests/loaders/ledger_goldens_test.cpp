// Covers: ledger_report, step_ledger, work_costs, roofline, call_bytes, host_activity, collective_waits, utilization
// Ledgers of real traces against independently computed rows (golden/ledger), in ns.
#include <cmath>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/tables/ledger/ledger_report.hpp"
#include "core/tables/ledger/roofline.hpp"
#include "core/tables/ledger/step_ledger.hpp"
#include "core/tables/ledger/utilization.hpp"
#include "core/trace/links/operator_tree.hpp"
#include "core/trace/steps.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

using Json = nlohmann::json;
using kino::StepRow;

/// Files for which the reference differs; sums of rows are compared instead. Bytes: it counts one byte per
/// result of operators whose names start like a comparison (gelu, neg). Kernels: convolutions without strides
/// are counted here, because backward calls show their outputs. Locks: acquiring a lock.
const std::set<std::string> kOtherBytes{"bert_h100",  "bert_mi300", "qwen_h100",
                                        "qwen_mi300", "owlv2_h100", "sd35",
                                        "dlrm_a100",  "nanogpt",    "resnet_checkpoint"};
const std::set<std::string> kOtherKernels{"resnet50_v100"};
const std::set<std::string> kOtherLocks{"sd35"};

std::int64_t sum_of(const kino::StepTimes& times, std::initializer_list<StepRow> rows) {
  std::int64_t ns = 0;
  for (const StepRow row : rows) ns += times[row];
  return ns;
}

kino::StepTimes times_of(const Json& rows) {
  kino::StepTimes times;
  for (const auto& [name, ns] : rows.items())
    times[kino::step_row_named(name).value()] = ns.get<std::int64_t>();
  return times;
}

/// Compares the rows; for files with exceptions, compares only the sum of the affected rows.
void check_rows(const std::string& name, kino::StepTimes got, kino::StepTimes want) {
  const auto join = [&](std::initializer_list<StepRow> rows) {
    CHECK(sum_of(got, rows) == sum_of(want, rows));
    for (const StepRow row : rows) got[row] = want[row] = 0;
  };
  if (kOtherKernels.contains(name)) {
    join({StepRow::matrix_peak, StepRow::matrix_loss, StepRow::matrix_unknown, StepRow::memory_unknown,
          StepRow::kernel_other});
  }
  if (kOtherBytes.contains(name)) join({StepRow::memory_roof, StepRow::memory_loss, StepRow::memory_unknown});
  if (kOtherLocks.contains(name)) join({StepRow::idle_lock, StepRow::idle_python});
  for (std::size_t i = 0; i < kino::kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    CAPTURE(kino::text_of(row));
    CHECK(got[row] == want[row]);
  }
}

/// Compares calls, times and FLOPs of the points, and their bytes unless the file is an exception. Returns
/// the number of equal points.
std::size_t check_points(const std::string& name, const kino::Trace& trace, const kino::WorkCosts& costs,
                         const Json& golden) {
  const std::vector<kino::RooflinePoint> points = kino::roofline(trace, costs, kino::whole_range(trace));
  std::size_t equal = 0;
  for (const Json& want : golden) {
    const auto found = std::ranges::find_if(points, [&](const kino::RooflinePoint& point) {
      return trace.name_text(point.op) == want["op"].get<std::string>() &&
             point.input_dims == want["dims"].get<std::string>() &&
             point.dtype == want["dtype"].get<std::string>();
    });
    CAPTURE(want.dump());
    if (found == points.end() || found->calls != want["calls"].get<std::uint64_t>()) {
      // The reference takes the type of a number if the first input is not a tensor.
      CHECK(name == "dlrm_a100");
      continue;
    }
    CHECK(found->device_ns == want["dur"].get<std::int64_t>());
    CHECK(found->flop == want["f"].get<double>());
    CHECK(found->uncounted == want["nob"].get<std::uint64_t>());
    const std::set<std::string> other{"aten::neg", "aten::gelu", "aten::_scaled_mm"};
    if (!other.contains(want["op"].get<std::string>()) &&
        want["dtype"].get<std::string>() != "c10::complex<float>")
      CHECK(found->bytes == want["b"].get<double>());
    ++equal;
  }
  return equal;
}

/// Compares the ceiling and the longest sums of gaps.
void check_step(const std::string& name, const kino::Trace& trace, const kino::GpuLedger& gpu,
                kino::TimeRange window, const Json& golden) {
  const kino::StepCeiling ceiling = kino::step_ceiling(gpu.ledger.times(window));
  CHECK(ceiling.no_idle_ns == golden["ceiling"][0][1]);
  CHECK(ceiling.no_exposed_ns == golden["ceiling"][1][1]);
  CHECK(ceiling.no_recompute_ns == golden["ceiling"][2][1]);
  if (!kOtherKernels.contains(name) && !kOtherBytes.contains(name))
    CHECK(ceiling.at_roof_ns == golden["ceiling"][3][1]);
  if (kOtherLocks.contains(name)) return;
  // The reference leaves out the gap before the first work of the trace.
  window.begin_ns = std::max(window.begin_ns, gpu.ledger.extent().begin_ns);
  const std::vector<kino::GapSum> gaps = kino::gap_sums(trace, gpu.ledger, window);
  for (const Json& wait : golden["waits"]) {
    CAPTURE(wait.dump());
    const auto found = std::ranges::find_if(gaps, [&](const kino::GapSum& gap) {
      return kino::text_of(gap.row) == wait[0].get<std::string>() &&
             gap.name.substr(0, 80) == wait[1].get<std::string>() && gap.ns == wait[2].get<std::int64_t>();
    });
    CHECK(found != gaps.end());
    if (found != gaps.end()) CHECK(found->gaps == wait[3].get<std::uint64_t>());
  }
}

}  // namespace

TEST_CASE("rows of real steps are those of the reference, to the ns") {
  const auto folder = kino_test::real_data("golden/ledger");
  if (!folder) return;
  std::size_t windows = 0;
  std::size_t points = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    const std::string name = entry.path().stem().string();
    const Json golden = Json::parse(kino_test::file_content(entry.path()));
    const auto file = kino_test::real_data(golden["file"].get<std::string>());
    if (!file) continue;
    CAPTURE(name);
    const auto opened = kino_test::open(*file);
    REQUIRE(opened.ok());
    const kino::Trace& trace = *opened.value().trace;
    const kino::OperatorTree tree =
        kino::operator_tree(trace, kino::whole_range(trace), {.annotations = true});
    const kino::OperatorTreePart part(trace, tree);
    const kino::LedgerInputs inputs(trace, part);
    points += check_points(name, trace, inputs.costs, golden["points"]);
    const kino::GpuWork work = kino::gpu_work_in(trace, kino::whole_range(trace));
    const std::vector<kino::Step> steps = kino::find_steps(trace).steps;
    for (const Json& step : golden["steps"]) {
      for (const kino::GpuLedger& gpu : kino::gpu_ledgers(inputs)) {
        if (gpu.device != step["device"].get<std::string>()) continue;
        kino::TimeRange window = gpu.ledger.extent();
        for (const kino::Step& each : steps) {
          if (!step["step"].is_null() && each.number == step["step"].get<std::int64_t>()) window = each.range;
        }
        CAPTURE(step["step"].dump());
        const kino::StepTimes times = gpu.ledger.times(window);
        CHECK(times.total() == window.length_ns());
        CHECK(window.length_ns() == step["length_ns"].get<std::int64_t>());
        check_rows(name, times, times_of(step["rows"]));
        check_step(name, trace, gpu, window, step);
        ++windows;
        if (kOtherKernels.contains(name)) continue;
        constexpr double kMillion = 1e6;
        const kino::Utilization sum =
            kino::utilization(trace, inputs.costs, work.of_process(trace, gpu.process), window);
        CHECK(std::floor(sum.mfu() * kMillion) == step["mfu_ppm"].get<double>());
        CHECK(std::floor(sum.hfu() * kMillion) == step["hfu_ppm"].get<double>());
      }
    }
  }
  MESSAGE(windows, " windows and ", points, " points compared");
}
