// Records the frames of Dear ImGui for a page that replays them with WebGL 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <imgui.h>

#include "app/ui/backend/gui_backend.hpp"
#include "render/recording_gpu.hpp"

namespace kino {

/// Adds the records of a frame to `gpu`, which must outlive the object. The geometry of a draw list is sent
/// once; later frames refer to it while the page still has it.
class RecordingBackend final : public GuiBackend {
 public:
  explicit RecordingBackend(RecordingGpu& gpu) : gpu_(gpu) {}

  void start() override;
  void begin_frame() override {}
  void renew_fonts() override;
  void update_texture(ImTextureData& texture) override;
  void draw(ImDrawData& frame, std::uint32_t background) override;
  void stop() override {}

  /// Forgets which draw lists the page has; see RecordingGpu::resend().
  void resend();

 private:
  /// A draw list of the page.
  struct Slot {
    std::uint64_t geometry = 0;  ///< hash of its vertices and indices
    std::uint64_t frame = 0;     ///< number of the last frame that used it
  };

  void draw_list(const ImDrawList& list, const ImDrawData& frame, int height_px);
  void draw_command(const ImDrawCmd& command, const ImDrawData& frame, int height_px);
  void select(const ImDrawList& list);
  std::uint32_t free_slot();
  void update_textures(ImDrawData& frame);

  RecordingGpu& gpu_;
  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of_geometry_;
  std::uint64_t frame_ = 0;
  std::uint32_t font_ = 0;  // texture of the font atlas; 0: none yet, or since 1.92
};

}  // namespace kino
