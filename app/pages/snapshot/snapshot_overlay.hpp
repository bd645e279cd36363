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

class SnapshotOverlay {
 public:
  SnapshotOverlay(WorkerPool& pool, std::function<void()> wake) : pool_(pool), wake_(std::move(wake)) {}

  using OwnColors = std::array<std::uint32_t, 3>;

  /// Selects the next snapshot in a cycle of `others` that starts with the document `first` and ends with no
  /// snapshot.
  void next(std::span<const OtherSnapshot> others, std::uint64_t first);
  bool wanted() const { return wanted_; }
  /// Takes finished curves and requests missing ones. If the other snapshot was closed, selects another one.
  /// Call once per frame, before the plot is drawn.
  void update(const SnapshotState& state, std::span<const OtherSnapshot> others);
  /// Draws the curves over the plot, with a legend that names both snapshots. Does nothing unless wanted().
  void draw(ImDrawList& list, const SnapshotState& state, const std::string& own_title,
            const OwnColors& own_colors, const Theme& theme) const;
  /// Returns the upper end of a scale for the visible part of the drawn curves; 0 if no curves are drawn. See
  /// highest_of_curves().
  double highest_in_sight(const SnapshotState& state) const;
  /// Returns the drawn curves; null if no curves are drawn. Valid while the other snapshot is open.
  const OverlayCurves* curves(const SnapshotState& state) const;
  /// Returns the parameters for a picture with these curves; nullopt unless curves are drawn.
  std::optional<OverlayParams> question(const SnapshotState& state) const;
  /// Returns the title of the other snapshot; empty if there is none.
  const std::string& title() const { return title_; }
  /// Returns the reason why the wanted curves are missing; empty if they are shown or being computed.
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
  std::uint64_t document_ = 0;  // document of the selected snapshot; 0: none
  std::string title_;
  std::weak_ptr<const Snapshot> other_;
  std::size_t device_ = 0;
  std::optional<PlotGeometry> requested_;
  BackgroundResult<OverlayCurves> curves_;
};

}  // namespace kino
