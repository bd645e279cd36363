// The drawer under the tracks or the plot: its pages, which of them is shown, and the bar to choose one.
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

/// The edge above a drawer that reaches to the bottom of its page: the height that a person drags it to, at
/// scale 1; nothing while nobody does.
std::optional<float> dragged_drawer_height(const Box& drawer, float scale);

/// UI thread only. Without pages nothing but add() may be called.
class Drawer {
 public:
  /// `choice` is the panel's and outlives the drawer.
  explicit Drawer(DrawerChoice& choice) : choice_(choice) {}

  /// The next page of the bar, made of these arguments.
  template <class Page, class... Arguments>
  Page& add(Arguments&&... arguments) {
    auto page = std::make_unique<Page>(std::forward<Arguments>(arguments)...);
    Page& made = *page;
    pages_.push_back(std::move(page));
    return made;
  }

  /// Opens and closes by the commands of the pages, and gives each its keys.
  void handle_keys();
  /// Once a frame, after handle_keys().
  void update();
  /// The bar and the page below it; nothing while it is closed. A click on a tab shows its page.
  void draw(const Box& box, const DrawerLook& look);

  /// Null while it is closed.
  const DrawerPage* shown() const;
  bool wants_frames() const;
  bool complete() const;
  /// What all pages tell.
  void tell(nlohmann::ordered_json& panel) const;

 private:
  void draw_bar(const Box& bar, const DrawerLook& look);
  /// One tab at `left`, which moves behind it. True when a person clicked on it.
  bool draw_tab(const DrawerPage& page, float& left, const Box& bar, const DrawerLook& look);

  DrawerChoice& choice_;
  std::vector<std::unique_ptr<DrawerPage>> pages_;
  std::vector<std::pair<std::string, ImVec2>> tab_places_;  // as drawn last, by page
};

}  // namespace kino
