// Dear ImGui over OpenGL 3.3, the same for the window and for pictures without one.
#pragma once

#include <cstdint>
#include <functional>

#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/theme.hpp"

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
  /// `wake`: see Fonts.
  explicit GuiContext(std::function<void()> wake = {});
  GuiContext(const GuiContext&) = delete;
  GuiContext& operator=(const GuiContext&) = delete;
  ~GuiContext();

  /// Brings fonts and style up to date; call before the backend's and ImGui's own NewFrame.
  void prepare_frame(const Theme& theme, DisplayScale scale);
  /// Draws the ended frame (ImGui::Render()) into the bound framebuffer, over the theme's window colour.
  void render(const Theme& theme);
  /// Differs when the ended frame looks otherwise, but for what workers bring, who wake the window.
  std::uint64_t picture() const;
  Fonts& fonts() { return fonts_; }
  const Fonts& fonts() const { return fonts_; }

 private:
  Fonts fonts_;  // before the context, which shows them
  ImGuiContext* context_ = nullptr;
  static constexpr DisplayScale kNoScale{0, 0};
  DisplayScale scale_ = kNoScale;  // of the frame before
  bool dark_ = true;
  std::uint64_t atlases_ = 0;  // shown until now
};

}  // namespace kino
