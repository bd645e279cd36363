// The drawer's tab for a marked range: totals, streams, and a sortable table with a row for every name.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/system/background_result.hpp"
#include "app/ui/view/slice_look.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/analysis/range_summary.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class RangeColumn : std::uint8_t {
  name,
  count,
  calls,
  total,
  self,
  mean,
  min,
  max,
  range_share,
  gpu_share
};
inline constexpr int kRangeColumns = static_cast<int>(RangeColumn::gpu_share) + 1;

/// How a person wants the table.
struct RangeOrder {
  RangeColumn column = RangeColumn::total;
  bool ascending = false;
  std::string filter;  ///< part of a name, in any case of its letters
  bool operator==(const RangeOrder&) const = default;
};

/// The rows of the summary that pass the filter, as indices in order; equal ones by name. O(n log n).
std::vector<std::uint32_t> ordered_rows(const Trace& trace, const RangeSummary& summary,
                                        const RangeOrder& order);
/// The longest slice of that name and kind that has a part in the range, measured by that part; the first of
/// equals. kNoSlice when stopped. O(slices in range).
/// Only on `tracks`, where there are any.
SliceId longest_slice(const Trace& trace, TimeRange range, NameId name, SliceKind kind,
                      const std::stop_token& stop = {}, const ChosenSlices* tracks = nullptr);
/// The given rows with a header, times in ns, as RFC 4180 asks.
std::string csv_of(const Trace& trace, const RangeSummary& summary, std::span<const std::uint32_t> rows);

/// UI thread only; summary and order are computed on the pool.
class RangeTable {
 public:
  /// `look` and `pool` must outlive it.
  RangeTable(std::shared_ptr<const Trace> trace, const SliceLook& look, WorkerPool& pool,
             std::function<void()> wake);

  /// Once a frame, also while the table is not shown. `tracks` are what is summed up, all unless told;
  /// `generation` counts the changes of both.
  void update(std::optional<TimeRange> range, const std::optional<TrackSet>& tracks,
              std::uint64_t generation);
  /// Draws into a child window of `size`, with `draw_tracks` at the begin of its tools. Returns the slice a
  /// person clicked on, the longest of a row, or kNoSlice.
  SliceId draw(ImVec2 size, const Theme& theme, float ui_scale, bool keyboard,
               const std::function<void()>& draw_tracks);
  /// Sorts and filters as another one does. Before the first range.
  void take_order(const RangeTable& other);
  bool complete() const {
    return !summary_.running() && !rows_.running() && !work_lost_.running() && !order_stale_;
  }
  /// The newest summary; null without one.
  const RangeSummary* summary() const {
    return rows_.value() != nullptr ? rows_.value()->summary.get() : nullptr;
  }
  /// Rows shown, for the tab; 0 without a range.
  std::size_t row_count() const { return rows_.value() != nullptr ? rows_.value()->order.size() : 0; }

 private:
  using Summary = std::shared_ptr<const RangeSummary>;
  struct Rows {
    Summary summary;
    std::vector<std::uint32_t> order;  // indices into its names
  };

  void draw_totals(const Theme& theme, float ui_scale) const;
  void draw_streams(const Theme& theme) const;
  void draw_tools(const Theme& theme, float ui_scale, bool keyboard);
  void draw_table(const Theme& theme, float ui_scale);
  static void draw_titles();
  void draw_row(std::uint32_t index, const Theme& theme, float ui_scale);
  void draw_numbers(const NameStats& row, const Theme& theme) const;
  void copy_csv();
  void find_longest(const NameStats& row);

  std::shared_ptr<const Trace> trace_;
  const SliceLook& look_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::optional<TimeRange> range_;
  std::optional<TrackSet> tracks_;
  std::uint64_t generation_ = 0;
  BackgroundResult<Summary> summary_;
  BackgroundResult<Rows> rows_;
  BackgroundResult<SliceId> longest_;
  BackgroundResult<bool> work_lost_;  // of the whole trace: idle times are upper bounds
  RangeOrder order_;
  bool order_stale_ = false;
  std::array<char, 128> filter_{};
  double copied_at_ = -10;  // ImGui time
};

}  // namespace kino
