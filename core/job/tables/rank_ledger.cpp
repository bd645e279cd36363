#include "core/job/tables/rank_ledger.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/tables/ledger/step_ledger.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

/// Time in which a message on CPU threads runs, but no message that started earlier.
struct MessageRange {
  TimeRange range;
  std::int64_t kernel = RankLedger::kNoKernel;
};

class RankLedgerBuilder {
 public:
  RankLedgerBuilder(const Trace& trace, const RankDigest& digest) : trace_(trace), kernels_(digest.kernels) {
    by_slice_.reserve(kernels_.size());
    std::int64_t end_ns = INT64_MIN;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      by_slice_.emplace_back(index_of(kernels_.slice(k)), static_cast<std::int64_t>(k));
      if (!is_message(kernels_.operation(k).kind) || is_gpu_work(trace.kind(kernels_.slice(k)))) continue;
      const std::int64_t begin_ns = std::max(end_ns, kernels_.start_ns(k) - trace.origin_unix_ns);
      end_ns = std::max(begin_ns, kernels_.end_ns(k) - trace.origin_unix_ns);
      if (begin_ns < end_ns) messages_.push_back({{begin_ns, end_ns}, static_cast<std::int64_t>(k)});
    }
    std::ranges::sort(by_slice_);
  }

  void add(std::int64_t step, std::uint32_t gpu, TimeRange range, const StepLedger& ledger) {
    window_ = static_cast<std::int64_t>(windows_.size());
    windows_.push_back({step, gpu, {at(range.begin_ns), at(range.end_ns)}});
    StepTimes times = ledger.times(range);
    times[StepRow::comm_unsplit] += std::exchange(times[StepRow::comm_waiting], 0);
    for (std::size_t i = 0; i < kStepRowCount; ++i) {
      const std::int64_t ns = times[static_cast<StepRow>(i)];
      if (ns != 0) times_.insert(times_.end(), {window_, static_cast<std::int64_t>(i), ns});
    }
    ledger.for_each(range, [&](TimeRange part, const StepPart& what) {
      if (is_idle(what.row)) return add_idle(part, what.row);
      if (what.row == StepRow::comm_p2p) return add_piece(part, what.row, kernel_of(what.slice));
      const bool collective = what.row == StepRow::comm_waiting || what.row == StepRow::comm_unsplit;
      if (collective) add_piece(part, StepRow::comm_unsplit, kernel_of(what.slice));
    });
  }

  RankLedger built() && {
    RankLedger ledger;
    ledger.windows = std::move(windows_);
    ledger.times = PackedTable(RankLedger::kTimeColumns, times_);
    ledger.pieces = PackedTable(RankLedger::kPieceColumns, pieces_);
    return ledger;
  }

 private:
  std::int64_t at(std::int64_t time_ns) const { return trace_.origin_unix_ns + time_ns; }

  std::int64_t kernel_of(SliceId slice) const {
    const auto found = std::ranges::lower_bound(by_slice_, index_of(slice), {},
                                                &std::pair<std::uint32_t, std::int64_t>::first);
    return found == by_slice_.end() || found->first != index_of(slice) ? RankLedger::kNoKernel
                                                                       : found->second;
  }

  void add_idle(TimeRange part, StepRow row) {
    const auto end_of = [](const MessageRange& message) { return message.range.end_ns; };
    for (auto next = std::ranges::upper_bound(messages_, part.begin_ns, {}, end_of);
         next != messages_.end() && next->range.begin_ns < part.end_ns; ++next) {
      add_piece({std::max(part.begin_ns, next->range.begin_ns), std::min(part.end_ns, next->range.end_ns)},
                row, next->kernel);
    }
  }

  /// Adds a piece. If it continues the previous piece, joins them.
  void add_piece(TimeRange part, StepRow row, std::int64_t kernel) {
    const std::int64_t piece[RankLedger::kPieceColumns] = {window_, static_cast<std::int64_t>(row), kernel,
                                                           at(part.begin_ns), part.length_ns()};
    if (!pieces_.empty()) {
      std::int64_t* const last = pieces_.data() + pieces_.size() - RankLedger::kPieceColumns;
      if (std::equal(last, last + 3, piece) && last[3] + last[4] == piece[3]) {
        last[4] += piece[4];
        return;
      }
    }
    pieces_.insert(pieces_.end(), std::begin(piece), std::end(piece));
  }

  const Trace& trace_;
  const CommunicationKernels& kernels_;
  std::vector<std::pair<std::uint32_t, std::int64_t>> by_slice_;  // sorted: index of the slice, kernel
  std::vector<MessageRange> messages_;                            // in order, disjoint
  std::vector<RankLedger::Window> windows_;
  std::vector<std::int64_t> times_;   // see RankLedger
  std::vector<std::int64_t> pieces_;  // see RankLedger
  std::int64_t window_ = 0;           // the last of windows_
};

}  // namespace

RankLedger rank_ledger(const RangeParts& whole, RankDigest& digest, const std::stop_token& stop) {
  const Trace& trace = whole.trace();
  const LedgerInputs inputs(trace, whole.tree(stop), stop);
  const std::vector<Step> steps = find_steps(trace, stop).steps;
  RankLedgerBuilder builder(trace, digest);
  for (const GpuLedger& gpu : gpu_ledgers(inputs, stop)) {
    if (stop.stop_requested()) return {};
    const std::uint32_t name = digest.texts.intern(gpu.device);
    if (steps.empty() && gpu.ledger.extent().length_ns() > 0)
      builder.add(-1, name, gpu.ledger.extent(), gpu.ledger);
    for (const Step& step : steps) {
      if (step.range.length_ns() > 0) builder.add(step.number, name, step.range, gpu.ledger);
    }
  }
  return std::move(builder).built();
}

}  // namespace kino
