// What is live at a moment of a snapshot, as a table: each allocation, or grouped by stack.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <imgui.h>

#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/memory/memory_raster.hpp"

namespace kino {

enum class LiveColumn : std::uint8_t { size, growth, count, age, place, stream, pool };

/// What the table is asked for.
struct LiveQuestion {
  std::size_t device = 0;
  EventIndex event = kBeforeRecording;
  EventIndex baseline = kNoMoment;  ///< an earlier or later moment to compare with, always by stack
  bool grouped = true;              ///< by stack; allocations without one by their size
  bool by_size = false;             ///< by size class, which goes before
  LiveColumn order = LiveColumn::size;
  bool ascending = false;
  bool operator==(const LiveQuestion&) const = default;
};

/// One allocation, or what shares a stack or a size class. Compared, rows without growth are left out, and
/// `largest` may live only at the baseline, with count 0.
struct LiveRow {
  AllocationId largest = kNoAllocation;
  AllocationId oldest = kNoAllocation;
  std::uint32_t count = 1;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_before = 0;  ///< at the baseline
  std::int64_t growth() const { return static_cast<std::int64_t>(bytes - bytes_before); }
};

struct LiveRows {
  LiveQuestion question;
  std::vector<LiveRow> rows;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  std::uint64_t bytes_before = 0;  ///< at the baseline
};

/// O(live * log live); early and incomplete when stopped.
LiveRows live_rows(const Snapshot& snapshot, const LiveQuestion& question, const std::stop_token& stop);

/// Lives on the UI thread.
class LiveTable {
 public:
  LiveTable(std::shared_ptr<const Snapshot> snapshot, WorkerPool& pool, std::function<void()> wake)
      : snapshot_(std::move(snapshot)), pool_(pool), wake_(std::move(wake)) {}

  /// Asks for the live set after `event`, compared with that after `baseline` unless it is kNoMoment. Once a
  /// frame.
  void update(std::size_t device, EventIndex event, EventIndex baseline);
  /// Returns the allocation that was clicked, or kNoAllocation. `colors` tells a group's.
  AllocationId draw(AllocationId selected, const std::function<std::uint32_t(std::uint32_t)>& colors,
                    const Theme& theme, float ui_scale);
  bool complete() const { return !rows_.running(); }
  /// Between a row a size class and a row a stack.
  void toggle_by_size() { question_.by_size = !question_.by_size; }
  /// Null before the first.
  const LiveRows* rows() const { return rows_.value(); }

 private:
  AllocationId draw_rows(const LiveRows& live, AllocationId selected,
                         const std::function<std::uint32_t(std::uint32_t)>& colors, const Theme& theme,
                         float ui_scale);
  void take_order();

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  LiveQuestion question_;
  LiveQuestion asked_;
  bool ever_asked_ = false;
  BackgroundResult<LiveRows> rows_;
};

}  // namespace kino
