// The facts of the selected allocation, its stack, and the stack of its free.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/system/source_editor.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/tables/snapshot_categories.hpp"

namespace kino {

/// Draws the selected allocation. Adjacent library frames are folded until the user clicks them.
class AllocationDetails {
 public:
  explicit AllocationDetails(std::function<void()> wake) : editor_(std::move(wake)) {}

  /// Draws into the current window. `color` is the color of the allocation's bands. `categories` may be null.
  void draw(const SnapshotState& state, const AllocationCategories* categories, std::uint32_t color,
            const Theme& theme);
  /// Opens the innermost user frame of the selected allocation, or else the innermost Python frame, in the
  /// user's editor. Does nothing if the stack has neither.
  void open_source(const SnapshotState& state);

 private:
  void draw_facts(const SnapshotState& state, const AllocationCategories* categories, std::uint32_t color,
                  const Theme& theme) const;
  /// A stack, and the indices of the folded parts that the user has unfolded.
  struct ShownStack {
    StackId stack = kNoStack;
    std::vector<StackPart> parts;
    std::set<std::uint32_t> unfolded;
  };
  static ShownStack shown_stack(const Snapshot& snapshot, StackId stack) {
    return {stack, stack_parts(snapshot, stack), {}};
  }
  void draw_stacks(const SnapshotState& state, const Theme& theme);
  void draw_stack(const SnapshotState& state, ShownStack& shown, const char* title, bool first,
                  const Theme& theme);

  void draw_frame(const SnapshotState& state, FrameId id, std::uint32_t color, const Theme& theme);

  SourceEditor editor_;
  AllocationId shown_ = kNoAllocation;
  std::size_t device_ = 0;
  ShownStack stack_;
  ShownStack free_stack_;  // stack of the free; no stack if not recorded, or if stack_ is that of the free
};

}  // namespace kino
