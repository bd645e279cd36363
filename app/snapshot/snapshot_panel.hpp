// The page of an allocator snapshot: devices, the plot of active memory over time, and the drawer under it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/memory_plot/band_paint.hpp"
#include "app/memory_plot/plot_flags.hpp"
#include "app/memory_plot/run_lane.hpp"
#include "app/memory_plot/snapshot_state.hpp"
#include "app/settings/snapshot_look.hpp"
#include "app/snapshot_drawer/other_snapshot.hpp"
#include "app/view/byte_link.hpp"
#include "app/view/split_view.hpp"
#include "app/widgets/theme.hpp"
#include "core/base/result.hpp"
#include "core/base/worker_pool.hpp"
#include "core/snapshot/snapshot.hpp"

namespace kino {

class LiveFlame;
class SnapshotFinder;
class SnapshotOverlay;
class SegmentView;

/// What a frame gives to the panel.
struct SnapshotPanelFrame {
  const Theme* theme = nullptr;
  float scale = 1;              ///< UI scale; 1 = 96 dpi
  float framebuffer_scale = 1;  ///< framebuffer pixels per ImGui unit
  double delta_seconds = 0;
  bool keyboard = true;  ///< false while a text field or a popup has the keyboard, or another panel is active
  std::optional<double> other_time_ns;    ///< where the mouse is in a linked panel, in this one's ns
  std::optional<TimeEdges> beside;        ///< of a linked panel above or below
  std::string title;                      ///< of the document's tab
  std::span<const OtherSnapshot> others;  ///< what can be compared with, in the order of the tabs
  std::uint64_t beside_document = 0;      ///< which of them is in the other pane, 0 for none
  double highest_beside = 0;              ///< what the scale of bytes has to fit as well; see ByteLink
  PaintModel colors;                      ///< whose colours this one has, where it is beside another one
};

/// Lives on the UI thread as long as its document shows the snapshot.
class SnapshotPanel {
 public:
  /// Exports go beside `file`.
  SnapshotPanel(const std::shared_ptr<const Snapshot>& snapshot, const std::filesystem::path& file,
                WorkerPool& pool, const std::function<void()>& wake);
  SnapshotPanel(const SnapshotPanel&) = delete;
  SnapshotPanel& operator=(const SnapshotPanel&) = delete;
  ~SnapshotPanel();

  /// Fills the remaining content region of the current ImGui window and handles its mouse and keys.
  void draw(const SnapshotPanelFrame& frame);
  /// Whether the next frame must follow without waiting for input.
  bool wants_frames() const;
  /// Whether all that the last frame showed was up to date.
  bool complete() const;

  /// Shows the device, axis and drawer that another panel of the same file shows. Before the first draw().
  void carry_from(const SnapshotPanel& other);
  /// At scale 1; shown() tells where it was dragged to.
  void set_drawer_height(float height);
  void fit_all();
  /// Its times since the first event; nothing where the device has none.
  std::optional<TimePane> time_pane() const;
  /// Its scale of bytes; nothing before the first draw(), or where there is nothing to show.
  std::optional<BytePane> byte_pane() const;
  /// What another panel takes the colours of this one by.
  PaintModel paint_model() const;
  /// Along time, where the device has times.
  void show_times();
  /// The open traces of the same run, one for each device; there may be none.
  void set_traces(std::vector<TraceOfRun> by_device);
  /// A slice of them that somebody asked to see since the last call; else its slice is kNoSlice.
  SliceRef take_go_to_slice();
  /// Puts the cursor on an event, as far as the device has it.
  void go_to(EventIndex event);
  /// Colours the bands by the next thing.
  void next_coloring();
  /// Highlights an allocation while its device is the one that is shown.
  void highlight(std::size_t device, AllocationId allocation);
  /// As the command line asks for it, before the first draw(). Fails with one sentence.
  std::optional<Error> look(const SnapshotLook& wanted);
  /// Opens the drawer at this page.
  void show_page(std::string_view id);
  /// Opens the drawer at this table, one of snapshot_table_kinds().
  void show_table(std::string_view name);
  /// What is shown and where, for menus and the state file of UI tests.
  const SnapshotState& shown() const;
  const LiveFlame& flame() const;
  const SegmentView& segments() const;
  const SnapshotFinder& finder() const;
  const RunLane& run() const;
  const SnapshotOverlay& overlay() const;
  /// Fills `json` with what it and the pages of its drawer show, for the state file of UI tests.
  void tell(nlohmann::ordered_json& json) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
