#include "app/ui/layers/folded_passes.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "app/ui/layers/layer_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/analysis/range_analysis.hpp"

namespace kino {

void FoldedPasses::update(const TimelineState& state, bool emphasizes) {
  const bool again = state.arrangement.layers_folded && !wanted_;
  wanted_ = state.arrangement.layers_folded;
  unfolded_ = emphasizes;
  found_.poll();
  if (!wanted_ || found() != nullptr || found_.running() || (found_.failed() && !again)) return;
  found_.start(pool_, wake_, [trace = trace_](const std::stop_token& stop) {
    auto made = std::make_shared<Found>();
    const RangeAnalysis parts(*trace, whole_range(*trace));
    made->folded = fold_layers(parts, LayerSource::none, stop);
    LayerFold& fold = made->folded.fold;
    made->blocks = pass_blocks(*trace, fold, stop);
    fold.kernels = {};
    for (LayerStack& stack : fold.stacks) stack.copies = {};
    return std::shared_ptr<const Found>(std::move(made));
  });
}

std::vector<ShownBlock> FoldedPasses::shown(const TimelineState& state) const {
  const bool folds = wanted_ && !unfolded_ && found() != nullptr;
  return folds ? shown_blocks(state, found()->blocks) : std::vector<ShownBlock>();
}

std::string FoldedPasses::label_of(const PassBlock& block) const {
  return block_label(found()->folded.fold.stacks[block.stack], block);
}

std::string FoldedPasses::note() const {
  if (!wanted_) return {};
  if (found_.failed()) return tr(Text::not_enough_memory);
  if (found() == nullptr) return tr(Text::layers_computing);
  const LayerFold& fold = found()->folded.fold;
  return fold.stacks.empty() ? in_language(msg::nothing_repeats_three_times) : std::string();
}

void FoldedPasses::note_mouse(TimelineState& state) {
  hovered_.reset();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (wanted_ && !unfolded_ && found() != nullptr && state.boxes.tracks.contains(mouse.x, mouse.y)) {
    const PassBlock* block = block_at(state, found()->blocks, mouse.x, mouse.y);
    if (block != nullptr) hovered_ = *block;
  }
  state.mouse_on_block = hovered_.has_value();
}

void FoldedPasses::follow_click(TimelineState& state) {
  if (!std::exchange(state.block_clicked, false) || !hovered_) return;
  constexpr double kMarginShare = 0.02;
  const TimeView& view = state.navigation.view();
  const auto mouse_ns =
      static_cast<std::int64_t>(view.ns_from_px(ImGui::GetIO().MousePos.x - state.boxes.tracks.left));
  state.navigation.fit(unfolding_range(*hovered_, mouse_ns, view.width_px, kLeastLayerPx * state.scale),
                       kMarginShare);
}

void FoldedPasses::draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const {
  const Box& tracks = state.boxes.tracks;
  for (const ShownBlock& block : shown(state)) {
    const TimelineState::Part part = state.part(block.pinned);
    const float top = tracks.top + static_cast<float>(part.top_px);
    const float bottom = tracks.top + static_cast<float>(part.bottom_px);
    if (block.box.bottom <= top || block.box.top >= bottom) continue;
    const bool cut = block.box.top < top || block.box.bottom > bottom;
    if (cut) list.PushClipRect({tracks.left, top}, {tracks.right, bottom}, true);
    draw_block(list, state, block, theme);
    if (cut) list.PopClipRect();
  }
  draw_note(list, state, theme);
}

void FoldedPasses::draw_block(ImDrawList& list, const TimelineState& state, const ShownBlock& shown,
                              const Theme& theme) const {
  const Box& box = shown.box;
  const float gap = shown.narrow ? 0 : std::max(1.0F, state.px(1));
  list.AddRectFilled({box.left, box.top}, {std::max(box.left + 1, box.right - gap), box.bottom},
                     block_color(shown.block->phase, theme));
  if (shown.narrow) return;
  draw_marks(list, state, shown, theme);
  const float em = ImGui::GetFontSize();
  const float left = std::max(box.left, state.boxes.tracks.left) + state.px(4);
  const float right = std::min(box.right, state.boxes.tracks.right) - state.px(4);
  if (box.height() < em || right - left < 2 * em) return;
  draw_elided(list, {left, std::floor((box.top + box.bottom - em) / 2)}, right - left, theme.text_on_slice,
              label_of(*shown.block));
}

/// Draws a mark at the bottom of the block for each odd layer, then for each slow one; at most one of each
/// per px.
void FoldedPasses::draw_marks(ImDrawList& list, const TimelineState& state, const ShownBlock& shown,
                              const Theme& theme) const {
  const TimeView& view = state.navigation.view();
  const Box& box = shown.box;
  const float top = std::floor(box.bottom - std::max(2.0F, box.height() * 0.25F));
  const float least = std::max(2.0F, state.px(2));
  const std::span<const PassMark> marks = found()->blocks.marks_of(*shown.block);
  const auto draw_all = [&](std::span<const PassMark> kind, std::uint32_t color) {
    for (auto at = kind.begin(); at != kind.end();) {
      const float left = std::max(box.left, std::floor(state.screen_x(at->range.begin_ns)));
      const float end = std::max(left + least, std::floor(state.screen_x(at->range.end_ns)));
      const float right = std::min(box.right - 1, end);
      if (left >= box.right) return;
      if (right > left) list.AddRectFilled({left, top}, {right, box.bottom}, color);
      const double next_ns = view.ns_from_px(std::max(left + 1, right) - state.boxes.tracks.left);
      at = std::partition_point(at + 1, kind.end(), [next_ns](const PassMark& mark) {
        return static_cast<double>(mark.range.begin_ns) < next_ns;
      });
    }
  };
  const std::size_t odd = marks.size() - shown.block->slow;
  draw_all(marks.first(odd), with_alpha(theme.text_on_slice, 0x90));
  draw_all(marks.subspan(odd), excess_color(theme));
}

void FoldedPasses::draw_note(ImDrawList& list, const TimelineState& state, const Theme& theme) const {
  const std::string words = note();
  if (words.empty()) return;
  const float em = ImGui::GetFontSize();
  const Box& tracks = state.boxes.tracks;
  const float width = std::min(text_width(words), tracks.width() - state.px(40));
  const Box box{tracks.right - state.px(12) - width - 2 * state.px(10),
                tracks.bottom - state.px(10) - 1.8F * em, tracks.right - state.px(12),
                tracks.bottom - state.px(10)};
  list.AddRectFilled(left_top(box), right_bottom(box), theme.panel, state.px(4));
  list.AddRect(left_top(box), right_bottom(box), theme.border, state.px(4));
  draw_elided(list, {box.left + state.px(10), std::floor(box.top + 0.4F * em)}, width + 1, theme.text, words);
}

void FoldedPasses::draw_card(const TimelineState& state) const {
  if (!hovered_ || !state.mouse_on_block) return;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseDown(ImGuiMouseButton_Middle)) return;
  if (!ImGui::IsWindowHovered()) return;
  wrapped_tooltip(block_description(found()->folded.fold.stacks[hovered_->stack], *hovered_));
}

}  // namespace kino
