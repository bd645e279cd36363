#include "app/pages/timeline/flow_view.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/pages/timeline/flow_arrows.hpp"
#include "app/ui/commands/commands.hpp"

namespace kino {

void FlowView::handle_keys(TimelineState& state, bool keyboard) {
  if (!keyboard) return;
  if (command_pressed(CommandId::toggle_flows)) all_in_view_ = !all_in_view_;
  const SliceId selected = state.selection.slice;
  if (selected == kNoSlice) return;
  const auto go = [&](SliceId (*follow)(const Trace&, SliceId)) {
    const SliceId end = follow(*state.trace, selected);
    if (end != kNoSlice) state.choose({end, kNoInstant}, true);
  };
  if (command_pressed(CommandId::follow_flow)) go(follow_flow_forward);
  if (command_pressed(CommandId::follow_flow_back)) go(follow_flow_backward);
}

void FlowView::handle_pills(TimelineState& state, const std::optional<Box>& avoided, double delta_seconds) {
  const SliceId clicked = outline_.handle(state, avoided, delta_seconds);
  if (clicked != kNoSlice) state.choose({clicked, kNoInstant}, true);
}

void FlowView::update_chain(const TimelineState& state) {
  if (chain_of_ == state.selection.slice) return;
  constexpr std::size_t kMostOfSelection = 64;
  chain_of_ = state.selection.slice;
  chain_ = chain_of_ == kNoSlice ? FlowArrows{} : chain_of(*state.trace, chain_of_, kMostOfSelection);
}

void FlowView::update_in_view(const TimelineState& state) {
  const TimeView& view = state.navigation.view();
  std::vector<LaneDraw> lanes;
  state.layout.visible_lanes(state.shown_scroll(), state.boxes.tracks.height(), lanes);
  std::vector<RowId> rows;
  const ShownRows shown = state.rows();
  std::vector<std::uint32_t> packed;  // processes with visible packed streams
  for (const LaneDraw& lane : lanes) {
    if (lane.kind != LaneDraw::Kind::slices) continue;
    const RowId row{lane.index};
    if (!shown.is_packed(row)) {
      rows.push_back(row);
      continue;
    }
    const std::uint32_t process = shown.track_at(index_of(shown.row_at(row).track)).process;
    if (std::ranges::find(packed, process) == packed.end()) packed.push_back(process);
  }
  for (const std::uint32_t process : packed) shown.add_stream_rows(process, rows);
  if (view == seen_view_ && rows == seen_rows_) return;
  constexpr std::size_t kMostInView = 200;
  constexpr double kFarNs = 9.0e18;
  const auto bounded = [&](double ns) { return static_cast<std::int64_t>(std::clamp(ns, -kFarNs, kFarNs)); };
  in_view_ =
      arrows_in_view(*state.trace, rows, {bounded(view.begin_ns), bounded(view.end_ns())}, kMostInView);
  seen_view_ = view;
  seen_rows_ = std::move(rows);
}

void FlowView::draw(ImDrawList& list, const TimelineState& state, const Theme& theme) {
  update_chain(state);
  if (all_in_view_) {
    update_in_view(state);
    draw_flow_arrows(list, state, in_view_, true, theme);
  } else if (!chain_.arrows.empty()) {
    draw_flow_arrows(list, state, chain_, false, theme);
  }
  const SliceId hovered = state.hovered.event.slice;
  if (outline_.outdated(hovered)) {
    outline_.set(hovered, hovered == kNoSlice ? ConnectedSlices{} : connected_slices(*state.trace, hovered));
  }
  outline_.draw(list, state, theme);
}

}  // namespace kino
