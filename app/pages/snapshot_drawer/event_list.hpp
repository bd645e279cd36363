// List of the allocator's entries, without a limit on its length. It follows the cursor and can be searched.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// Entries in ascending order that match a pattern by their action, by their address ("0x7f…"), or by the
/// name or file of a stack frame.
struct EventMatches {
  std::vector<EventIndex> events;
  Message problem;  ///< reason why the pattern is invalid
};
/// Finds the entries that match a pattern. O(entries + frames of all stacks * length of the pattern).
EventMatches matching_events(const Snapshot& snapshot, std::size_t device, const std::string& pattern,
                             const std::stop_token& stop = {});

class EventList {
 public:
  EventList(std::shared_ptr<const Snapshot> snapshot, WorkerPool& pool, std::function<void()> wake)
      : snapshot_(std::move(snapshot)), pool_(pool), wake_(std::move(wake)) {}

  void update(const SnapshotState& state);
  /// Draws the list into the rest of the current window. Returns the clicked entry. O(visible rows).
  std::optional<EventIndex> draw(const SnapshotState& state, const Theme& theme);
  /// Returns the listed entry before (-1) or after (+1) the cursor; nullopt at the ends.
  std::optional<EventIndex> neighbor(const SnapshotState& state, int step) const;
  void find() { take_focus_ = true; }
  bool complete() const { return !matches_.running(); }
  std::size_t listed(const SnapshotState& state) const;
  /// Returns the entry whose tooltip was drawn in the last frame, if any, for tests.
  std::optional<EventIndex> hovered() const { return hovered_; }

 private:
  const std::vector<EventIndex>* filtered() const;
  EventIndex event_of(std::size_t row) const;
  /// Returns the first row whose event is `event` or later.
  std::size_t row_of(EventIndex event) const;
  void draw_field(const SnapshotState& state, const Theme& theme);
  void draw_row(ImDrawList& list, const SnapshotState& state, EventIndex event, ImVec2 corner, ImVec2 size,
                const Theme& theme) const;
  void draw_card(const SnapshotState& state, EventIndex event, const Theme& theme) const;
  void draw_card_stack(StackId stack, const Theme& theme) const;
  void scroll(double rows, double in_sight);
  void draw_scrollbar(ImDrawList& list, const SnapshotState& state, ImVec2 corner, ImVec2 size, double rows,
                      double in_sight, const Theme& theme);

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::array<char, 128> text_{};
  std::string requested_;
  std::size_t requested_device_ = 0;
  BackgroundResult<EventMatches> matches_;
  bool take_focus_ = false;
  double top_ = 0;  // first visible row; double, because there may be more rows than a float can count
  std::optional<EventIndex> followed_;
  std::optional<EventIndex> hovered_;
};

}  // namespace kino
