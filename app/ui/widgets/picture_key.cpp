#include "app/ui/widgets/picture_key.hpp"

#include <type_traits>

#include <xxhash.h>

#include "render/pixel_texture.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {
namespace {

/// Converts to ImGui's type of texture ids: a pointer before 1.91.4, an integer since.
template <class Id>
Id as_id(std::uintptr_t number) {
  if constexpr (std::is_pointer_v<Id>) {
    return reinterpret_cast<Id>(number);  // NOLINT(performance-no-int-to-ptr)
  } else {
    return static_cast<Id>(number);
  }
}

/// Adds a key to the hashed draw data, as user data of the command that resets the backend's state. The
/// backend ignores this data.
void add_key(ImDrawList& list, std::uint64_t key) {
  list.AddCallback(ImDrawCallback_ResetRenderState, as_id<void*>(static_cast<std::uintptr_t>(key)));
}

}  // namespace

void PictureKey::add(std::span<const std::byte> bytes) {
  value_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), value_);
}

void add_drawing(ImDrawList& list, ImDrawCallback render, void* who, std::uint64_t key) {
  list.AddCallback(render, who);
  add_key(list, key);
}

std::uint64_t picture_key(const TimelineRenderer& renderer, const TimeView& view,
                          std::span<const LaneDraw> lanes, const PixelArea& area) {
  PictureKey key;
  key.add(renderer.version(), view.begin_ns, view.ns_per_px, view.width_px);
  key.add(area.x, area.y, area.width, area.height, area.pinned_height);
  for (const LaneDraw& lane : lanes)
    key.add(static_cast<int>(lane.kind), lane.index, lane.top_px, lane.height_px, lane.pinned);
  return key.value();
}

void add_image(ImDrawList& list, const PixelTexture& texture, ImVec2 left_top, ImVec2 right_bottom) {
  list.AddImage(as_id<ImTextureID>(texture.id()), left_top, right_bottom);
  PictureKey key;
  key.add(texture.id(), texture.version());
  add_key(list, key.value());
}

std::uint64_t picture_key(const ImDrawList& list) {
  PictureKey key;
  key.add(std::as_bytes(std::span(list.VtxBuffer.Data, static_cast<std::size_t>(list.VtxBuffer.Size))));
  for (const ImDrawCmd& command : list.CmdBuffer) {
    key.add(command.ClipRect.x, command.ClipRect.y, command.ClipRect.z, command.ClipRect.w, command.ElemCount,
            command.UserCallbackData);
  }
  return key.value();
}

std::uint64_t picture_key(const ImDrawData& frame) {
  PictureKey key;
  key.add(frame.DisplaySize.x, frame.DisplaySize.y, frame.FramebufferScale.x);
  for (int i = 0; i < frame.CmdListsCount; ++i) key.add(picture_key(*frame.CmdLists[i]));
  return key.value();
}

}  // namespace kino
