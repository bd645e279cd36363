// The choice of the drawer's page, below the tracks or the plot, and the heights of its pages.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "app/shell/settings/drawer_heights.hpp"

namespace kino {

/// Ids of pages that other code opens or queries.
namespace drawer_page {
inline constexpr std::string_view kSelection = "selection";
inline constexpr std::string_view kRange = "range";
inline constexpr std::string_view kBookmarks = "bookmarks";
inline constexpr std::string_view kHits = "hits";
inline constexpr std::string_view kFlame = "flame";
inline constexpr std::string_view kLive = "live";
inline constexpr std::string_view kOom = "oom";
inline constexpr std::string_view kCategories = "categories";
inline constexpr std::string_view kSegments = "segments";
inline constexpr std::string_view kTables = "tables";
inline constexpr std::string_view kSummary = "summary";
inline constexpr std::string_view kCompare = "compare";
inline constexpr std::string_view kSql = "sql";
inline constexpr std::string_view kTrust = "trust";
inline constexpr std::string_view kWhatIf = "what-if";
inline constexpr std::string_view kBatch = "batch";
/// Pages of a timeline with a separate table. While one of them is shown, commands for tables apply to that
/// table instead of the one on the page kTables.
inline constexpr std::array kWithTable{kRange, kHits, kBookmarks, kCompare, kSql};
}  // namespace drawer_page

/// Height of the bar with the tabs, at scale 1.
inline constexpr float kDrawerBarPx = 30;
/// Part of the whole height that a page takes until the user drags the splitter.
inline constexpr float kDrawerShare = 0.27F;
/// The same for pages with controls or an editor above their rows.
inline constexpr float kControlsDrawerShare = 0.42F;
inline constexpr std::array kWithControls{drawer_page::kWhatIf, drawer_page::kBatch, drawer_page::kSql};

/// Minimum default height of a page at scale 1, so that rows are visible in small panes. Limited to
/// kMostDrawerShare of the whole.
inline constexpr float kMinPageHeightPx = 220;
inline constexpr float kMostDrawerShare = 0.6F;

inline float drawer_share(std::string_view page) {
  return std::ranges::find(kWithControls, page) != kWithControls.end() ? kControlsDrawerShare : kDrawerShare;
}

struct DrawerChoice {
  bool open = false;
  std::string_view page;     ///< id with static storage; remembered while the drawer is closed
  std::string_view tab{};    ///< id of the tab of `page`, with static storage; empty: the page's only tab
  bool refused = false;      ///< whether the user closed the drawer, so that a selection does not reopen it
  bool full = false;         ///< whether the open drawer covers the whole panel
  bool docked_open = false;  ///< `open` before fill()
  std::string_view docked_page = {};  ///< `page` before fill()
  DrawerHeights heights{};            ///< by height_key()

  bool shows(std::string_view id) const { return open && page == id; }
  bool fills() const { return open && full; }
  void show(std::string_view id) {
    if (page != id) tab = {};
    page = id;
    open = true;
  }
  /// Opens the drawer at the page, or closes it if the page is shown.
  void toggle(std::string_view id) {
    if (shows(id)) {
      close();
    } else {
      show(id);
    }
  }
  /// Opens the drawer at the page shown last, or closes it.
  void toggle_open() {
    if (open) return close();
    open = true;
    refused = false;
  }
  void close() {
    open = false;
    full = false;
    refused = true;
  }
  /// Shows the page over the whole panel.
  void fill(std::string_view id) {
    if (!fills()) {
      docked_open = open;
      docked_page = page;
    }
    show(id);
    full = true;
  }
  /// Ends fill(): the drawer has the page and the state that it had before.
  void leave_full() {
    if (!fills()) return;
    full = false;
    open = docked_open;
    if (page != docked_page) tab = {};
    page = docked_page;
  }
  std::string_view height_key() const { return tab.empty() ? page : tab; }
  /// Returns the height that the user gave to the shown page, at scale 1; nullopt if there is none.
  std::optional<float> own_height() const {
    const auto own = heights.find(height_key());
    return own != heights.end() ? std::optional(own->second) : std::nullopt;
  }
  /// Returns the height of the shown page in whole units, for a panel with `whole` units of height.
  float wanted_height(float whole, float scale) const {
    if (const std::optional<float> own = own_height()) return std::round(*own * scale);
    const float least = std::min(kMinPageHeightPx * scale, whole * kMostDrawerShare);
    return std::round(std::max(whole * drawer_share(page), least));
  }
  /// Stores the height of the shown page, at scale 1.
  void set_height(float wanted) { heights.insert_or_assign(std::string(height_key()), wanted); }
  /// Height of the drawer, in the unit of the arguments. The bar of tabs remains visible while the drawer is
  /// closed.
  float height(float wanted, float bar, float whole) const {
    if (fills()) return whole;
    return open ? std::max(bar, wanted) : std::min(bar, whole);
  }
};

}  // namespace kino
