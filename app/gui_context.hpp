// Dear ImGui over OpenGL 3.3, the same for the window and for pictures without one.
#pragma once

#include "app/fonts.hpp"
#include "app/theme.hpp"

struct ImGuiContext;

namespace kino {

/// How large things are drawn.
struct DisplayScale {
  float ui = 1;           ///< ImGui units per 96-dpi px
  float framebuffer = 1;  ///< framebuffer pixels per ImGui unit
  bool operator==(const DisplayScale&) const = default;
};

/// One at a time; needs a current OpenGL context from construction to destruction.
class GuiContext {
 public:
  GuiContext();
  GuiContext(const GuiContext&) = delete;
  GuiContext& operator=(const GuiContext&) = delete;
  ~GuiContext();

  /// Brings fonts and style up to date; call before the backend's and ImGui's own NewFrame.
  void prepare_frame(const Theme& theme, DisplayScale scale);
  /// Draws what the frame recorded into the bound framebuffer, over the theme's window colour.
  void render(const Theme& theme);
  Fonts& fonts() { return fonts_; }

 private:
  ImGuiContext* context_ = nullptr;
  Fonts fonts_;
  DisplayScale scale_{0, 0};
  bool dark_ = true;
};

}  // namespace kino
