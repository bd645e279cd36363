// Interface of the view of a document in its pane: a timeline, a snapshot, a job or a comparison.
#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "app/ui/view/byte_link.hpp"
#include "app/ui/view/split_view.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// What a frame gives to any page.
struct PageFrame {
  const Theme* theme = nullptr;
  float scale = 1;              ///< UI scale; 1 = 96 dpi
  float framebuffer_scale = 1;  ///< framebuffer pixels per ImGui unit
  double delta_seconds = 0;
  bool active = true;    ///< whether commands mean this page, of several in the window
  bool keyboard = true;  ///< false while a text field or a popup has the keyboard, or another page is active
  std::optional<double> other_time_ns;  ///< where the mouse is in a linked page, in this one's ns
};

/// Lives on the UI thread as long as its document shows it.
class Page {
 public:
  Page() = default;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  virtual ~Page() = default;

  /// Fills the remaining content region of the current ImGui window and handles its mouse and keys.
  virtual void draw(const PageFrame& frame) = 0;
  /// Whether the next frame must follow without waiting for input (keys held, animation, tiles on their way).
  virtual bool wants_frames() const = 0;
  /// Whether all that the last frame showed was there, at its right level and up to date.
  virtual bool complete() const = 0;

  virtual void fit_all() = 0;
  /// Opens the drawer at the page of this id.
  virtual void show_page(std::string_view id) = 0;
  /// Opens the drawer at this table, one of the page's kinds.
  virtual void show_table(std::string_view name) = 0;
  /// Of the drawer, at scale 1: where it was dragged to, and where it is to be.
  virtual float drawer_height() const = 0;
  virtual void set_drawer_height(float height) = 0;
  /// Its times, for a link with another page; nothing where it has none.
  virtual std::optional<TimePane> time_pane() const = 0;
  /// Its scale of bytes, for a link; nothing where it has none, or before the first draw().
  virtual std::optional<BytePane> byte_pane() const { return std::nullopt; }
  /// Adds what it and the pages of its drawer show, for the state file of UI tests.
  virtual void tell(nlohmann::ordered_json& json) const = 0;
};

}  // namespace kino
