#include "core/job/tables/job_ledger.hpp"

#include <algorithm>
#include <tuple>

#include "core/job/tables/pipelines.hpp"
#include "core/tables/ledger/collective_waits.hpp"

namespace kino {
namespace {

/// Splits of the kernels of one rank.
struct RankSplits {
  std::vector<CollectiveSplit> of_kernels;  ///< by index of RankDigest::kernels
  std::vector<char> incomplete;             ///< by kernel: whether a rank of its collective has no recording
};

RankSplits splits_of(const JobAnalysis& job, std::uint32_t rank) {
  const KernelWaits& waits = job.waits.kernels[rank];
  RankSplits splits{std::vector<CollectiveSplit>(waits.size()), std::vector<char>(waits.size(), 0)};
  for (std::size_t k = 0; k < waits.size(); ++k) {
    const KernelWait wait = waits[k];
    if (wait.collective == KernelWait::kUnmatched) continue;
    splits.of_kernels[k] = {.wait_ns = wait.waiting_ns, .exact = true};
    const std::uint32_t instance = job.waits.collectives[wait.collective].instance;
    splits.incomplete[k] = job.matched.instances[instance].complete ? 0 : 1;
  }
  return splits;
}

std::vector<RankSplits> splits_of(const JobAnalysis& job, const std::stop_token& stop) {
  std::vector<RankSplits> splits;
  splits.reserve(job.ranks.size());
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) splits.push_back(splits_of(job, rank));
  for (const Pipeline& pipeline : pipelines_of(job, stop)) {
    for (std::size_t stage = 0; stage < pipeline.ranks.size(); ++stage) {
      for (const PipelineMessage& message : pipeline.messages[stage]) {
        CollectiveSplit& split = splits[pipeline.ranks[stage]].of_kernels[message.kernel];
        split.bubble_ns = message.bubble_ns;
        split.wait_ns = message.straggling_ns;
      }
    }
  }
  return splits;
}

/// Adds the steps of a rank.
void add_steps(const RankDigest& digest, std::uint32_t rank, const RankSplits& splits,
               std::vector<JobLedgerStep>& steps) {
  const RankLedger& ledger = digest.ledger;
  const std::size_t first = steps.size();
  for (const RankLedger::Window& window : ledger.windows) {
    JobLedgerStep& step = steps.emplace_back();
    step.rank = rank;
    step.step = window.step;
    step.gpu = digest.texts[window.gpu];
    step.length_ns = window.range.length_ns();
  }
  for (std::size_t i = 0; i < ledger.times.size(); ++i) {
    const auto [window, row, ns] = ledger.times.row<RankLedger::kTimeColumns>(i);
    if (row < static_cast<std::int64_t>(kStepRowCount))
      steps[first + static_cast<std::size_t>(window)].times[static_cast<StepRow>(row)] += ns;
  }
  for (std::size_t i = 0; i < ledger.pieces.size(); ++i) {
    const auto [window, number, kernel, begin_ns, length_ns] =
        ledger.pieces.row<RankLedger::kPieceColumns>(i);
    if (kernel == RankLedger::kNoKernel || number >= static_cast<std::int64_t>(kStepRowCount)) continue;
    const auto k = static_cast<std::size_t>(kernel);
    if (k >= splits.of_kernels.size()) continue;
    const auto row = static_cast<StepRow>(number);
    JobLedgerStep& step = steps[first + static_cast<std::size_t>(window)];
    CollectiveSplit split = splits.of_kernels[k];
    split.p2p = row == StepRow::comm_p2p;
    const bool idle = is_idle(row);
    for_each_row(split, digest.kernels.start_ns(k), {begin_ns, begin_ns + length_ns},
                 [&](TimeRange part, StepRow to) {
                   if (idle && to != StepRow::idle_bubble) return;
                   const std::int64_t moved_ns = std::min(part.length_ns(), step.times[row]);
                   step.times[row] -= moved_ns;
                   step.times[to] += moved_ns;
                   if (to == StepRow::comm_waiting && splits.incomplete[k] != 0) step.waits_at_least = true;
                 });
  }
}

}  // namespace

std::vector<JobLedgerStep> job_ledger(const JobAnalysis& job, const std::stop_token& stop) {
  const std::vector<RankSplits> splits = splits_of(job, stop);
  std::vector<JobLedgerStep> steps;
  for (std::uint32_t rank = 0; rank < job.ranks.size() && !stop.stop_requested(); ++rank)
    add_steps(*job.ranks[rank], rank, splits[rank], steps);
  std::ranges::stable_sort(steps, {},
                           [](const JobLedgerStep& step) { return std::tuple(step.step, step.rank); });
  return steps;
}

}  // namespace kino
