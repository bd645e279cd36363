// The one or two documents in the panes: their choice, the active one, their layout, and the link of their
// times.
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
  stacked,       ///< one above the other, with aligned time axes
  side_by_side,  ///< left and right
};

/// The documents in the panes, identified by Document::serial(). Does not use ImGui. UI thread only.
class SplitView {
 public:
  static constexpr float kLeastShare = 0.15F;

  /// Called once per frame to follow opened, closed and activated documents. `open` contains the documents in
  /// the order of their tabs. `active` is the document that commands apply to, or 0.
  void sync(std::span<const std::uint64_t> open, std::uint64_t active);
  /// Changes the mode: one -> stacked -> side by side -> one. Does nothing if only one document is open.
  void cycle();
  /// Shows a document beside the active one, stacked unless the view is already split.
  void show_beside(std::uint64_t document);
  void unsplit() { mode_ = SplitMode::one; }

  SplitMode mode() const { return mode_; }
  /// Whether there is a second document to show.
  bool available() const { return recent_.size() > 1; }
  bool split() const { return mode_ != SplitMode::one && available(); }
  /// Documents of the panes in the order on screen; the second is valid only if split().
  const std::array<std::uint64_t, 2>& panes() const { return panes_; }
  std::size_t active_pane() const { return active_pane_; }
  std::uint64_t other_document() const { return panes_[1 - active_pane_]; }

  /// The first pane's share of the total height or width of both panes.
  float share() const { return share_; }
  void set_share(float share);

 private:
  std::uint64_t most_recent_but(std::uint64_t document) const;
  void follow(std::span<const std::uint64_t> open);

  SplitMode mode_ = SplitMode::one;
  std::vector<std::uint64_t> open_;
  std::vector<std::uint64_t> recent_;  // the open documents, most recently active first
  std::array<std::uint64_t, 2> panes_{};
  std::size_t active_pane_ = 0;
  float share_ = 0.5F;
};

/// The panes of an area, and the splitter between them.
struct SplitBoxes {
  std::array<Box, 2> panes;
  Box splitter;
};
/// Divides an area. nullopt if it is too small for two usable panes at this scale.
std::optional<SplitBoxes> split_boxes(const Box& area, SplitMode mode, float share, float ui_scale);

/// A pane whose time axis can be linked with another. Pointers are valid as long as the pane's panel.
struct TimePane {
  Navigation* navigation = nullptr;
  RangeSelection* marked = nullptr;  ///< null if the pane marks no ranges
  ClockRange clock;                  ///< clock of Navigation's times, in ns, while the axis shows time
  bool shows_time = true;
  std::optional<double> mouse_time_ns;  ///< time under the mouse, if it is over the pane
  float left = 0;                       ///< left end of the unaligned time axis on screen
  float right = 0;                      ///< right end of that axis
};

/// The link of the time axes of two panes.
struct TimeLink {
  /// Converts ns of the first pane to ns of the second; nullopt if the panes are not linked.
  /// ClockEvidence::unix_time: both panes have Unix times, which overlap. by_hand: the times that were at the
  /// left edges when the panes were linked are equal.
  std::optional<ClockFit> fit;
  std::array<std::uint64_t, 2> documents{};
  std::array<std::int64_t, 2> origins_unix_ns{};  ///< origins of the clocks that `fit` connects

  bool by_clock() const { return fit && fit->evidence == ClockEvidence::unix_time; }
  /// Updates `fit` after the origin of a pane's clock has changed. This happens if the user chooses another
  /// device of a snapshot, or a file is reloaded. Requires a link.
  void follow(const ClockRange& first, const ClockRange& second);

  /// Convert from pane `pane` to the other pane. `width_px` is the width of the converted view. Converted
  /// times are clamped to 127 years before or after 0. Require a link.
  double converted_time(std::size_t pane, double ns) const;
  TimeRange converted_range(std::size_t pane, const TimeRange& range) const;
  TimeView converted_view(std::size_t pane, const TimeView& view, double width_px) const;

 private:
  std::int64_t moved_ns(std::size_t pane, std::int64_t ns) const;
};

/// Returns the conversion that aligns the left edges of two views, with the uncertainty of the coarser view.
ClockFit fit_of_edges(const TimeView& first, const TimeView& second);

}  // namespace kino
