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
  double linked_highest_bytes = 0;      ///< value that the scale reaches at least; see ByteLink
  PaintReference colors;                ///< snapshot from which this one takes its colors, if any
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
  bool has_search() const override { return true; }
  void search_for(const std::string& query) override;
  Searched searched() const override;
  bool moving() const override;
  std::string headline() const override;
  std::string verdict_text() const override;
  std::vector<PageView> views() const override;
  void show_view(std::string_view id) override;
  std::vector<PageFact> facts() const override;
  void fit_all() override;
  void show_page(std::string_view id) override;
  std::span<const TableInfo* const> tables() const override;
  void show_table(std::string_view name) override;
  bool marks(CommandId command) const override;
  bool next_coloring() override;
  void show_times() override;
  /// Returns the view of the time axis, and its clock; nullopt if the device has no times.
  std::optional<TimePane> time_pane() const override;
  std::optional<BytePane> byte_pane() const override;
  void write_test_state(nlohmann::ordered_json& json) const override;

  /// Sets the other open documents, for the next draw() only.
  void set_peer_context(PeerContext company);

  /// Sets the function that packs the snapshot. Packing is not possible before this call.
  void pack_by(PackCapsule pack);
  /// Shows the same axis, layout and drawer page as another panel of the same file, and the same device if it
  /// still exists. Call before the first draw().
  void carry_from(const SnapshotPanel& other);
  /// Returns the snapshot from which another panel takes its colors, so that equal items have equal colors.
  PaintReference paint_reference() const;
  /// Sets the open traces of the same run, one per device; may be empty.
  void set_traces(std::vector<MatchingTrace> by_device);
  /// Moves the cursor to an event, clamped to the events of the device.
  void go_to(EventIndex event);
  /// Selects an allocation if its device is shown.
  void highlight(std::size_t device, AllocationId allocation);
  /// Applies options of the command line. Returns one sentence if the device, the search or the moment is
  /// invalid. Call before the first draw().
  std::optional<Error> look(const PlotOptions& wanted);
  /// The following functions return content and positions, for menus and the state file of UI tests.
  const SnapshotState& shown() const;
  const LiveFlame& flame() const;
  const SegmentView& segments() const;
  const SnapshotFinder& finder() const;
  const MatchingTraceLane& run() const;
  const SnapshotOverlay& overlay() const;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  DrawerChoice* drawer_choice() override;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
