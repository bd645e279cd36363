// Draws the frames of Dear ImGui with a device.
#pragma once

#include <cstdint>

struct ImDrawData;
struct ImTextureData;

namespace kino {

/// Used by the UI thread only, while its ImGui context is current.
class GuiBackend {
 public:
  GuiBackend() = default;
  GuiBackend(const GuiBackend&) = delete;
  GuiBackend& operator=(const GuiBackend&) = delete;
  virtual ~GuiBackend() = default;

  /// Announces the capabilities to ImGui. Called once, with the new context.
  virtual void start() = 0;
  /// Called before ImGui::NewFrame().
  virtual void begin_frame() = 0;
  /// For ImGui before 1.92: makes the texture of a new font atlas.
  virtual void renew_fonts() = 0;
  /// For ImGui from 1.92 on: makes, changes or deletes a texture as its status requests.
  virtual void update_texture(ImTextureData& texture) = 0;
  /// Draws an ended frame over a background of the color 0xAABBGGRR.
  virtual void draw(ImDrawData& frame, std::uint32_t background) = 0;
  /// Called once, before the context is destroyed.
  virtual void stop() = 0;
};

}  // namespace kino
