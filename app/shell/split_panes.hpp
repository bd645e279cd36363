// Draws one document or two panes, with titles, splitter and linked time axes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/paint_numbers.hpp"
#include "app/shell/documents/session.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/view/byte_link.hpp"
#include "app/ui/view/split_view.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Information for a page about its pane.
struct PaneFrame {
  bool active = true;                   ///< whether the pane has keyboard focus
  std::optional<double> other_time_ns;  ///< time at the mouse in the linked pane, in ns of this document
  std::optional<TimeEdges> beside;      ///< edges of the time axis of the linked pane above or below
  std::uint64_t snapshot_beside = 0;    ///< serial of the other document if both show snapshots, else 0
  double linked_highest_bytes = 0;      ///< bytes that the scale must also include; see ByteLink
  PaintReference colors;                ///< colors of the first pane, if the panes show different snapshots
};

/// The panes of the window: one document, or two with their splitter and links. UI thread only.
class SplitPanes {
 public:
  using DrawDocument = std::function<void(Document&, const PaneFrame&)>;

  /// Binds the commands of panes. The object and `session` must outlive `commands`.
  void bind(Commands& commands, Session& session);
  /// Fills the remaining content region of the current window. `draw` is called in the region of each pane.
  /// At least one document must be open.
  void draw(Session& session, const Theme& theme, float ui_scale, const DrawDocument& draw);
  /// Updates the panes after documents were opened, closed or activated. Call before draw() and before the
  /// queries below.
  void sync(const Session& session);

  const SplitView& view() const { return view_; }
  const TimeLink& link() const { return link_; }
  /// Whether the panes are linked but not in sync because a snapshot shows no time.
  bool link_rests() const { return rests_; }
  void cycle() { view_.cycle(); }
  /// Opens a second view of the active document in the other pane; see Session::open_again().
  void open_second(Session& session);
  /// Activates the other pane.
  void switch_pane(Session& session) const;
  /// Ends the split; the document of the other pane remains visible.
  void close_pane(Session& session, std::size_t pane);
  /// Whether two panes are visible and both documents have times.
  bool can_link(const Session& session) const;
  /// Links the time axes or, if they are linked, ends the link. When linked, snapshots switch to their time
  /// axis.
  void toggle_link(const Session& session);
  const ByteLink& bytes() const { return bytes_; }
  /// Whether two panes are visible and both show snapshots that are not empty.
  bool snapshots(const Session& session) const { return !snapshot_panels(session).empty(); }
  void toggle_bytes() { bytes_.toggle(); }
  /// Center of the button for the scale of bytes when two panes were last drawn; nullopt if it was not shown.
  const std::optional<ImVec2>& bytes_button() const { return bytes_button_; }
  /// The visible documents, in the order on screen.
  std::vector<Document*> shown(const Session& session) const;
  /// Whether the linked panes need another frame to show the same time.
  bool wants_frames() const { return linked_.has_value() && pending_; }

 private:
  /// Time axes of both panes; nullopt unless both documents have one.
  std::optional<std::array<TimePane, 2>> time_panes(const Session& session) const;
  /// Whether both panes show the same file. Such panes are not linked by clock, which would show each moment
  /// twice.
  bool one_file(const Session& session) const;
  /// The panels of both panes; empty unless both panes are visible and show snapshots that are not empty.
  std::vector<SnapshotPanel*> snapshot_panels(const Session& session) const;
  void share_bytes(const Session& session);
  const char* bytes_text(const Session& session) const;
  void keep_link(const Session& session);
  void look_at_link(const Session& session);
  void share_range();
  void draw_pane(Session& session, std::size_t pane, const SplitBoxes& boxes, const Theme& theme,
                 float ui_scale, const DrawDocument& draw);
  void draw_title(Session& session, std::size_t pane, const Box& box, const Theme& theme, float ui_scale);
  void draw_splitter(const Box& area, const SplitBoxes& boxes, const Theme& theme);
  void follow(std::size_t pane);
  const char* link_text() const;

  SplitView view_;
  TimeLink link_;
  ByteLink bytes_;
  std::optional<ImVec2> bytes_button_;
  bool fits_ = true;        // whether two panes fitted into the window in the previous frame
  std::size_t leader_ = 0;  // the pane moved last, which the other one follows
  bool pending_ = false;
  TimeView followed_;  // target view of the pane that follows, as last set
  /// Time axes of the linked panes in this frame. nullopt if the panes are not linked, or while one is
  /// loading or does not show time.
  std::optional<std::array<TimePane, 2>> linked_;
  bool rests_ = false;                             // see link_rests()
  std::array<const RangeSelection*, 2> marked_{};  // owners of the generations in range_generation_
  std::array<std::uint64_t, 2> range_generation_{};
  std::optional<std::size_t> closes_;
  bool toggles_link_ = false;
};

}  // namespace kino
