// One column of a page that scrolls: places texts, links and code from top to bottom.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Data of one frame that all columns of a page share.
struct ColumnFrame {
  ImDrawList& list;
  const Theme& theme;
  float scale = 1;
  /// Centers of the links and buttons that were drawn, by name, for tests.
  std::vector<std::pair<std::string, ImVec2>>& places;
};

/// Texts are never used as format strings. Names from a file must be escaped. Widths are in ImGui units.
class PageColumn {
 public:
  PageColumn(const ColumnFrame& frame, float left, float top, float width)
      : frame_(frame), left_(left), right_(left + width), y_(top) {}

  const ColumnFrame& frame() const { return frame_; }
  ImDrawList& list() const { return frame_.list; }
  const Theme& theme() const { return frame_.theme; }
  float left() const { return left_; }
  float right() const { return right_; }
  float width() const { return right_ - left_; }
  float y() const { return y_; }
  float px(float units) const { return std::round(units * frame_.scale); }
  float line_height() const { return ImGui::GetTextLineHeight(); }
  void move_to(float y) { y_ = y; }
  void space(float units) { y_ += px(units); }

  /// Draws a title and a dimmed note beside it. Wraps the note below the title if there is no room.
  void heading(const char* title, std::string_view note = {});
  /// Draws wrapped text.
  void text(std::uint32_t color, std::string_view text);
  /// Returns the height of wrapped text in a column of `width`.
  static float height_of(std::string_view text, float width);
  /// Draws text that ends at `right`.
  void right_text(float right, float y, std::uint32_t color, std::string_view text) const;
  /// Draws a line across the column.
  void rule();
  /// A link; `id` names it for ImGui and for tests.
  struct Link {
    std::string id;
    std::string text;
    std::string hint;
  };
  /// Draws a row of links from left to right, and wraps them. Returns the index of the link that was clicked,
  /// or -1.
  int links(const std::vector<Link>& links);
  /// Draws one link at a place on the current line. Returns whether it was clicked.
  bool link_at(const Link& link, float x, float y) const;
  /// Draws code with a button that copies it. Wraps the code.
  void code(const char* id, std::string_view code);

 private:
  const ColumnFrame& frame_;
  float left_;
  float right_;
  float y_;
};

}  // namespace kino
