// Draws one document or two beside each other, with titles, splitter and linked time axes.
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
#include "app/ui/view/byte_link.hpp"
#include "app/ui/view/split_view.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// What a document's page gets to know about the pane it is drawn in.
struct PaneFrame {
  bool active = true;                   ///< whether keys are for it
  std::optional<double> other_time_ns;  ///< where the mouse is in the linked pane, in the document's own ns
  std::optional<TimeEdges> beside;      ///< of a linked pane above or below
  std::uint64_t snapshot_beside = 0;    ///< the document in the other pane, where both show snapshots
  double highest_beside = 0;            ///< what the scale of bytes has to fit as well; see ByteLink
  PaintModel colors;                    ///< of the first pane, where the other one shows another snapshot
};

/// UI thread only.
class SplitPanes {
 public:
  using DrawDocument = std::function<void(Document&, const PaneFrame&)>;

  /// Fills the remaining content region of the current window; `draw` fills that of its own. At least one
  /// document is open.
  void draw(Session& session, const Theme& theme, float ui_scale, const DrawDocument& draw);
  /// Follows the session: before draw(), and before anything below is asked.
  void sync(const Session& session);

  const SplitView& view() const { return view_; }
  const TimeLink& link() const { return link_; }
  /// Whether the panes are linked, but not now, because a snapshot shows no time.
  bool link_rests() const { return rests_; }
  void cycle() { view_.cycle(); }
  /// Shows the active document once more in the other pane; see Session::open_again.
  void open_second(Session& session);
  /// Gives the keys to the other pane.
  void switch_pane(Session& session) const;
  /// Ends the split; the other pane's document is the one that stays in view.
  void close_pane(Session& session, std::size_t pane);
  /// Whether both documents have times.
  bool can_link(const Session& session) const;
  /// A snapshot shows its time from then on.
  void toggle_link(const Session& session);
  const ByteLink& bytes() const { return bytes_; }
  /// Whether two snapshots are beside each other.
  bool snapshots(const Session& session) const { return !snapshot_panels(session).empty(); }
  void toggle_bytes() { bytes_.toggle(); }
  /// Of the button of the scale of bytes; nothing while there is none.
  const std::optional<ImVec2>& bytes_button() const { return bytes_button_; }
  /// What is in sight, in the order on screen.
  std::vector<Document*> shown(const Session& session) const;
  /// Whether the linked panes need another frame to show the same time.
  bool wants_frames() const { return linked_.has_value() && pending_; }

 private:
  /// What both panes have to be linked; nothing when one of them has no times.
  std::optional<std::array<TimePane, 2>> time_panes(const Session& session) const;
  /// Whether both panes show one file: by its clock each moment would be beside itself.
  bool one_file(const Session& session) const;
  /// Of both panes, or none unless both show snapshots.
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
  bool fits_ = true;        // in the frame before: the window is large enough
  std::size_t leader_ = 0;  // the pane that was moved last
  bool pending_ = false;
  TimeView followed_;  // what the other pane's target was set to
  /// Of this frame; nothing while one is loading, or shows no time.
  std::optional<std::array<TimePane, 2>> linked_;
  bool rests_ = false;                             // because a snapshot's axis shows no time
  std::array<const RangeSelection*, 2> marked_{};  // whose generations these are
  std::array<std::uint64_t, 2> range_generation_{};
  std::optional<std::size_t> closes_;
  bool toggles_link_ = false;
};

}  // namespace kino
