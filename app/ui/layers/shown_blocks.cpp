#include "app/ui/layers/shown_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kino {
namespace {

constexpr double kNarrowPx = 3;  // narrower blocks that touch are drawn as one

auto end_of(const PassBlock& block) { return block.range.end_ns; }

/// Vertical position of a block in the window; nullopt while its lane is hidden.
std::optional<Box> lanes_of_block(const TimelineState& state, const TrackBlocks& track,
                                  const PassBlock& block) {
  const TrackLayout& layout = state.layout;
  const RowId row{state.trace->track(track.track).first_row + block.lane};
  const LanePlace place = layout.place_of(row);
  if (place.item == nullptr) return std::nullopt;
  const TrackScroll scroll = state.shown_scroll();
  const double top = layout.y_of(*place.item, place.top_px, scroll);
  const double bottom = layout.y_of(*place.item, scroll) + place.item->lanes_top_px +
                        static_cast<double>(place.item->lane_px) * place.item->lanes_shown -
                        layout.measures().gap_px;
  const double height = (bottom - top) / block.levels;
  const double from = state.boxes.tracks.top + top + std::round(height * block.level);
  const double to = state.boxes.tracks.top + top + std::round(height * (block.level + 1));
  return Box{0, static_cast<float>(from), 0, static_cast<float>(to - (block.level + 1 < block.levels))};
}

/// Calls visit(track, level) for each level of the visible tracks that have blocks.
template <class Visit>
void visit_levels(const TimelineState& state, const PassBlocks& blocks, const Visit& visit) {
  state.layout.visit_visible(state.shown_scroll(), state.boxes.tracks.height(),
                             [&](const LayoutItem& item, double) {
                               if (item.kind != LayoutItem::Kind::track) return;
                               const TrackBlocks* track = blocks.find(TrackId{item.index});
                               if (track == nullptr) return;
                               for (const std::vector<PassBlock>& level : track->levels)
                                 visit(*track, level, item.pinned);
                             });
}

}  // namespace

bool is_folded(const PassBlock& block, const TimeView& view, double least_layer_px) {
  const double px = static_cast<double>(block.range.length_ns()) / view.ns_per_px;
  return px < least_layer_px * block.layers;
}

void add_folded_blocks(const std::vector<PassBlock>& level, const TimeView& view, double least_layer_px,
                       std::vector<ShownBlock>& out) {
  const std::size_t first = out.size();
  const auto ns_at = [&](double px) {
    constexpr double kFarthest = 9e18;
    return static_cast<std::int64_t>(std::clamp(view.ns_from_px(px), -kFarthest, kFarthest));
  };
  auto at = std::ranges::upper_bound(level, ns_at(0), {}, end_of);
  while (at != level.end()) {
    const double begin = view.px_from_ns(static_cast<double>(at->range.begin_ns));
    const double end = view.px_from_ns(static_cast<double>(at->range.end_ns));
    if (begin >= view.width_px) break;
    const auto left = static_cast<float>(std::floor(std::max(begin, -1.0)));
    const auto right = static_cast<float>(std::max(std::round(std::min(end, view.width_px + 1)), left + 1.0));
    const PassBlock& block = *at;
    const bool narrow = end - begin < kNarrowPx;
    // Further narrow blocks that end in the same px are not visible.
    at = narrow ? std::ranges::upper_bound(at + 1, level.end(), ns_at(right), {}, end_of) : at + 1;
    if (!is_folded(block, view, least_layer_px)) continue;
    const bool touches = narrow && out.size() > first && out.back().narrow &&
                         out.back().box.right >= left - 1 && out.back().block->levels == block.levels &&
                         out.back().block->lane == block.lane;
    if (touches) {
      out.back().box.right = std::max(out.back().box.right, right);
      ++out.back().count;
    } else {
      out.push_back({&block, 1, {left, 0, right, 0}, narrow, false});
    }
  }
}

std::vector<ShownBlock> shown_blocks(const TimelineState& state, const PassBlocks& blocks) {
  std::vector<ShownBlock> shown;
  visit_levels(state, blocks,
               [&](const TrackBlocks& track, const std::vector<PassBlock>& level, bool pinned) {
                 const std::size_t first = shown.size();
                 add_folded_blocks(level, state.navigation.view(), kLeastLayerPx * state.scale, shown);
                 std::size_t kept = first;
                 for (std::size_t i = first; i < shown.size(); ++i) {
                   const std::optional<Box> lanes = lanes_of_block(state, track, *shown[i].block);
                   if (!lanes) continue;
                   ShownBlock placed = shown[i];
                   placed.pinned = pinned;
                   placed.box = {state.boxes.tracks.left + placed.box.left, lanes->top,
                                 state.boxes.tracks.left + placed.box.right, lanes->bottom};
                   shown[kept++] = placed;
                 }
                 shown.resize(kept);
               });
  return shown;
}

const PassBlock* block_at(const TimelineState& state, const PassBlocks& blocks, float x, float y) {
  const TimeView& view = state.navigation.view();
  const auto ns = static_cast<std::int64_t>(view.ns_from_px(x - state.boxes.tracks.left));
  const PassBlock* found = nullptr;
  visit_levels(
      state, blocks, [&](const TrackBlocks& track, const std::vector<PassBlock>& level, bool pinned) {
        const auto at = std::ranges::upper_bound(level, ns, {}, end_of);
        if (at == level.end() || at->range.begin_ns > ns) return;
        if (!is_folded(*at, view, kLeastLayerPx * state.scale)) return;
        const std::optional<Box> lanes = lanes_of_block(state, track, *at);
        const TimelineState::Part part = state.part(pinned);
        const double inside = y - state.boxes.tracks.top;
        if (lanes && y >= lanes->top && y < lanes->bottom && inside >= part.top_px && inside < part.bottom_px)
          found = &*at;
      });
  return found;
}

TimeRange unfolding_range(const PassBlock& block, std::int64_t at_ns, double width_px,
                          double least_layer_px) {
  constexpr double kReserve = 1.2;  // beyond the limit, so that the layers remain unfolded
  const auto length = static_cast<double>(block.range.length_ns());
  const double most = length / block.layers * width_px / (least_layer_px * kReserve);
  if (length <= most) return block.range;
  const auto part = std::max<std::int64_t>(1, static_cast<std::int64_t>(most));
  const std::int64_t begin_ns = std::clamp(at_ns - part / 2, block.range.begin_ns, block.range.end_ns - part);
  return {begin_ns, begin_ns + part};
}

}  // namespace kino
