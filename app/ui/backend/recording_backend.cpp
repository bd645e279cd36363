#include "app/ui/backend/recording_backend.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <imgui.h>

#include "app/ui/widgets/picture_key.hpp"

namespace kino {
namespace {

/// Convert between ImGui's type of texture ids and numbers: a pointer before 1.91.4, an integer since.
template <class Id>
Id as_id(std::uint32_t number) {
  if constexpr (std::is_pointer_v<Id>) {
    return reinterpret_cast<Id>(static_cast<std::uintptr_t>(number));  // NOLINT(performance-no-int-to-ptr)
  } else {
    return static_cast<Id>(number);
  }
}

template <class Id>
std::uint32_t number_of(Id id) {
  if constexpr (std::is_pointer_v<Id>) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(id));
  } else {
    return static_cast<std::uint32_t>(id);
  }
}

template <class Element>
std::span<const std::byte> bytes_of(const ImVector<Element>& elements) {
  return std::as_bytes(std::span(elements.Data, static_cast<std::size_t>(elements.Size)));
}

/// Writes one word of each vertex; with `differences`, the difference to the previous vertex.
void write_column(FrameWriter& writer, std::span<const std::byte> vertices, std::size_t offset,
                  bool differences) {
  std::uint32_t previous = 0;
  for (std::size_t at = offset; at < vertices.size(); at += sizeof(ImDrawVert)) {
    std::uint32_t word = 0;
    std::memcpy(&word, &vertices[at], sizeof word);
    writer.add(differences ? word - previous : word);
    previous = word;
  }
}

/// Writes columns and differences, since they compress to a quarter of the vertices and indices themselves:
/// 22 instead of 86 KB per frame of a zooming timeline.
void write_list(FrameWriter& writer, const ImDrawList& list, std::uint32_t slot) {
  static_assert(sizeof(ImDrawVert) == 20 && sizeof(ImDrawIdx) == 2);
  writer.record(FrameRecord::list, slot, list.VtxBuffer.Size, list.IdxBuffer.Size);
  const std::span<const std::byte> vertices = bytes_of(list.VtxBuffer);
  for (std::size_t column = 0; column < 5; ++column) write_column(writer, vertices, 4 * column, column < 2);
  std::uint16_t previous = 0;
  for (int i = 0; i < list.IdxBuffer.Size; i += 2) {
    const auto first = static_cast<std::uint16_t>(list.IdxBuffer[i]);
    const auto second =
        i + 1 < list.IdxBuffer.Size ? static_cast<std::uint16_t>(list.IdxBuffer[i + 1]) : first;
    const auto difference = [](std::uint16_t a, std::uint16_t b) {
      return static_cast<std::uint32_t>(static_cast<std::uint16_t>(a - b));
    };
    writer.add(difference(first, previous) | difference(second, first) << 16U);
    previous = second;
  }
}

}  // namespace

void RecordingBackend::start() {
  ImGuiIO& io = ImGui::GetIO();
  io.BackendRendererName = "recording";
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  ImGuiPlatformIO& platform = ImGui::GetPlatformIO();
  platform.Renderer_TextureMaxWidth = platform.Renderer_TextureMaxHeight = gpu_.largest_texture();
#endif
}

#if IMGUI_VERSION_NUM < 19200

void RecordingBackend::renew_fonts() {
  if (font_ == 0) font_ = gpu_.make_texture();
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  unsigned char* opacity = nullptr;
  int width = 0;
  int height = 0;
  atlas.GetTexDataAsAlpha8(&opacity, &width, &height);
  const auto size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  gpu_.set_opacity_texture(font_, width, height, std::as_bytes(std::span(opacity, size)));
  atlas.SetTexID(as_id<ImTextureID>(font_));
}

void RecordingBackend::update_texture(ImTextureData& /*texture*/) {}
void RecordingBackend::update_textures(ImDrawData& /*frame*/) {}

#else

void RecordingBackend::renew_fonts() {}

void RecordingBackend::update_texture(ImTextureData& texture) {
  if (texture.Status == ImTextureStatus_WantDestroy && texture.UnusedFrames > 0) {
    gpu_.delete_texture(number_of(texture.TexID));
    texture.SetTexID(ImTextureID_Invalid);
    texture.SetStatus(ImTextureStatus_Destroyed);
    return;
  }
  if (texture.Status != ImTextureStatus_WantCreate && texture.Status != ImTextureStatus_WantUpdates) return;
  if (texture.Status == ImTextureStatus_WantCreate) texture.SetTexID(as_id<ImTextureID>(gpu_.make_texture()));
  // Texels are white with an opacity, as the fonts have no colored glyphs.
  const auto step = static_cast<std::size_t>(texture.BytesPerPixel);
  const auto size = static_cast<std::size_t>(texture.Width) * static_cast<std::size_t>(texture.Height);
  std::vector<std::byte> opacity(size);
  for (std::size_t i = 0; i < size; ++i) opacity[i] = std::byte{texture.Pixels[i * step + step - 1]};
  gpu_.set_opacity_texture(number_of(texture.TexID), texture.Width, texture.Height, opacity);
  texture.SetStatus(ImTextureStatus_OK);
}

void RecordingBackend::update_textures(ImDrawData& frame) {
  if (frame.Textures == nullptr) return;
  for (ImTextureData* const texture : *frame.Textures) {
    if (texture->Status != ImTextureStatus_OK) update_texture(*texture);
  }
}

#endif

void RecordingBackend::draw(ImDrawData& frame, std::uint32_t background) {
  ++frame_;
  const auto width_px = static_cast<int>(frame.DisplaySize.x * frame.FramebufferScale.x);
  const auto height_px = static_cast<int>(frame.DisplaySize.y * frame.FramebufferScale.y);
  update_textures(frame);
  gpu_.begin_frame(width_px, height_px, background);
  for (int i = 0; i < frame.CmdListsCount; ++i) draw_list(*frame.CmdLists[i], frame, height_px);
}

void RecordingBackend::draw_list(const ImDrawList& list, const ImDrawData& frame, int height_px) {
  bool selected = false;
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (command.UserCallback != nullptr) {
      // The page sets all of its state with each record, so there is no state to reset.
      if (command.UserCallback != ImDrawCallback_ResetRenderState) command.UserCallback(&list, &command);
      continue;
    }
    if (command.ElemCount == 0) continue;
    if (!selected) select(list);
    selected = true;
    draw_command(command, frame, height_px);
  }
}

void RecordingBackend::draw_command(const ImDrawCmd& command, const ImDrawData& frame, int height_px) {
  const auto px = [](float value, float origin, float scale) {
    return static_cast<int>((value - origin) * scale);
  };
  const ImVec2 scale = frame.FramebufferScale;
  const int left = std::max(px(command.ClipRect.x, frame.DisplayPos.x, scale.x), 0);
  const int top = std::max(px(command.ClipRect.y, frame.DisplayPos.y, scale.y), 0);
  const int right = px(command.ClipRect.z, frame.DisplayPos.x, scale.x);
  const int bottom = std::min(px(command.ClipRect.w, frame.DisplayPos.y, scale.y), height_px);
  if (right <= left || bottom <= top) return;
  gpu_.writer().record(FrameRecord::triangles, number_of(command.GetTexID()), left, height_px - bottom,
                       right - left, bottom - top, command.IdxOffset, command.ElemCount, command.VtxOffset);
}

void RecordingBackend::select(const ImDrawList& list) {
  PictureKey key;
  key.add(bytes_of(list.VtxBuffer));
  key.add(bytes_of(list.IdxBuffer));
  const auto found = slot_of_geometry_.find(key.value());
  if (found != slot_of_geometry_.end()) {
    slots_[found->second].frame = frame_;
    gpu_.writer().record(FrameRecord::use_list, found->second);
    return;
  }
  const std::uint32_t slot = free_slot();
  slots_[slot] = {key.value(), frame_};
  slot_of_geometry_[key.value()] = slot;
  write_list(gpu_.writer(), list, slot);
}

/// Returns a slot that neither this frame nor the previous one has used, so that two lists can alternate.
std::uint32_t RecordingBackend::free_slot() {
  const auto unused =
      std::ranges::find_if(slots_, [this](const Slot& slot) { return slot.frame + 1 < frame_; });
  if (unused == slots_.end()) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  slot_of_geometry_.erase(unused->geometry);
  return static_cast<std::uint32_t>(unused - slots_.begin());
}

void RecordingBackend::resend() {
  slots_.clear();
  slot_of_geometry_.clear();
}

}  // namespace kino
