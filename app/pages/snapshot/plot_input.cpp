#include "app/pages/snapshot/plot_input.hpp"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/ui/widgets/panel_parts.hpp"

namespace kino {
namespace {

// Moves the cursor while the mouse is dragged along the ruler.
void handle_ruler(SnapshotState& state) {
  place_button("ruler", state.boxes.ruler);
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (!ImGui::IsItemActive()) return;
  const float x = std::clamp(ImGui::GetIO().MousePos.x, state.boxes.ruler.left, state.boxes.ruler.right);
  const EventIndex event =
      state.axis().event_at(state.navigation.view().ns_from_px(x - state.boxes.ruler.left));
  if (event != kNoMoment) state.cursor = event;
}

void click(SnapshotState& state, const MemoryPlot& plot, ImVec2 mouse) {
  const MemoryPlot::Pick pick = plot.pick(state, mouse);
  if (pick.moment == kNoMoment) return;
  state.cursor = pick.moment;
  state.select(pick.allocation);
  if (ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] >= 2) state.fit_selection();
}

void handle_wheel(SnapshotState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  const Box area{state.boxes.all.left, state.boxes.ruler.top, state.boxes.all.right, state.boxes.plot.bottom};
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) return;
  if (!area.contains(io.MousePos.x, io.MousePos.y)) return;
  const double notch_px = state.boxes.plot.width() * kWheelPanShare;
  if (io.MouseWheelH != 0) state.navigation.pan_px(-io.MouseWheelH * notch_px);
  if (io.MouseWheel == 0) return;
  const bool over_bytes = io.MousePos.x < state.boxes.plot.left;
  if (io.KeyCtrl || over_bytes) {
    const double share = (state.boxes.plot.bottom - io.MousePos.y) / state.boxes.plot.height();
    state.bytes.zoom_at(std::clamp(share, 0.0, 1.0), std::pow(kWheelZoom, io.MouseWheel));
  } else if (io.KeyShift) {
    state.navigation.pan_px(-io.MouseWheel * notch_px);
  } else {
    const double anchor =
        std::clamp<double>(io.MousePos.x - state.boxes.plot.left, 0, state.boxes.plot.width());
    state.navigation.zoom_at(anchor, std::pow(kWheelZoom, io.MouseWheel));
  }
}

}  // namespace

void PlotInput::handle_splitter(SnapshotState& state) {
  if (!state.drawer.open || state.drawer.fills()) return;
  const float half = state.px(kSplitterPx) / 2;
  const float edge = state.boxes.drawer.top;
  place_button("splitter", {state.boxes.drawer.left, edge - half, state.boxes.drawer.right, edge + half});
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (!ImGui::IsItemActive()) return;
  const float below = std::max(0.0F, state.boxes.all.bottom - ImGui::GetIO().MousePos.y);
  state.drawer.set_height(below / state.scale);
}

void PlotInput::handle(SnapshotState& state, const MemoryPlot& plot) {
  handle_ruler(state);
  handle_plot(state, plot);
  handle_wheel(state);
}

void PlotInput::handle_plot(SnapshotState& state, const MemoryPlot& plot) {
  place_button("plot", state.boxes.plot,
               ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  if (ImGui::IsItemActivated()) {
    dragging_ = false;
    dragged_x_ = dragged_y_ = 0;
  }
  const bool over = ImGui::IsItemHovered();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemActive()) {
    const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left);
    const ImGuiMouseButton button = left ? ImGuiMouseButton_Left : ImGuiMouseButton_Middle;
    dragging_ = dragging_ || ImGui::IsMouseDragging(button, kDragPx * state.scale);
    if (dragging_) {
      const ImVec2 delta = ImGui::GetMouseDragDelta(button, 0);
      if (delta.x != dragged_x_) state.navigation.drag_px(dragged_x_ - delta.x);
      if (delta.y != dragged_y_ && !state.bytes.fitted())
        state.bytes.pan((delta.y - dragged_y_) / state.boxes.plot.height());
      dragged_x_ = delta.x;
      dragged_y_ = delta.y;
    }
  } else if (ImGui::IsItemDeactivated() && !dragging_ && over &&
             ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
    click(state, plot, mouse);
  }
  if (!ImGui::IsItemActive() && !ImGui::IsItemDeactivated()) dragging_ = false;
  const MemoryPlot::Pick pick = over && !dragging_ ? plot.pick(state, mouse) : MemoryPlot::Pick{};
  state.hovered = pick.allocation;
  state.hovered_moment = pick.moment;
}

void PlotInput::note_mouse(const SnapshotState& state) {
  mouse_time_ns_.reset();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Box timed{state.boxes.ruler.left, state.boxes.ruler.top, state.boxes.ruler.right,
                  state.boxes.plot.bottom};
  if (!state.axis().by_time() || !timed.contains(mouse.x, mouse.y)) return;
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) return;
  mouse_time_ns_ = state.navigation.view().ns_from_px(mouse.x - state.boxes.plot.left);
}

}  // namespace kino
