// The drawer's tab with the hits of a search as a table: name, track, start, duration.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/system/background_result.hpp"
#include "app/ui/search/search_hits.hpp"
#include "app/ui/view/slice_look.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/search/hit_order.hpp"

namespace kino {

/// The slices with a header: name, kind, track, start and duration in ns, as RFC 4180 asks. O(slices log
/// rows).
std::string csv_of(const Trace& trace, std::span<const SliceId> slices);

/// UI thread only; other orders than by start are computed on the pool, over all hits.
class HitsTable {
 public:
  /// `look` and `pool` must outlive it; `wake` is called from a worker when there is news.
  HitsTable(const SliceLook& look, WorkerPool& pool, std::function<void()> wake)
      : look_(look), pool_(pool), wake_(std::move(wake)) {}

  /// Once a frame, also while the table is not shown; null is no search.
  void update(const std::shared_ptr<const SearchAnswer>& answer);
  /// Draws the first hits into a child window of `size` and says so when there are more. Returns the slice a
  /// person clicked on, or kNoSlice. O(rows in sight).
  SliceId draw(SliceId selected, ImVec2 size, const Theme& theme, float ui_scale, bool keyboard);
  bool complete() const { return !sorted_.running() && !order_stale_; }
  /// Whether update() has to be called soon: another order was chosen.
  bool wants_update() const { return order_stale_; }
  /// What the table shows, in order.
  std::span<const SliceId> rows() const;

 private:
  struct Sorted {
    std::shared_ptr<const SearchAnswer> answer;
    std::vector<SliceId> rows;
  };

  void draw_tools(const Theme& theme, bool keyboard);
  SliceId draw_rows(SliceId selected, const Theme& theme, float ui_scale);
  void take_order();
  void follow(SliceId selected);
  bool draw_hit(SliceId hit, bool selected, const Theme& theme, float ui_scale) const;

  const SliceLook& look_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::shared_ptr<const SearchAnswer> answer_;
  HitOrder order_;
  bool order_stale_ = false;
  BackgroundResult<Sorted> sorted_;
  SliceId followed_ = kNoSlice;  // the selection that was scrolled to
  double copied_at_ = -10;       // ImGui time
};

}  // namespace kino
