// The verdict above the plot of a snapshot: computes it in the background, and carries out its clicks.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/drawer/page.hpp"
#include "app/ui/drawer/verdict_strip.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/memory/tables/snapshot_verdict.hpp"

namespace kino {

/// UI thread only.
class SnapshotVerdictStrip {
 public:
  SnapshotVerdictStrip(WorkerPool& pool, std::function<void()> wake) : pool_(pool), wake_(std::move(wake)) {}

  /// Computes the verdict on the shown device, and sets the height of the strip. `sizes` may be null.
  /// `page_px` is the height of the page.
  void update(SnapshotState& state, const Splitters* sizes, float page_px);
  /// Draws the strip. Its button shows the moment of the verdict, and the drawer page that explains it.
  void draw(SnapshotState& state, Splitters* sizes, const Theme& theme);
  bool complete() const { return !made_.running(); }
  /// Returns the headline in the language in use; empty until it is known.
  std::string headline() const;
  /// Returns the verdict with its evidence as text of several lines; empty until it is known.
  std::string text() const;
  void write_test_state(nlohmann::ordered_json& panel) const;

 private:
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::optional<std::size_t> device_;  // of the newest computation
  BackgroundResult<SnapshotVerdict> made_;
  VerdictPlaces places_;
};

}  // namespace kino
