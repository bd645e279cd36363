// The slices that the selected row of a table aggregates, called instances: steps through them, and a
// histogram of their durations.
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

/// The instances of one row. Takes 5 bytes per instance and one bit per slice of the trace.
struct RowInstances {
  std::vector<SliceId> slices;        ///< sorted by start
  DurationHistogram histogram;        ///< counts by duration; durations are not clipped to the range
  std::vector<std::uint8_t> buckets;  ///< bucket of each instance
  std::shared_ptr<const SliceSet> set;

  /// Returns the index of a slice in `slices`; nullopt if the slice is not an instance.
  std::optional<std::size_t> place_of(const Trace& trace, SliceId slice) const;
  /// Returns the next (step 1) or previous (step -1) instance in the order of start, wrapping around. If
  /// `from` is kNoSlice: the first or last instance. kNoSlice if there are no instances.
  SliceId step(const Trace& trace, SliceId from, int step) const;
  /// Returns the next instance of a histogram bucket after the slice `from`, wrapping around. O(instances).
  SliceId next_in(const Trace& trace, std::size_t bucket, SliceId from) const;
};

/// Returns the instances of one row (see row_slices()). Empty for tables whose rows do not aggregate slices.
/// Costs no more than computing the table.
RowInstances row_instances(const RangeAnalyses& analyses, const TableResult& answer, std::uint32_t row,
                           const std::stop_token& stop);

/// Finds and draws the instances of the selected row. UI thread only; instances are found on the pool.
class RowInstancesView {
 public:
  RowInstancesView(std::shared_ptr<const RangeAnalyses> analyses, WorkerPool& pool,
                   std::function<void()> wake)
      : analyses_(std::move(analyses)), pool_(pool), wake_(std::move(wake)) {}

  /// Called once per frame with the selected row of `rows`; nullopt unless exactly one row is selected.
  void update(const TableResults::Rows* rows, std::optional<std::uint32_t> row);
  /// Null unless a row that aggregates several slices is selected.
  const RowInstances* shown() const;
  bool complete() const { return !found_.running(); }

  /// Draws position, buttons and histogram into `size`. Returns the slice to select, or kNoSlice.
  SliceId draw(ImVec2 size, SliceId selected, const Theme& theme, float ui_scale);
  /// Positions of the buttons and of the first and last bucket, for tests.
  const std::vector<std::pair<std::string, ImVec2>>& places() const { return places_; }

 private:
  SliceId draw_steps(const RowInstances& found, SliceId selected, const Theme& theme);
  SliceId draw_histogram(const RowInstances& found, SliceId selected, ImVec2 size, const Theme& theme,
                         float ui_scale);
  void record_position(const char* name, ImVec2 at) { places_.emplace_back(name, at); }

  std::shared_ptr<const RangeAnalyses> analyses_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::shared_ptr<const TableResult> answer_;  // table of the query under way or done
  std::optional<std::uint32_t> row_;
  BackgroundResult<RowInstances> found_;
  std::vector<std::pair<std::string, ImVec2>> places_;
};

}  // namespace kino
