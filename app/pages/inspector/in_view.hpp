// The inspector's content while nothing is selected: sums of the visible time, computed in the background.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/pages/inspector/view_rest.hpp"
#include "app/pages/inspector/view_sums.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/view/slice_style.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/trace/trace.hpp"
#include "render/time_view.hpp"

namespace kino {

/// UI thread only.
class InView {
 public:
  struct Actions {
    SliceId select = kNoSlice;  ///< slice to select
    std::string_view table;     ///< name of the table to show, or empty
  };

  /// `analyses` owns the trace. `look` and `pool` must outlive the object.
  InView(std::shared_ptr<const RangeAnalyses> analyses, const SliceStyle& look, WorkerPool& pool,
         std::function<void()> wake)
      : analyses_(std::move(analyses)), look_(look), pool_(pool), wake_(std::move(wake)) {}

  /// Allows computations. Call once the trace is complete.
  void start() { started_ = true; }
  /// Called once per frame while the content is shown.
  void update(const TimeView& view, double delta_seconds);
  /// Draws into a child window of `size`. `drag_selects`: see TimelineState.
  Actions draw(ImVec2 size, bool drag_selects, const DrawContext& look);
  /// Returns the length of the visible time and its steps: "1.283 s · 6 steps"; empty if there are no sums.
  std::string note() const;
  bool complete() const { return !base_.running() && !sums_.running() && !wants_frames(); }
  bool wants_frames() const { return base() != nullptr && rest_.waiting(); }
  /// Returns the newest sums; null before the first.
  const ViewSums* sums() const { return sums_.value() != nullptr ? sums_.value()->get() : nullptr; }
  void write_test_state(nlohmann::ordered_json& json) const;

 private:
  std::shared_ptr<const ViewBase> base() const {
    return base_.value() != nullptr ? *base_.value() : std::shared_ptr<const ViewBase>();
  }
  void draw_split(const ViewSums& sums, const DrawContext& look) const;
  void draw_names(const ViewSums& sums, bool kernels, const DrawContext& look, Actions& actions);
  void draw_name(const TopName& row, const std::string& shown, double longest, const std::string& base,
                 const DrawContext& look, Actions& actions);
  void draw_link(const char* id, std::size_t count, const Theme& theme, bool& clicked);

  std::shared_ptr<const RangeAnalyses> analyses_;
  const SliceStyle& look_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  bool started_ = false;
  ViewRest rest_;
  BackgroundResult<std::shared_ptr<const ViewBase>> base_;
  BackgroundResult<std::shared_ptr<const ViewSums>> sums_;
  std::vector<std::pair<std::string, ImVec2>> places_;  // positions of links and of the first rows, for tests
};

}  // namespace kino
