// The drawer below the tracks or the plot: its pages, the page shown, and its bar of tabs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/drawer/facts_line.hpp"
#include "app/ui/drawer/page_view.hpp"
#include "app/ui/view/drawer_choice.hpp"
#include "app/ui/widgets/box.hpp"

namespace kino {

/// Handles the splitter above a drawer at the bottom of its page. Returns the height to which the drawer is
/// dragged, at scale 1; nullopt if the splitter is not being dragged.
std::optional<float> dragged_drawer_height(const Box& drawer, float scale);

/// Owns the pages of a drawer and draws the chosen one. UI thread only.
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
  /// Called once per frame, after handle_keys().
  void update();
  /// Draws the bar, and the page below it unless the drawer is closed. A click on a tab shows its page. If
  /// the drawer covers the panel, `facts` are above the bar, and pages without has_bar() have no bar.
  void draw(const Box& whole, const DrawContext& look, const std::vector<PageFact>& facts = {});

  /// Returns one view per offered page, after a first view with the title `picture`, which is the panel
  /// itself. A page is current while it covers the panel. The page of the selection is not a view.
  std::vector<PageView> views(const char* picture) const;
  /// Shows the page with this id over the whole panel. If the id is empty, shows the panel again.
  void show_view(std::string_view id);

  /// Returns the page that is shown; null while the drawer is closed.
  DrawerPage* shown() const;
  /// Whether the next frame must be drawn without input.
  bool wants_frames() const;
  bool complete() const;
  void write_test_state(nlohmann::ordered_json& panel) const;

 private:
  /// Whether the bar is drawn in this frame.
  bool shows_bar() const;
  void draw_bar(const Box& bar, const DrawContext& look);
  /// Draws the buttons at the right end of the bar. Returns their left end.
  float draw_buttons(const Box& bar, const DrawContext& look);
  /// Returns the tabs that fit into `room`. If not all do, only the current tab has a note. If this is not
  /// enough, the last tabs are missing, but never the current one.
  std::vector<std::pair<DrawerPage*, DrawerTab>> fitting_tabs(float room, float scale) const;
  /// Draws one tab at `left` and advances `left` past it. Returns whether it was clicked.
  bool draw_tab(const DrawerTab& tab, float& left, const Box& bar, const DrawContext& look);
  /// Whether the bar has tabs for a page. An offered page that is shown always has tabs.
  bool has_tabs(const DrawerPage& page) const {
    return page.offered() && (page.has_tab() || choice_.shows(page.id()));
  }

  DrawerChoice& choice_;
  std::vector<std::unique_ptr<DrawerPage>> pages_;
  std::vector<std::pair<std::string, ImVec2>> tab_places_;  // centers of the drawn tabs, by id
  std::vector<std::pair<std::string, std::string>> tab_notes_;
  bool tab_changed_ = false;  // in this frame; the drawer can have another height in the next one
};

}  // namespace kino
