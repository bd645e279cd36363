// The ledger of one GPU: each nanosecond of a window is in exactly one row, so the rows add up to the window.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/tables/compare/step_rows.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "core/tables/ledger/collective_waits.hpp"
#include "core/tables/ledger/work_costs.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A time range of one row, up to the start of the next part. Parts of calls with known limits are divided
/// further by StepLedger::times(): matrix_loss into peak, memory and loss; memory_loss into roof and loss.
struct StepPart {
  std::int64_t begin_ns = 0;
  SliceId slice = kNoSlice;  ///< work that the part belongs to; for idle rows, the next work
  StepRow row = StepRow::idle_tail;
  std::uint32_t call = WorkCosts::kNoCall;  ///< call whose limits divide the part; kNoCall: not divided
};

/// Inputs shared by all GPUs of a trace. Must outlive the ledgers made from them.
struct LedgerInputs {
  LedgerInputs(const Trace& source, const OperatorTreePart& tree, const std::stop_token& stop = {});

  const Trace& trace;
  WorkCosts costs;
  CollectiveWaits waits;
  std::vector<SliceId> calls;  ///< see find_blocking_calls()
};

/// Divides the time of one GPU into rows. Windows, owners of busy moments and sums are those of
/// TimeAttribution, which this class refines. Immutable.
class StepLedger {
 public:
  StepLedger() = default;
  /// `streams`: the work of one GPU. O(work * log work + slices of the threads that launch it). Empty if
  /// stopped.
  StepLedger(const LedgerInputs& inputs, std::span<const StreamWork> streams,
             const std::stop_token& stop = {});

  const std::vector<StepPart>& parts() const { return parts_; }
  /// Returns the range from the first GPU work to the end of the last.
  TimeRange extent() const { return extent_; }
  /// Returns the rows of a window. They add up to its length. O(log parts + parts in the window).
  StepTimes times(TimeRange window) const;

  /// Calls body(TimeRange, StepPart) for the parts of the window, in order. The ranges fill the window.
  template <class Body>
  void for_each(TimeRange window, Body&& body) const {
    std::int64_t begin_ns = window.begin_ns;
    for (std::size_t i = first_at(begin_ns); begin_ns < window.end_ns; ++i) {
      const std::int64_t next_ns = i + 1 < parts_.size() ? parts_[i + 1].begin_ns : window.end_ns;
      const std::int64_t end_ns = next_ns < window.end_ns ? next_ns : window.end_ns;
      if (end_ns <= begin_ns) continue;
      body(TimeRange{begin_ns, end_ns}, i < parts_.size() ? parts_[i] : StepPart{});
      begin_ns = end_ns;
    }
  }

 private:
  friend class StepLedgerBuilder;

  std::size_t first_at(std::int64_t time_ns) const;
  /// Adds `length_ns` of a part to its rows.
  void divide(const StepPart& part, std::int64_t length_ns, StepTimes& times) const;

  const LedgerInputs* inputs_ = nullptr;
  std::vector<StepPart> parts_;  // the first begins before any window
  TimeRange extent_;
};

/// One GPU of a trace with its ledger.
struct GpuLedger {
  std::uint32_t process = 0;
  std::string device;  ///< number of the device as in the file
  std::string title;   ///< see unique_process_title()
  StepLedger ledger;
};

/// Returns the ledgers of all GPUs with work, in display order. `inputs` must outlive the result.
std::vector<GpuLedger> gpu_ledgers(const LedgerInputs& inputs, const std::stop_token& stop = {});

}  // namespace kino
