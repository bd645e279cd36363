// Positions of the blocks of folded passes in the area of the tracks. Does not use ImGui.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/box.hpp"
#include "core/tables/layers/pass_blocks.hpp"
#include "core/trace/trace.hpp"
#include "render/time_view.hpp"

namespace kino {

/// If layers are narrower than this on average, their pass is folded. Px at scale 1.
inline constexpr double kLeastLayerPx = 30;

/// A block in view, or several narrow blocks that touch.
struct ShownBlock {
  const PassBlock* block = nullptr;  ///< the first one
  std::uint32_t count = 1;
  Box box;              ///< in the window; not clipped to the pinned or scrolled part
  bool narrow = false;  ///< too narrow for a gap to the next block
  bool pinned = false;  ///< whether the part of the pinned tracks clips it
};

/// Whether the layers of a block are too narrow to be shown.
bool is_folded(const PassBlock& block, const TimeView& view, double least_layer_px);

/// Appends the folded blocks of a level that are in `view`, with horizontal positions relative to the view's
/// left edge. O(blocks in view), and at most O(width log blocks).
void add_folded_blocks(const std::vector<PassBlock>& level, const TimeView& view, double least_layer_px,
                       std::vector<ShownBlock>& out);

/// Returns the folded blocks in the visible tracks.
std::vector<ShownBlock> shown_blocks(const TimelineState& state, const PassBlocks& blocks);

/// Returns the folded block at a position in the window, or null.
const PassBlock* block_at(const TimelineState& state, const PassBlocks& blocks, float x, float y);

/// Returns a range in which the layers of the block are unfolded: the whole block if it is short enough for a
/// view of `width_px`, else its part around `at_ns`.
TimeRange unfolding_range(const PassBlock& block, std::int64_t at_ns, double width_px, double least_layer_px);

}  // namespace kino
