// Dear ImGui for the window, for pictures without a window, and for recorded frames.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "app/ui/backend/gui_backend.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/theme.hpp"

struct ImGuiContext;

namespace kino {

struct DisplayScale {
  float ui = 1;           ///< UI scale; 1 = 96 dpi
  float framebuffer = 1;  ///< framebuffer pixels per ImGui unit
  bool operator==(const DisplayScale&) const = default;
};

/// Owns the context of Dear ImGui; only one object at a time. The class of a backend documents what the
/// backend requires.
class GuiContext {
 public:
  /// For `wake` see Fonts.
  explicit GuiContext(std::unique_ptr<GuiBackend> backend, std::function<void()> wake = {});
  GuiContext(const GuiContext&) = delete;
  GuiContext& operator=(const GuiContext&) = delete;
  ~GuiContext();

  /// Updates fonts and style; call before the input and ImGui::NewFrame().
  void prepare_frame(const Theme& theme, DisplayScale scale);
  /// Draws the ended frame (ImGui::Render()) with the backend, over the theme's window color.
  void render(const Theme& theme);
  /// Returns a hash of the ended frame, which changes with its appearance. It does not cover textures that
  /// workers change; the workers wake the window.
  std::uint64_t picture() const;
  Fonts& fonts() { return fonts_; }
  const Fonts& fonts() const { return fonts_; }

 private:
  std::unique_ptr<GuiBackend> backend_;
  Fonts fonts_;  // before the context, which uses them
  ImGuiContext* context_ = nullptr;
  static constexpr DisplayScale kNoScale{0, 0};
  DisplayScale scale_ = kNoScale;  // of the previous frame
  bool dark_ = true;
  std::uint64_t atlases_ = 0;  // number of atlases shown so far
};

}  // namespace kino
