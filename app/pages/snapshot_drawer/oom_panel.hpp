// The drawer's tab of out-of-memory errors: the request, possible remedies, and the largest users of memory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/tables/oom_analysis.hpp"

namespace kino {

class OomPanel {
 public:
  struct Actions {
    std::optional<EventIndex> go_to;  ///< the moment of an out-of-memory error
    AllocationId select = kNoAllocation;
  };

  OomPanel(std::shared_ptr<const Snapshot> snapshot, WorkerPool& pool, std::function<void()> wake)
      : snapshot_(std::move(snapshot)), pool_(pool), wake_(std::move(wake)) {}

  /// Draws into the current window. `count` is the number of out-of-memory errors of the shown device.
  Actions draw(const SnapshotState& state, std::size_t count, const Theme& theme);
  bool complete() const { return !autopsies_.running(); }
  /// Returns the analyses of the shown device's first errors; null until they are computed.
  const std::vector<OomAnalysis>* autopsies() const { return autopsies_.value(); }
  /// Returns the position of the copy button of each analyzed error as last drawn, for tests. nullopt if the
  /// error has none.
  const std::vector<std::optional<ImVec2>>& copy_places() const { return copy_places_; }

 private:
  void draw_one(const SnapshotState& state, const OomAnalysis& autopsy, const Theme& theme, Actions& actions);
  void draw_place(const SnapshotState& state, const OomPlace& place, const Theme& theme,
                  Actions& actions) const;

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::size_t device_ = ~std::size_t{0};
  BackgroundResult<std::vector<OomAnalysis>> autopsies_;
  std::vector<std::optional<ImVec2>> copy_places_;
};

}  // namespace kino
