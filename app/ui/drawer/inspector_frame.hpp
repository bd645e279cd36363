// Frame of the inspector, the panel on the right of a page: its title, its button, and the choice to show it.
#pragma once

#include <functional>
#include <string>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/drawer/page.hpp"
#include "app/ui/view/drawer_choice.hpp"
#include "app/ui/widgets/box.hpp"

namespace kino {

/// The choice to show the panel is shared by all pages through Splitters::inspector. UI thread only.
class InspectorFrame {
 public:
  struct Heading {
    std::string title;
    std::string note = {};  ///< dimmed after the title
  };

  /// Handles the key that shows and hides the panel. Called once per frame, before the page is laid out.
  /// `sizes` may be null.
  void handle_keys(Splitters* sizes, bool keyboard);
  /// Also handles the key that shows and hides the drawer together with the panel. While the drawer covers the
  /// page, the panel's own key has no effect.
  void handle_keys(Splitters* sizes, bool keyboard, DrawerChoice& drawer);
  bool wanted() const { return wanted_; }
  /// Returns the width of the panel on a page; 0 if it is closed or the page is too narrow.
  float width(float page_px, float scale) const;
  /// Draws background, title and button into `box`, and calls `content` with the size below them. ImGui's
  /// cursor is then at the top left of the content. `sizes` may be null.
  void draw(const Box& box, const Heading& heading, Splitters* sizes, const DrawContext& look,
            const std::function<void(ImVec2)>& content);
  /// Returns position and width of the panel and the center of its button, for tests.
  nlohmann::ordered_json test_state(const Box& box) const;

 private:
  void toggle(Splitters* sizes);

  bool wanted_ = true;
  ImVec2 close_{};
};

}  // namespace kino
