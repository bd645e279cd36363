// The first page of a trace: what to fix, and where the time of a step goes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/pages/summary/finding_cards.hpp"
#include "app/pages/summary/page_column.hpp"
#include "app/pages/summary/time_scale.hpp"
#include "app/pages/timeline_drawer/tables_page.hpp"
#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/byte_text.hpp"
#include "core/tables/summary/trace_overview.hpp"

namespace kino {

/// UI thread only. The content is computed on the pool when the page is first shown.
class SummaryPage final : public DrawerPage {
 public:
  /// `tables` is a page of the same drawer.
  SummaryPage(TimelineHost host, TablesPage& tables) : host_(std::move(host)), tables_(tables) {}

  /// Allows the computation, which reads the whole trace. Call once the trace is complete.
  void start() { complete_trace_ = true; }

  std::string_view id() const override { return drawer_page::kSummary; }
  const char* title() const override { return tr(Text::view_summary); }
  /// The page is a view, and has no tab in the drawer.
  bool offered() const override { return false; }
  bool has_bar() const override { return false; }
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool complete() const override { return !made_.running(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  /// The content, with the files beside the trace.
  struct Content {
    TraceOverview overview;
    std::vector<std::filesystem::path> similar;
  };

  const Content* content() const { return made_.value() != nullptr ? made_.value()->get() : nullptr; }
  const FindingBase& base() const { return content()->overview.summary.findings.base; }
  void draw_pending(const DrawContext& look) const;
  void draw_columns(const DrawContext& look);
  /// Draws notes on the steps that the figures refer to, and the button that saves the report.
  void draw_head(PageColumn& column);
  /// Draws the sections of the right column. `unit` is the unit of the charts and lists.
  void draw_sections(PageColumn& column, const TimeScale& unit);
  void draw_steps(PageColumn& column, const TimeScale& unit);
  void draw_top(PageColumn& column, const OverviewTop& top, bool kernels, const TimeScale& unit);
  void draw_top_rows(PageColumn& column, const OverviewTop& top, bool kernels, const TimeScale& unit);
  void draw_lines(PageColumn& column, const OverviewSection& section, const char* id) const;
  void draw_utilization(PageColumn& column);
  void draw_memory(PageColumn& column);
  void draw_quality(PageColumn& column);
  void draw_compare(PageColumn& column);
  /// Calls each function with a column: side by side if each gets at least `least_px`, else one below the
  /// other at full width.
  void side_by_side(PageColumn& column, float least_px,
                    const std::vector<std::function<void(PageColumn&)>>& sections) const;
  void act_on(const FindingClick& click);
  void show_table(std::string_view name);
  void show_step(std::size_t part);
  /// Saves two of the steps in the mean, the one of median length and the longest, as ranges A and B, and
  /// shows their comparison.
  void compare_steps();

  TimelineHost host_;
  TablesPage& tables_;
  BackgroundResult<std::shared_ptr<const Content>> made_;
  std::optional<ByteUnits> units_;  // units of the texts in the content
  bool complete_trace_ = false;
  std::size_t gpu_ = 0;  // GPU whose steps are shown
  std::vector<std::pair<std::string, ImVec2>> places_;
  float bottom_ = 0;  // height of the content in the last frame
};

}  // namespace kino
