// The drawer under a snapshot's plot: the selected allocation, and what can be trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/allocation_texts.hpp"
#include "app/snapshot_state.hpp"
#include "app/source_editor.hpp"
#include "app/theme.hpp"
#include "core/snapshot.hpp"

namespace kino {

/// The selected allocation's facts and its stack, libraries folded. UI thread only.
class AllocationDetails {
 public:
  explicit AllocationDetails(std::function<void()> wake) : editor_(std::move(wake)) {}

  /// Into the current window. `color` is that of its bands.
  void draw(const SnapshotState& state, std::uint32_t color, const Theme& theme);
  /// The frame that says most of the selected allocation in the person's editor, where it is a file's.
  void open_source(const SnapshotState& state);

 private:
  void draw_facts(const SnapshotState& state, std::uint32_t color, const Theme& theme) const;
  void draw_stack(const SnapshotState& state, const Theme& theme);

  void draw_frame(const SnapshotState& state, FrameId id, std::uint32_t color, const Theme& theme);

  SourceEditor editor_;
  AllocationId shown_ = kNoAllocation;
  std::size_t device_ = 0;
  std::vector<StackPart> parts_;
  std::set<std::uint32_t> unfolded_;
};

/// What is missing or doubtful in the recording of the device, in sentences, and damage of the file.
void draw_snapshot_trust(const SnapshotState& state, const Theme& theme);

}  // namespace kino
