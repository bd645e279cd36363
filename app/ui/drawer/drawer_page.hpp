// What every page of a drawer is, under a timeline or under the plot of a snapshot.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/ui/commands/command_list.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// What a frame gives to the page that is drawn.
struct DrawerLook {
  const Theme& theme;
  float scale = 1;       ///< UI scale; 1 = 96 dpi
  bool keyboard = true;  ///< false while a text field or a popup has the keyboard, or another panel is active
};

/// Owns what it shows. UI thread only; what takes long is computed on the pool.
class DrawerPage {
 public:
  DrawerPage() = default;
  DrawerPage(const DrawerPage&) = delete;
  DrawerPage& operator=(const DrawerPage&) = delete;
  virtual ~DrawerPage() = default;

  /// Of static storage, the same in every language: for DrawerChoice and the state file.
  virtual std::string_view id() const = 0;
  /// On its tab.
  virtual const char* title() const = 0;
  /// Stands dim behind the title, such as a count; may be empty.
  virtual std::string note() const { return {}; }
  /// Whether the bar has a tab for it.
  virtual bool offered() const { return true; }
  /// The command that opens the drawer at the page, and closes it there.
  virtual std::optional<CommandId> command() const { return std::nullopt; }
  /// Whether the key that copies means its rows, not what is selected elsewhere.
  virtual bool copies_rows() const { return false; }

  /// Once a frame in which keys are for the panel, before update(); also while it is not `shown`.
  virtual void handle_keys([[maybe_unused]] bool shown) {}
  /// Once a frame, also while it is not `shown`; what only a person needs to see is computed when it is.
  virtual void update([[maybe_unused]] bool shown) {}
  /// Fills `size` at the cursor. Only while it is shown.
  virtual void draw(ImVec2 size, const DrawerLook& look) = 0;

  /// Whether the next frame must follow without waiting for input; of a page that is not shown, too.
  virtual bool wants_frames() const { return false; }
  /// Whether nothing of it is on its way.
  virtual bool complete() const { return true; }
  /// Adds what it shows to the object that tells UI tests about its panel.
  virtual void tell([[maybe_unused]] nlohmann::ordered_json& panel) const {}
};

}  // namespace kino
