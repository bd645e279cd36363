// The drawer's page for the marked range: totals and streams, above a table with one row per name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "app/pages/timeline_drawer/range_track_bar.hpp"
#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"
#include "core/tables/analysis/range_summary.hpp"

namespace kino {

class RangePage final : public DrawerPage {
 public:
  explicit RangePage(const TimelineHost& host);

  /// Takes over the filter of another page's table.
  void take_choice(const RangePage& other) { tab_.take_choice(other.tab_); }

  std::string_view id() const override { return drawer_page::kRange; }
  const char* title() const override { return tr(Text::tab_range); }
  std::string note() const override;
  bool copies_rows() const override { return true; }
  void handle_keys(bool shown) override;
  /// Summarizes the marked range, even while the page is not shown.
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return !summary_.running() && tab_.complete() && !work_lost_.running(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  using Summary = std::shared_ptr<const RangeSummary>;

  const RangeSummary* summary() const {
    return summary_.value() != nullptr ? summary_.value()->get() : nullptr;
  }
  void sum_up(TimeRange range);
  void draw_totals(const RangeSummary& summary, const DrawContext& look) const;
  void draw_left_out(const DrawContext& look) const;
  void draw_streams(const RangeSummary& summary, const Theme& theme) const;
  void draw_table(const DrawContext& look);

  TimelineState& state_;
  TimelineRequests& page_requests_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  SliceRowStyle row_style_;
  TableTab tab_;
  RangeTrackBar bar_;
  std::optional<TimeRange> range_;
  std::uint64_t generation_ = 0;
  BackgroundResult<Summary> summary_;
  BackgroundResult<bool> work_lost_;  // whether so much GPU work was lost that idle times are upper bounds
};

}  // namespace kino
