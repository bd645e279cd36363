// The page of an allocator snapshot: devices, the plot of active memory over time, and the drawer under it.
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
#include "app/shell/settings/snapshot_look.hpp"
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

/// What is beside a snapshot, in its window and among the tabs.
struct SnapshotCompany {
  std::optional<TimeEdges> beside;    ///< of a linked page above or below
  std::string title;                  ///< of the document's own tab
  std::vector<OtherSnapshot> others;  ///< what can be compared with, in the order of the tabs
  std::uint64_t beside_document = 0;  ///< which of them is in the other pane, 0 for none
  double highest_beside = 0;          ///< what the scale of bytes has to fit as well; see ByteLink
  PaintModel colors;                  ///< whose colours this one has, where it is beside another one
};

/// The page of an allocator snapshot.
class SnapshotPanel final : public Page {
 public:
  /// Exports go beside `file`.
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
  /// Since the first event; nothing where the device has no times.
  std::optional<TimePane> time_pane() const override;
  std::optional<BytePane> byte_pane() const override;
  void tell(nlohmann::ordered_json& json) const override;

  /// For the next draw() only.
  void set_company(SnapshotCompany company);

  /// How the snapshot is packed; without it, it cannot be.
  void pack_by(PackIntoCapsule pack);
  /// Shows the device, axis and drawer that another panel of the same file shows. Before the first draw().
  void carry_from(const SnapshotPanel& other);
  /// What another panel takes the colours of this one by.
  PaintModel paint_model() const;
  /// The open traces of the same run, one for each device; there may be none.
  void set_traces(std::vector<TraceOfRun> by_device);
  /// Puts the cursor on an event, as far as the device has it.
  void go_to(EventIndex event);
  /// Highlights an allocation while its device is the one that is shown.
  void highlight(std::size_t device, AllocationId allocation);
  /// As the command line asks for it, before the first draw(). Fails with one sentence.
  std::optional<Error> look(const SnapshotLook& wanted);
  /// What is shown and where, for menus and the state file of UI tests.
  const SnapshotState& shown() const;
  const LiveFlame& flame() const;
  const SegmentView& segments() const;
  const SnapshotFinder& finder() const;
  const RunLane& run() const;
  const SnapshotOverlay& overlay() const;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  float* drawer_height() override;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
