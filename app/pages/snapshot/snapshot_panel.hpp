// The page of an allocator snapshot: devices, the plot of active memory over time, and the drawer below it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/memory_plot/band_paint.hpp"
#include "app/pages/memory_plot/plot_flags.hpp"
#include "app/pages/memory_plot/run_lane.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/pages/snapshot_drawer/other_snapshot.hpp"
#include "app/shell/settings/plot_options.hpp"
#include "app/ui/commands/capsule_export.hpp"
#include "app/ui/drawer/page.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/result.hpp"
#include "core/base/worker_pool.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

class LiveFlame;
class SnapshotFinder;
class SnapshotOverlay;
class SegmentView;

/// The documents that are open beside a snapshot: in the other pane of the window, and in other tabs.
struct PeerContext {
  std::optional<TimeEdges> beside;      ///< edges of a linked page above or below
  std::string title;                    ///< title of the document's own tab
  std::vector<OtherSnapshot> others;    ///< snapshots that can be compared, in the order of the tabs
  std::uint64_t adjacent_document = 0;  ///< document in the other pane, or 0
  double linked_highest_bytes = 0;      ///< lower bound of the scale's maximum; see ByteLink
  PaintReference colors;                ///< colors of the snapshot beside, if it is the reference
};

class SnapshotPanel final : public Page {
 public:
  /// Exports are saved beside `file`.
  SnapshotPanel(const std::shared_ptr<const Snapshot>& snapshot, const std::filesystem::path& file,
                WorkerPool& pool, const std::function<void()>& wake);
  ~SnapshotPanel() override;

  static constexpr PageKind kKind = PageKind::snapshot;
  PageKind kind() const override { return kKind; }
  std::vector<PageRequest> take_requests() override;
  bool wants_frames() const override;
  bool complete() const override;
  bool searching() const override;
  bool moving() const override;
  void fit_all() override;
  void show_page(std::string_view id) override;
  std::span<const TableInfo* const> tables() const override;
  void show_table(std::string_view name) override;
  bool marks(CommandId command) const override;
  bool next_coloring() override;
  void show_times() override;
  /// Returns the times in view, since the first event; nullopt if the device has no times.
  std::optional<TimePane> time_pane() const override;
  std::optional<BytePane> byte_pane() const override;
  void write_test_state(nlohmann::ordered_json& json) const override;

  /// Sets the documents beside this one. Applies only to the next draw().
  void set_peer_context(PeerContext company);

  /// Sets the function that packs the snapshot. Packing is not possible before this call.
  void pack_by(PackCapsule pack);
  /// Shows the same device, axis and drawer page as another panel of the same file. Call before the first
  /// draw().
  void carry_from(const SnapshotPanel& other);
  /// Returns the snapshot from which another panel takes its colors, so that equal items have equal colors.
  PaintReference paint_reference() const;
  /// Sets the open traces of the same run, one per device; may be empty.
  void set_traces(std::vector<MatchingTrace> by_device);
  /// Moves the cursor to an event, clamped to the events of the device.
  void go_to(EventIndex event);
  /// Highlights an allocation if the device is shown.
  void highlight(std::size_t device, AllocationId allocation);
  /// Applies options of the command line. Call before the first draw(). Fails with one sentence.
  std::optional<Error> look(const PlotOptions& wanted);
  /// Returns content and positions, for menus and the state file of UI tests.
  const SnapshotState& shown() const;
  const LiveFlame& flame() const;
  const SegmentView& segments() const;
  const SnapshotFinder& finder() const;
  const MatchingTraceLane& run() const;
  const SnapshotOverlay& overlay() const;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  float* drawer_height() override;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
