// The slices that the selected row of a table sums up: marked on the timeline, stepped through, and how
// long they took.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <imgui.h>

#include "app/system/background_result.hpp"
#include "app/ui/tables/table_results.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/duration_histogram.hpp"
#include "core/base/slice_set.hpp"
#include "core/tables/analysis/range_analysis.hpp"

namespace kino {

/// 5 bytes an instance and a bit a slice of the trace.
struct RowInstances {
  std::vector<SliceId> slices;        ///< by start
  DurationHistogram histogram;        ///< of whole durations
  std::vector<std::uint8_t> buckets;  ///< by instance: its bucket
  std::shared_ptr<const SliceSet> set;

  /// Where a slice is among them, if it is.
  std::optional<std::size_t> place_of(const Trace& trace, SliceId slice) const;
  /// The next (1) or previous (-1) one from a slice by start, around the ends; of kNoSlice the first or last.
  /// Empty sets have none.
  SliceId step(const Trace& trace, SliceId from, int step) const;
  /// The next one in a bucket behind a slice by start, around the end. O(instances), one byte each.
  SliceId next_in(const Trace& trace, std::size_t bucket, SliceId from) const;
};

/// Returns the slices of one row, see row_slices(). Empty for tables whose rows do not sum up slices. Costs at
/// most as much as the table.
RowInstances row_instances(const RangeAnalyses& analyses, const TableAnswer& answer, std::uint32_t row,
                           const std::stop_token& stop);

/// UI thread only; what a row sums up is found on the pool.
class RowInstancesView {
 public:
  /// `pool` must outlive it; `wake` is called from a worker when there is news.
  RowInstancesView(std::shared_ptr<const RangeAnalyses> analyses, WorkerPool& pool,
                   std::function<void()> wake)
      : analyses_(std::move(analyses)), pool_(pool), wake_(std::move(wake)) {}

  /// Once a frame: the one row that is selected of these, or none.
  void update(const TableResults::Rows* rows, std::optional<std::uint32_t> row);
  /// Null without a row that sums up several slices.
  const RowInstances* shown() const;
  bool complete() const { return !found_.running(); }

  /// Draws place, buttons and histogram into `size`; returns the slice to go to, or kNoSlice.
  SliceId draw(ImVec2 size, SliceId selected, const Theme& theme, float ui_scale);
  /// On screen, for tests: the buttons and the first and last bucket.
  const std::vector<std::pair<std::string, ImVec2>>& places() const { return places_; }

 private:
  SliceId draw_steps(const RowInstances& found, SliceId selected, const Theme& theme);
  SliceId draw_histogram(const RowInstances& found, SliceId selected, ImVec2 size, const Theme& theme,
                         float ui_scale);
  void note_place(const char* name, ImVec2 at) { places_.emplace_back(name, at); }

  std::shared_ptr<const RangeAnalyses> analyses_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::shared_ptr<const TableAnswer> answer_;  // what was asked for
  std::optional<std::uint32_t> row_;
  BackgroundResult<RowInstances> found_;
  std::vector<std::pair<std::string, ImVec2>> places_;
};

}  // namespace kino
