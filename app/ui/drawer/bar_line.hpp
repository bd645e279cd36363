// A bar of words and flat buttons in one line, from left to right; what is to be there at any width stands at
// its right end.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <imgui.h>

#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct BarText {
  std::uint32_t color = 0;
  std::string words;
  std::string brief{};  ///< of them, where there is no room; empty: they have none
  std::string hint{};   ///< shown while the mouse is on it, unless it is empty
};

/// Lives for a frame, in which its parts are drawn one after the other, those at the end first.
class BarLine {
 public:
  BarLine(ImDrawList& list, const Box& bar, const Theme& theme, float scale);

  /// Words, and a line behind them. `hint` is shown while the mouse is on them, unless it is empty.
  void text(std::uint32_t color, const std::string& words, const std::string& hint = {});
  /// One after the other; in brief from the last on, as far as they would not all have room.
  void texts(std::span<const BarText> parts);
  /// A button at the right end of what is left. Whether it was pressed. Nothing where it has no room.
  bool button_at_end(const char* id, const std::string& label, const std::string& hint);
  /// Room at the right end, for something as high as a button: its left, or left of the window where there is
  /// none.
  ImVec2 take_at_end(float width);
  /// Whether it was pressed. Nothing where it has no room.
  bool button(const char* id, const std::string& label, const std::string& hint);
  /// Room for a picture in the middle of the line; left of the window where there is none.
  ImVec2 take(float width, float height);
  /// What is left, in px.
  float room() const;

 private:
  float px(float at_scale_1) const;
  bool button_at(float x, const char* id, const std::string& label, const std::string& hint) const;

  ImDrawList& list_;
  Box bar_;
  const Theme& theme_;
  float scale_;
  float x_;
  float y_;
};

}  // namespace kino
