// Bookmarks in the timeline: flags on the ruler, lines through the tracks, keys, and the editor of notes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <imgui.h>

#include "app/ui/bookmarks/bookmarks.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Moves the view to the bookmark and selects its slice.
void go_to_bookmark(TimelineState& state, const PlacedBookmark& placed);

/// Draws the bookmarks of a timeline, and handles their keys and mouse actions. UI thread only. Each call is
/// O(bookmarks).
class BookmarkFlags {
 public:
  /// Handles keys, and the mouse on flags. Call before the ruler's own button is added: of overlapping
  /// buttons, the first one gets the mouse.
  void handle(TimelineState& state, Bookmarks& bookmarks, bool keyboard);
  void draw_in_tracks(ImDrawList& list, const TimelineState& state, const Bookmarks& bookmarks,
                      const Theme& theme) const;
  /// Lays out the flags of this frame and returns the intervals of the ruler that they cover.
  std::vector<RulerGap> place(const TimelineState& state, const Bookmarks& bookmarks);
  /// Draws flags on the ruler, ticks in the overview, and the tooltip.
  void draw_flags(ImDrawList& list, const TimelineState& state, const Bookmarks& bookmarks,
                  const Theme& theme) const;
  void draw_editor(TimelineState& state, Bookmarks& bookmarks, const Theme& theme);

  /// Sets a bookmark and opens its editor. The position is the selected slice, else the marked range, else
  /// the selected instant, else the time under the mouse or in the middle of the view. If the drawer shows
  /// the marked range, this range takes precedence over the slice.
  void set(TimelineState& state, Bookmarks& bookmarks);
  /// Whether a note is being typed; keys are then text, not commands.
  bool editing() const { return edited_ != 0; }
  /// Id of the bookmark that was last visited or set; 0 for none.
  std::uint64_t current() const { return current_; }
  void go_to(TimelineState& state, const PlacedBookmark& placed);

 private:
  struct Flag {
    std::uint32_t index = 0;  // index into Bookmarks::all()
    float left = 0;
    float right = 0;
    bool small = false;  // overlapped by an earlier flag
  };

  void handle_keys(TimelineState& state, Bookmarks& bookmarks);
  void edit(std::uint64_t id, const Bookmarks& bookmarks);
  void set_at(TimelineState& state, Bookmarks& bookmarks, TimeRange range, SliceId slice);
  void end_editing(Bookmarks& bookmarks, bool keep_text);
  void draw_colors(Bookmarks& bookmarks, const PlacedBookmark& placed, const Theme& theme, float ui_scale);
  void draw_tooltip(const TimelineState& state, const PlacedBookmark& placed, const Theme& theme) const;

  std::vector<Flag> flags_;
  std::uint64_t hovered_ = 0;
  std::uint64_t current_ = 0;
  std::uint64_t edited_ = 0;
  bool opens_editor_ = false;
  bool takes_focus_ = false;
  std::array<char, kMostNoteBytes + 1> text_{};
};

}  // namespace kino
