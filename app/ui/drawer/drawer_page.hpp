// Interface of a page of a drawer, below a timeline or below the plot of a snapshot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/ui/commands/command_list.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Parameters of one frame for the page that is drawn.
struct DrawContext {
  const Theme& theme;
  float scale = 1;       ///< UI scale; 1 = 96 dpi
  bool keyboard = true;  ///< false while a text field or a popup has the focus, or another panel is active
};

/// A tab in the bar of a drawer.
struct DrawerTab {
  std::string_view id;  ///< static storage, and different from the ids of all other tabs of the drawer
  std::string title;    ///< in the language in use
  std::string note{};   ///< dimmed text after the title, such as a number of rows; may be empty
  bool current = false;
};

/// A page of a drawer; it owns its content. UI thread only; long computations run on the pool.
class DrawerPage {
 public:
  DrawerPage() = default;
  DrawerPage(const DrawerPage&) = delete;
  DrawerPage& operator=(const DrawerPage&) = delete;
  virtual ~DrawerPage() = default;

  /// Returns the id used by DrawerChoice and the state file. It has static storage and does not depend on the
  /// language.
  virtual std::string_view id() const = 0;
  /// Text of the page's tab.
  virtual const char* title() const = 0;
  /// Dimmed text after the title, such as a count; may be empty.
  virtual std::string note() const { return {}; }
  /// Whether the page can be opened, as a view or by a tab.
  virtual bool offered() const { return true; }
  /// Whether the drawer's bar has tabs for this page even while it is not shown.
  virtual bool has_tab() const { return true; }
  /// Whether the drawer's bar is above this page while the page covers the panel.
  virtual bool has_bar() const { return true; }
  /// Returns the tabs of the page. `shown`: whether the page is shown. Several tabs can open one page, for
  /// instance at different tables.
  virtual std::vector<DrawerTab> tabs(bool shown) const { return {{id(), title(), note(), shown}}; }
  /// Opens one of tabs() by its id. The page itself is shown by the drawer.
  virtual void open_tab(std::string_view /*tab*/) {}
  /// Returns the id of the tab that is open, with static storage; empty if the page has a single tab.
  virtual std::string_view open_tab() const { return {}; }
  /// Command that opens the drawer at this page, or closes it if the page is shown.
  virtual std::optional<CommandId> command() const { return std::nullopt; }
  /// Whether the copy key copies this page's selected rows instead of the selection in the rest of the panel.
  virtual bool copies_rows() const { return false; }

  /// Called once per frame before update() while the panel has the focus, even if the page is not `shown`.
  virtual void handle_keys([[maybe_unused]] bool shown) {}
  /// Called once per frame, even if the page is not `shown`. Starts computations that only this page needs if
  /// it is `shown`.
  virtual void update([[maybe_unused]] bool shown) {}
  /// Draws the page into `size` at ImGui's cursor. Called only while the page is shown.
  virtual void draw(ImVec2 size, const DrawContext& look) = 0;

  /// Whether the next frame must be drawn without waiting for input. Also called while the page is not shown.
  virtual bool wants_frames() const { return false; }
  /// Whether all computations of the page are finished.
  virtual bool complete() const { return true; }
  /// Adds the page's state to its panel's object in the state file of UI tests.
  virtual void write_test_state([[maybe_unused]] nlohmann::ordered_json& panel) const {}
};

}  // namespace kino
