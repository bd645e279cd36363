// The choice of the drawer's page, below the tracks or the plot.
#pragma once

#include <array>
#include <string_view>

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
inline constexpr std::string_view kCompare = "compare";
inline constexpr std::string_view kSql = "sql";
inline constexpr std::string_view kTrust = "trust";
inline constexpr std::string_view kWhatIf = "what-if";
inline constexpr std::string_view kBatch = "batch";
/// Pages of a timeline that have a table of their own. While one of them is shown, commands for tables apply
/// to that table.
inline constexpr std::array kWithTable{kRange, kHits, kBookmarks, kCompare, kSql};
}  // namespace drawer_page

struct DrawerChoice {
  bool open = false;
  std::string_view page;  ///< id with static storage; remembered while the drawer is closed
  bool refused = false;   ///< closed by the user, so a selection does not reopen it

  bool shows(std::string_view id) const { return open && page == id; }
  void show(std::string_view id) {
    page = id;
    open = true;
  }
  /// Opens the drawer at the page, or closes it if the page is shown.
  void toggle(std::string_view id) {
    if (shows(id)) {
      open = false;
      refused = true;
    } else {
      show(id);
    }
  }
};

}  // namespace kino
