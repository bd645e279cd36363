// Draws each pass through repeated layers as one block over its slices, until the view is near enough to read
// layers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/system/background_result.hpp"
#include "app/ui/layers/shown_blocks.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/layers/layer_fold.hpp"
#include "core/tables/layers/pass_blocks.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The folded passes of a trace. UI thread only; layers are found once on the pool, when they are first
/// folded.
class FoldedPasses {
 public:
  FoldedPasses(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
      : trace_(std::move(trace)), pool_(pool), wake_(std::move(wake)) {}

  /// `emphasizes`: whether some slices are emphasized. They must remain visible, so nothing is folded.
  void update(const TimelineState& state, bool emphasizes);
  bool complete() const { return !found_.running(); }
  /// Finds the block under the mouse and sets TimelineState::mouse_on_block. Call before the input of the
  /// tracks.
  void note_mouse(TimelineState& state);
  /// Zooms to the block that was clicked. Call after the input of the tracks.
  void follow_click(TimelineState& state);
  /// Draws the blocks, and a note while there is nothing to fold. O(width) per visible track.
  void draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const;
  /// Shows the tooltip of the block under the mouse.
  void draw_card(const TimelineState& state) const;

  /// The folded blocks in view; empty while nothing is folded.
  std::vector<ShownBlock> shown(const TimelineState& state) const;
  std::string label_of(const PassBlock& block) const;
  /// The sentence that is shown while nothing can be folded; empty if there is none.
  std::string note() const;

 private:
  struct Found {
    FoldedTrace folded;  // without kernels and copies
    PassBlocks blocks;
  };

  const Found* found() const { return found_.value() != nullptr ? found_.value()->get() : nullptr; }
  void draw_block(ImDrawList& list, const TimelineState& state, const ShownBlock& shown,
                  const Theme& theme) const;
  void draw_marks(ImDrawList& list, const TimelineState& state, const ShownBlock& shown,
                  const Theme& theme) const;
  void draw_note(ImDrawList& list, const TimelineState& state, const Theme& theme) const;

  std::shared_ptr<const Trace> trace_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<std::shared_ptr<const Found>> found_;
  bool wanted_ = false;
  bool unfolded_ = false;  // because slices are emphasized
  std::optional<PassBlock> hovered_;
};

}  // namespace kino
