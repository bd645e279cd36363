#include "core/tables/ledger/ledger_report.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/step_choice.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/ledger/whole_tree.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/name_text.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

struct RowTexts {
  msg::Id title;
  /// Sentence for the row if it is the largest loss; msg::nothing if the row is not a loss.
  /// {0}: its time, {1}: length of the step, {2}: share of the step, {3}: device word.
  msg::Id loss = msg::nothing;
};

RowTexts texts_of(StepRow row) {
  switch (row) {
    case StepRow::matrix_peak:
      return {msg::row_matrix_peak};
    case StepRow::matrix_memory:
      return {msg::row_matrix_memory};
    case StepRow::matrix_loss:
      return {msg::row_matrix_loss, msg::loss_matrix};
    case StepRow::matrix_unknown:
      return {msg::row_matrix_unknown};
    case StepRow::memory_roof:
      return {msg::row_memory_roof};
    case StepRow::memory_loss:
      return {msg::row_memory_loss, msg::loss_memory};
    case StepRow::memory_unknown:
      return {msg::row_memory_unknown};
    case StepRow::recompute:
      return {msg::row_recompute, msg::loss_recompute};
    case StepRow::optimizer:
      return {msg::row_optimizer};
    case StepRow::kernel_other:
      return {msg::row_kernel_other};
    case StepRow::comm_waiting:
      return {msg::row_comm_waiting, msg::loss_comm_waiting};
    case StepRow::comm_moving:
      return {msg::row_comm_moving, msg::loss_comm_transfer};
    case StepRow::comm_unsplit:
      return {msg::row_comm_unsplit, msg::loss_comm};
    case StepRow::comm_p2p:
      return {msg::row_comm_p2p, msg::loss_comm_p2p};
    case StepRow::copy:
      return {msg::row_copy, msg::loss_copy};
    case StepRow::idle_launch:
      return {msg::row_idle_launch, msg::loss_idle_launch};
    case StepRow::idle_loader:
      return {msg::row_idle_loader, msg::loss_idle_loader};
    case StepRow::idle_sync:
      return {msg::row_idle_sync, msg::loss_idle_sync};
    case StepRow::idle_malloc:
      return {msg::row_idle_malloc, msg::loss_idle_malloc};
    case StepRow::idle_gc:
      return {msg::row_idle_gc, msg::loss_idle_gc};
    case StepRow::idle_lock:
      return {msg::row_idle_lock, msg::loss_idle_lock};
    case StepRow::idle_dispatch:
      return {msg::row_idle_dispatch, msg::loss_idle_dispatch};
    case StepRow::idle_python:
      return {msg::row_idle_python, msg::loss_idle_python};
    case StepRow::idle_silent:
      return {msg::row_idle_silent, msg::loss_idle_silent};
    case StepRow::idle_bubble:
      return {msg::row_idle_bubble, msg::loss_idle_bubble};
    case StepRow::idle_unknown:
      return {msg::row_idle_unknown, msg::loss_idle_unknown};
    case StepRow::idle_tail:
      return {msg::row_idle_tail, msg::loss_idle_tail};
  }
  return {msg::nothing};
}

/// Returns whether a part may contribute to a row. Parts of calls with known limits have a loss row, but
/// contribute to the rows of their limits as well.
bool contributes(const StepPart& part, StepRow row) {
  if (part.row == row) return true;
  if (part.call == WorkCosts::kNoCall) return false;
  if (part.row == StepRow::matrix_loss) return row == StepRow::matrix_peak || row == StepRow::matrix_memory;
  return row == StepRow::memory_roof;
}

std::vector<LedgerStep> steps_of(const Trace& trace, const StepLedger& ledger, const std::vector<Step>& marks,
                                 const StepChoice& choice, const WorkCosts& costs,
                                 std::span<const StreamWork> streams, const std::stop_token& stop) {
  std::vector<LedgerStep> steps;
  steps.reserve(marks.size());
  for (std::size_t i = 0; i < marks.size(); ++i) {
    LedgerStep& step = steps.emplace_back();
    step.number = marks[i].number;
    step.slice = marks[i].slice;
    step.range = marks[i].range;
    step.used = is_used(choice.uses[i]);
  }
  if (steps.empty()) steps.emplace_back().range = ledger.extent();
  std::erase_if(steps, [](const LedgerStep& step) { return step.range.length_ns() <= 0; });
  std::vector<TimeRange> windows;
  windows.reserve(steps.size());
  for (const LedgerStep& step : steps) windows.push_back(step.range);
  std::vector<Utilization> uses = utilizations(trace, costs, streams, windows, stop);
  parallel_for(thread_count_or_default(0), steps.size(), stop, [&](std::size_t i, unsigned) {
    steps[i].times = ledger.times(steps[i].range);
    steps[i].utilization = std::move(uses[i]);
  });
  if (stop.stop_requested()) return {};
  return steps;
}

}  // namespace

std::size_t LedgerGpu::typical_step() const {
  std::vector<std::size_t> order;
  std::int64_t least_unknown_ns = std::numeric_limits<std::int64_t>::max();
  const auto unknown_ns = [this](std::size_t i) { return steps[i].times[StepRow::idle_unknown]; };
  const bool all = std::ranges::none_of(steps, &LedgerStep::used);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (all || steps[i].used) least_unknown_ns = std::min(least_unknown_ns, unknown_ns(i));
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!all && !steps[i].used) continue;
    constexpr std::int64_t kPercent = 100;
    if (unknown_ns(i) - least_unknown_ns <= steps[i].range.length_ns() / kPercent) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [this](std::size_t i) { return steps[i].range.length_ns(); });
  return order.empty() ? 0 : order[(order.size() - 1) / 2];
}

LedgerReport ledger_report(const RangeParts& parts, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  const WholeTree tree(parts, stop);
  LedgerReport report;
  report.inputs = std::make_unique<const LedgerInputs>(trace, tree.part(), stop);
  const Steps marks = find_steps(trace, stop);
  const StepChoice choice = choose_steps(trace, marks, stop);
  if (stop.stop_requested()) return {};
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  const auto add_gpus = [&] {
    for (GpuLedger& gpu : gpu_ledgers(*report.inputs, stop)) {
      std::vector<LedgerStep> steps = steps_of(trace, gpu.ledger, marks.steps, choice, report.inputs->costs,
                                               work.of_process(trace, gpu.process), stop);
      if (!steps.empty())
        report.gpus.push_back({std::move(gpu.title), std::move(gpu.ledger), std::move(steps)});
    }
  };
  parallel_for(thread_count_or_default(0), 2, {}, [&](std::size_t task, unsigned) {
    if (task == 0) {
      add_gpus();
    } else {
      report.points = roofline(trace, report.inputs->costs, whole_range(trace), stop);
    }
  });
  if (stop.stop_requested()) return {};
  return report;
}

std::vector<GapSum> gap_sums(const Trace& trace, const StepLedger& ledger, TimeRange window) {
  struct Sum {
    GapSum gap;
    SliceId last = kNoSlice;  // the work after the last gap
  };
  std::map<std::pair<StepRow, std::string_view>, Sum> sums;
  ledger.for_each(window, [&](TimeRange range, const StepPart& part) {
    if (!is_idle(part.row) || part.slice == kNoSlice) return;
    const std::string_view name = trace.name_of(part.slice);
    Sum& sum = sums.try_emplace({part.row, name}, Sum{{part.row, name, 0, 0}}).first->second;
    sum.gap.ns += range.length_ns();
    if (std::exchange(sum.last, part.slice) != part.slice) ++sum.gap.gaps;
  });
  std::vector<GapSum> list;
  list.reserve(sums.size());
  for (const auto& [key, sum] : sums) list.push_back(sum.gap);
  std::ranges::stable_sort(list, std::greater<>(), &GapSum::ns);
  return list;
}

std::vector<RowInterval> row_intervals(const StepLedger& ledger, TimeRange window, StepRow row) {
  std::vector<RowInterval> list;
  ledger.for_each(window, [&](TimeRange range, const StepPart& part) {
    if (!contributes(part, row)) return;
    if (!list.empty() && list.back().slice == part.slice && list.back().range.end_ns == range.begin_ns) {
      list.back().range.end_ns = range.end_ns;
    } else {
      list.push_back({range, part.slice});
    }
  });
  return list;
}

msg::Id title_of(StepRow row) { return texts_of(row).title; }

bool is_loss(StepRow row) { return texts_of(row).loss != msg::nothing; }

std::optional<StepRow> largest_loss(const StepTimes& times) {
  std::optional<StepRow> largest;
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    if (is_loss(row) && times[row] > (largest ? times[*largest] : 0)) largest = row;
  }
  return largest;
}

namespace {

/// Returns a sentence on the idle time of a step. Empty if it is below 1 % of the step.
Message idle_beside_text(const LedgerStep& step) {
  const std::int64_t length_ns = step.range.length_ns();
  std::int64_t idle_ns = 0;
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    if (is_idle(row)) add_saturating(idle_ns, step.times[row]);
  }
  if (idle_ns < length_ns / 100 || idle_ns == 0) return {};
  const double share = static_cast<double>(idle_ns) / static_cast<double>(length_ns);
  return {msg::idle_beside_loss, text_from_duration(idle_ns), text_from_duration(length_ns),
          text_from_share(share)};
}

}  // namespace

std::vector<Message> ledger_verdict(const Trace& trace, const LedgerGpu& gpu, const LedgerStep& step) {
  std::vector<Message> sentences;
  const std::int64_t length_ns = step.range.length_ns();
  const std::optional<StepRow> loss = largest_loss(step.times);
  const double share = loss ? static_cast<double>(step.times[*loss]) / static_cast<double>(length_ns) : 0;
  constexpr double kLeastShare = 0.01;
  if (share >= kLeastShare) {
    sentences.emplace_back(texts_of(*loss).loss, text_from_duration(step.times[*loss]),
                           text_from_duration(length_ns), text_from_share(share), device_word(trace));
    const std::vector<GapSum> gaps = gap_sums(trace, gpu.ledger, step.range);
    const auto most = std::ranges::find(gaps, *loss, &GapSum::row);
    if (most != gaps.end()) {
      const std::string time = text_from_duration(most->ns);
      constexpr std::size_t kNameLength = 60;  // keeps the sentence short: names of Tensile have 300
      const std::string name = shortened_text(short_name(most->name), kNameLength);
      sentences.push_back(most->gaps == 1 ? Message(msg::gap_ends_with, time, name)
                                          : Message(msg::gaps_end_with, time, grouped(most->gaps), name));
    }
    if (Message idle = idle_beside_text(step); !is_idle(*loss) && !idle.empty())
      sentences.push_back(std::move(idle));
  } else {
    sentences.emplace_back(msg::no_known_loss_is_large);
    const std::int64_t unknown_ns = step_ceiling(step.times).unknown_ns;
    if (unknown_ns > 0) {
      sentences.emplace_back(
          msg::limits_are_unknown, text_from_duration(unknown_ns),
          text_from_share(static_cast<double>(unknown_ns) / static_cast<double>(length_ns)));
    }
  }
  const Utilization& use = step.utilization;
  if (use.known())
    sentences.emplace_back(use.at_least() ? msg::mfu_is_at_least : msg::mfu_is, text_from_share(use.mfu()));
  return sentences;
}

}  // namespace kino
