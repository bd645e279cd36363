// The strip below the tracks that explains the colors of slices.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/shell/settings/color_modes.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/language.hpp"
#include "core/tables/ledger/gpu_idle.hpp"

namespace kino {

struct LegendEntry {
  std::uint32_t color = 0;
  std::string text;
  /// color key of the entry's slices, or their kind if slices are colored by name; idle_key() for idle time
  std::uint32_t key = 0;
  bool idle = false;  ///< whether the entry is a reason for idle time, which is hatched
};

/// Returns the colors of at most 60 groups of slices. Kinds and tracks are in the order of their indices.
/// Modules are sorted by GPU time, then by number of slices, largest first; slices without a module come
/// last. If slices are colored by name, the groups are their kinds. Empty if slices are colored by duration,
/// or if the trace has no known kinds. O(groups log groups + names).
std::vector<LegendEntry> legend_entries(const SliceStyle& look, const Theme& theme);

/// Returns the entries of the reasons that occur, in the order of IdleReason. `device`: see device_word().
std::vector<LegendEntry> idle_entries(const std::array<bool, kIdleReasonCount>& reasons,
                                      std::string_view device, const Theme& theme);

/// The legend of colors. Its entries are recomputed only when the style, the idle reasons or the
/// language change.
class ColorLegend {
 public:
  void refresh(const SliceStyle& look, const Theme& theme);
  /// Sets the reasons of the idle bands that are shown. Call once per frame. Returns whether palette()
  /// changed, because the chosen reason is not shown any more.
  bool show_reasons(const std::array<bool, kIdleReasonCount>& reasons, const Theme& theme);
  /// Whether there is anything to show.
  bool shown(const SliceStyle& look) const {
    return !entries_.empty() || look.shown_mode() == ColorMode::duration;
  }
  /// Handles clicks. Returns whether palette() changed.
  bool handle(const TimelineState& state);
  /// Returns the palette of `look`. If an entry is chosen, the colors of all others are dimmed.
  std::vector<std::uint32_t> palette(const SliceStyle& look) const;
  /// Returns the key of the chosen entry; nullopt if there is none. All other entries are dimmed.
  std::optional<std::uint32_t> chosen() const { return chosen_; }
  /// Whether the chosen entry dims the annotations above streams, whose color is always that of their kind.
  bool dims_brackets() const;
  /// Draws the legend into boxes.legend, and the first 30 entries in a tooltip. Draws nothing if this box has
  /// no height.
  void draw(ImDrawList& list, const TimelineState& state, const SliceStyle& look, const Theme& theme);
  void write_test_state(nlohmann::ordered_json& json) const;

 private:
  void draw_entries(ImDrawList& list, const Box& box, float x, const TimelineState& state,
                    const Theme& theme);
  void draw_tooltip(const TimelineState& state, const SliceStyle& look, const Theme& theme) const;

  struct Place {
    float left = 0;
    float right = 0;
  };
  void join_entries();

  std::vector<LegendEntry> of_slices_;
  std::vector<LegendEntry> of_idle_;
  std::array<bool, kIdleReasonCount> reasons_{};
  std::string device_ = "GPU";             // see device_word()
  std::vector<LegendEntry> entries_;       // of slices, then of idle time
  std::vector<Place> places_;              // of the entries that the last frame showed
  std::optional<std::uint32_t> chosen_;    // key of the entry that is not dimmed
  ColorMode mode_ = ColorMode::name;       // mode of the entries
  Language language_ = Language::english;  // language of the entries
};

}  // namespace kino
