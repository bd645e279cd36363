// The sheet with all keys, and the debug figures.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <imgui.h>

#include "app/shell/documents/document.hpp"
#include "app/ui/commands/keymap.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Sheet that lists the keys and mouse gestures of the active page, or of all pages. The filter applies to
/// keys, gestures and descriptions. UI thread only.
class HelpSheet {
 public:
  /// Draws the sheet if `open`. Esc, its key, its button or a click outside closes it. Returns whether the
  /// guide was requested.
  bool draw(bool& open, PageKind page, const Keymap& keymap, const Theme& theme);
  /// Number of listed keys and gestures in the last frame.
  std::size_t lines() const { return lines_; }

 private:
  struct Line;
  std::vector<Line> lines_of(CommandGroup group, const Keymap& keymap) const;
  void draw_column(const char* id, std::span<const CommandGroup> groups, const Keymap& keymap,
                   const Theme& theme);

  std::array<char, 64> filter_{};
  bool all_pages_ = false;
  bool was_open_ = false;
  PageKind page_ = PageKind::none;
  std::size_t lines_ = 0;
};

struct DebugFigures {
  double frame_cpu_ms = 0;      ///< processor time of the previous frame, without the driver's time
  double draws_per_second = 0;  ///< number of frames drawn in the last second
};
/// `document` may be null.
void draw_debug_overlay(const Document* document, const DebugFigures& figures, const Theme& theme);

}  // namespace kino
