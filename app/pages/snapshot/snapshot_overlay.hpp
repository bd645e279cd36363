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

  /// Cycles through none and each of `others`, beginning with the document `first`.
  void next(std::span<const OtherSnapshot> others, std::uint64_t first);
  bool wanted() const { return wanted_; }
  /// Takes a finished result and requests missing columns. Call once a frame, before the plot is drawn. If
  /// the other snapshot was closed, selects another one.
  void update(const SnapshotState& state, std::span<const OtherSnapshot> others);
  /// Draws over the plot, with a legend that names both; nothing unless wanted().
  void draw(ImDrawList& list, const SnapshotState& state, const std::string& own_title,
            const OwnColors& own_colors, const Theme& theme) const;
  /// Like SnapshotState::highest_in_sight(), of the drawn curves; 0 without curves.
  double highest_in_sight(const SnapshotState& state) const;
  /// Null unless curves are drawn; valid while the other snapshot is open.
  const OverlayCurves* curves(const SnapshotState& state) const;
  /// Returns the input for a picture; nullopt unless curves are drawn.
  std::optional<OverlayParams> question(const SnapshotState& state) const;
  /// Title of the other snapshot; empty if there is none.
  const std::string& title() const { return title_; }
  /// Reason why the wanted curves are missing; empty if they are shown or computed.
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
  std::uint64_t document_ = 0;  // the selected one, or 0
  std::string title_;
  std::weak_ptr<const Snapshot> other_;
  std::size_t device_ = 0;
  std::optional<PlotGeometry> requested_;
  BackgroundResult<OverlayCurves> curves_;
};

}  // namespace kino
