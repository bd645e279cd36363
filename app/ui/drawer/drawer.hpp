// The drawer below the tracks or the plot: its pages, the page shown, and its bar of tabs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/view/drawer_choice.hpp"
#include "app/ui/widgets/box.hpp"

namespace kino {

/// Handles the splitter above a drawer at the bottom of its page. Returns the height to which the drawer is
/// dragged, at scale 1; nullopt if the splitter is not being dragged.
std::optional<float> dragged_drawer_height(const Box& drawer, float scale);

/// UI thread only. Without pages, only add() may be called.
class Drawer {
 public:
  /// `choice` belongs to the panel and must outlive the drawer.
  explicit Drawer(DrawerChoice& choice) : choice_(choice) {}

  template <class Page, class... Arguments>
  Page& add(Arguments&&... arguments) {
    auto page = std::make_unique<Page>(std::forward<Arguments>(arguments)...);
    Page& made = *page;
    pages_.push_back(std::move(page));
    return made;
  }

  /// Toggles the pages whose commands were pressed, and calls handle_keys() of each page.
  void handle_keys();
  /// Called once a frame, after handle_keys().
  void update();
  /// Draws the bar and the page below it, or nothing if the drawer is closed. A click on a tab shows its
  /// page.
  void draw(const Box& box, const DrawContext& look);

  /// Returns the page that is shown; null while the drawer is closed.
  DrawerPage* shown() const;
  bool wants_frames() const;
  bool complete() const;
  void write_test_state(nlohmann::ordered_json& panel) const;

 private:
  void draw_bar(const Box& bar, const DrawContext& look);
  /// Draws one tab at `left` and advances `left` past it. Returns whether it was clicked.
  bool draw_tab(const DrawerPage& page, float& left, const Box& bar, const DrawContext& look);

  DrawerChoice& choice_;
  std::vector<std::unique_ptr<DrawerPage>> pages_;
  std::vector<std::pair<std::string, ImVec2>> tab_places_;  // centers of the drawn tabs, by page id
};

}  // namespace kino
