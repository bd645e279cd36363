// Two documents beside each other: which ones, who has the keys, where they lie, and how their times are
// linked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/ui/view/navigation.hpp"
#include "app/ui/view/range_selection.hpp"
#include "app/ui/widgets/box.hpp"
#include "core/job/clock_fit.hpp"
#include "core/job/unix_clock.hpp"
#include "core/trace/trace.hpp"
#include "render/time_view.hpp"

namespace kino {

enum class SplitMode : std::uint8_t {
  one,
  stacked,       ///< one above the other, so that the same x is the same time
  side_by_side,  ///< left and right
};

/// Without ImGui; documents are known by Document::serial(). UI thread only.
class SplitView {
 public:
  static constexpr float kLeastShare = 0.15F;

  /// Follows what was opened, closed and activated. `open` are the documents in the order of their tabs,
  /// `active` is the one that commands mean, 0 for none. Once a frame.
  void sync(std::span<const std::uint64_t> open, std::uint64_t active);
  /// one -> stacked -> side by side -> one; nothing without a second document.
  void cycle();
  /// Shows this document beside the active one, stacked unless there is a split already.
  void show_beside(std::uint64_t document);
  /// Ends the split.
  void unsplit() { mode_ = SplitMode::one; }

  SplitMode mode() const { return mode_; }
  /// Whether there is a second document to show.
  bool available() const { return recent_.size() > 1; }
  bool split() const { return mode_ != SplitMode::one && available(); }
  /// In the order on screen; the second is only there when split().
  const std::array<std::uint64_t, 2>& panes() const { return panes_; }
  std::size_t active_pane() const { return active_pane_; }
  std::uint64_t other_document() const { return panes_[1 - active_pane_]; }

  /// The first pane's share of the length that is divided.
  float share() const { return share_; }
  void set_share(float share);

 private:
  std::uint64_t most_recent_but(std::uint64_t document) const;
  void follow(std::span<const std::uint64_t> open);

  SplitMode mode_ = SplitMode::one;
  std::vector<std::uint64_t> open_;
  std::vector<std::uint64_t> recent_;  // the open documents, last active first
  std::array<std::uint64_t, 2> panes_{};
  std::size_t active_pane_ = 0;
  float share_ = 0.5F;
};

/// Where two panes lie in an area; between them is the splitter.
struct SplitBoxes {
  std::array<Box, 2> panes;
  Box splitter;
};
/// nullopt when the area is too small for two panes of use at this scale.
std::optional<SplitBoxes> split_boxes(const Box& area, SplitMode mode, float share, float ui_scale);

/// What a pane has for a link of its time axis with another one's. Pointers hold as long as its panel.
struct TimePane {
  Navigation* navigation = nullptr;
  RangeSelection* marked = nullptr;  ///< null: it marks no ranges
  ClockRange clock;                  ///< Navigation's times are its ns while the axis shows time
  bool shows_time = true;
  std::optional<double> mouse_time_ns;  ///< where the mouse is over its times
  float left = 0;                       ///< where its times begin on screen, left to itself
  float right = 0;                      ///< and end
};

/// The time axes of the two panes of one split.
struct TimeLink {
  /// From the first pane's ns to the second's; nothing while they are not linked. By ClockEvidence::unix_time
  /// both have Unix times that overlap; by_hand, what stood at the left edges when they were linked is the
  /// same time.
  std::optional<ClockFit> fit;
  std::array<std::uint64_t, 2> documents{};
  std::array<std::int64_t, 2> origins_unix_ns{};  ///< of the clocks that `fit` is between

  bool by_clock() const { return fit && fit->evidence == ClockEvidence::unix_time; }
  /// Follows the clocks of the panes, whose ns 0 changes with a snapshot's device or when a file is read
  /// again. Only while linked.
  void follow(const ClockRange& first, const ClockRange& second);

  /// The same moment, range or view in the ns of the other pane than `pane`, a view in another width. Ends of
  /// ranges and views stay within 127 years. Only while linked.
  double moved_time(std::size_t pane, double ns) const;
  TimeRange moved_range(std::size_t pane, const TimeRange& range) const;
  TimeView moved_view(std::size_t pane, const TimeView& view, double width_px) const;

 private:
  std::int64_t moved_ns(std::size_t pane, std::int64_t ns) const;
};

/// What lays the left edges of two views beside each other: as exact as the coarser one shows them.
ClockFit fit_of_edges(const TimeView& first, const TimeView& second);

}  // namespace kino
