// Dear ImGui on OpenGL 3.3, for the window and for pictures without a window.
#pragma once

#include <cstdint>
#include <functional>

#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/theme.hpp"

struct ImGuiContext;

namespace kino {

struct DisplayScale {
  float ui = 1;           ///< ImGui units per 96-dpi px
  float framebuffer = 1;  ///< framebuffer pixels per ImGui unit
  bool operator==(const DisplayScale&) const = default;
};

/// Owns the context of Dear ImGui; only one object at a time. Requires a current OpenGL context from
/// construction to destruction.
class GuiContext {
 public:
  /// For `wake` see Fonts.
  explicit GuiContext(std::function<void()> wake = {});
  GuiContext(const GuiContext&) = delete;
  GuiContext& operator=(const GuiContext&) = delete;
  ~GuiContext();

  /// Updates fonts and style; call before NewFrame of the backend and of ImGui.
  void prepare_frame(const Theme& theme, DisplayScale scale);
  /// Draws the ended frame (ImGui::Render()) into the bound framebuffer, over the theme's window color.
  void render(const Theme& theme);
  /// Returns a hash of the ended frame, which changes with its appearance. Does not cover textures that
  /// workers change; these wake the window.
  std::uint64_t picture() const;
  Fonts& fonts() { return fonts_; }
  const Fonts& fonts() const { return fonts_; }

 private:
  Fonts fonts_;  // before the context, which uses them
  ImGuiContext* context_ = nullptr;
  static constexpr DisplayScale kNoScale{0, 0};
  DisplayScale scale_ = kNoScale;  // of the previous frame
  bool dark_ = true;
  std::uint64_t atlases_ = 0;  // number of atlases shown so far
};

}  // namespace kino
