#include "core/tables/ledger/record_ledgers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/tables/ledger/step_ledger.hpp"
#include "core/tables/ledger/utilization.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/operator_tree.hpp"

namespace kino {
namespace {

/// Returns the hardware FLOPs utilization of one GPU; -1 if it is unknown.
double known_hfu(const Utilization& sum) {
  const bool covered = sum.uncounted_ns <= sum.matrix_ns / 2;
  return sum.known() && covered ? sum.hfu() : -1;
}

/// Returns the mean utilization of all GPUs in millionths; -1 if that of a GPU is unknown.
std::int64_t mean_hfu_ppm(const std::vector<double>& utilizations) {
  constexpr double kMillionths = 1e6;
  double sum = 0;
  for (const double hfu : utilizations) {
    if (hfu < 0) return -1;
    sum += hfu;
  }
  return std::llround(kMillionths * sum / static_cast<double>(utilizations.size()));
}

}  // namespace

void add_ledgers(const Trace& trace, std::span<RunWindow> windows, const std::stop_token& stop) {
  const OperatorTree tree = operator_tree(trace, whole_range(trace), {.annotations = true}, stop);
  const OperatorTreePart part(trace, tree);
  const LedgerInputs inputs(trace, part, stop);
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  const std::vector<GpuLedger> gpus = gpu_ledgers(inputs, stop);
  if (gpus.empty()) return;
  const auto count = static_cast<std::int64_t>(gpus.size());
  std::vector<TimeRange> ranges;
  ranges.reserve(windows.size());
  for (const RunWindow& window : windows) ranges.push_back(window.range);
  std::vector<std::vector<Utilization>> uses;
  uses.reserve(gpus.size());
  for (const GpuLedger& gpu : gpus)
    uses.push_back(utilizations(trace, inputs.costs, work.of_process(trace, gpu.process), ranges, stop));
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (stop.stop_requested()) return;
    RunWindow& window = windows[i];
    // In a hostile file, the sum over the GPUs of a window could overflow.
    if (window.length_ns() > std::numeric_limits<std::int64_t>::max() / count) continue;
    StepTimes sum;
    std::vector<double> shares;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      sum += gpus[gpu].ledger.times(window.range);
      shares.push_back(known_hfu(uses[gpu][i]));
    }
    window.ledger = sum.mean(count);
    window.counts.hfu_ppm = mean_hfu_ppm(shares);
  }
}

}  // namespace kino
