// The curves of another snapshot, drawn as lines over a snapshot's plot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/overlay_curves.hpp"
#include "app/pages/snapshot_drawer/other_snapshot.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only.
class SnapshotOverlay {
 public:
  SnapshotOverlay(WorkerPool& pool, std::function<void()> wake) : pool_(pool), wake_(std::move(wake)) {}

  /// Some of the bands below, for the legend.
  using OwnColors = std::array<std::uint32_t, 3>;

  /// None, then each of `others`, that of the document `first` before the rest, then none again.
  void next(std::span<const OtherSnapshot> others, std::uint64_t first);
  bool wanted() const { return wanted_; }
  /// Takes over what was computed and asks for what the view lacks. Once a frame, before the plot is drawn.
  /// Another one takes the place of one that was closed.
  void update(const SnapshotState& state, std::span<const OtherSnapshot> others);
  /// Over the plot, with a legend that names both; nothing unless wanted().
  void draw(ImDrawList& list, const SnapshotState& state, const std::string& own_title,
            const OwnColors& own_colors, const Theme& theme) const;
  /// As SnapshotState::highest_in_sight(), of what is drawn; 0 without.
  double highest_in_sight(const SnapshotState& state) const;
  /// Null unless curves are drawn; of use while the other one is open.
  const OverlayCurves* curves(const SnapshotState& state) const;
  /// For a picture; nothing unless curves are drawn.
  std::optional<OverlayQuestion> question(const SnapshotState& state) const;
  /// Of the other one; empty while there is none.
  const std::string& title() const { return title_; }
  /// Why there are no curves although they are wanted; empty where there are some, or will be.
  std::string problem(const SnapshotState& state) const;
  bool complete() const { return !curves_.running(); }

 private:
  enum class LegendSample : std::uint8_t { none, bands, own_reserved, active, reserved };
  struct LegendRow {
    std::string words;
    std::uint32_t color = 0;
    LegendSample sample = LegendSample::none;
  };
  std::vector<LegendRow> legend(const SnapshotState& state, const std::string& own_title,
                                const Theme& theme) const;
  static void draw_legend(ImDrawList& list, const SnapshotState& state, const std::vector<LegendRow>& rows,
                          const OwnColors& own_colors, const Theme& theme);

  WorkerPool& pool_;
  std::function<void()> wake_;
  bool wanted_ = false;
  std::uint64_t document_ = 0;  // the chosen one, 0: there is none
  std::string title_;
  std::weak_ptr<const Snapshot> other_;
  std::size_t device_ = 0;
  std::optional<PlotGeometry> asked_;
  BackgroundResult<OverlayCurves> curves_;
};

}  // namespace kino
