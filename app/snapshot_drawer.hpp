// The drawer under a snapshot's plot: the selected allocation, out-of-memory errors, what can be trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <imgui.h>

#include "app/allocation_texts.hpp"
#include "app/background_result.hpp"
#include "app/snapshot_state.hpp"
#include "app/theme.hpp"
#include "core/snapshot.hpp"

namespace kino {

/// The selected allocation's facts and its stack, libraries folded. UI thread only.
class AllocationDetails {
 public:
  /// Into the current window. `color` is that of its bands.
  void draw(const SnapshotState& state, std::uint32_t color, const Theme& theme);

 private:
  void draw_facts(const SnapshotState& state, std::uint32_t color, const Theme& theme) const;
  void draw_stack(const SnapshotState& state, const Theme& theme);

  AllocationId shown_ = kNoAllocation;
  std::size_t device_ = 0;
  std::vector<StackPart> parts_;
  std::set<std::uint32_t> unfolded_;
};

/// What the allocator had when it could not give what was asked.
struct OomReport {
  EventIndex event = kBeforeRecording;
  std::uint64_t asked = 0;
  std::uint64_t device_free = 0;  ///< outside of the allocator, as the driver said
  std::uint64_t active = 0;
  Fragmentation memory;
};
/// Of the events, which are OOMs of the device. O(live * log live) each; fewer when stopped.
std::vector<OomReport> oom_reports(const SnapshotDevice& device, const std::vector<EventIndex>& events,
                                   const std::stop_token& stop);

/// UI thread only.
class OomPanel {
 public:
  OomPanel(std::shared_ptr<const Snapshot> snapshot, WorkerPool& pool, std::function<void()> wake)
      : snapshot_(std::move(snapshot)), pool_(pool), wake_(std::move(wake)) {}

  /// `ooms` of the device that is shown. Returns the one whose moment is asked for.
  std::optional<EventIndex> draw(const SnapshotState& state, const std::vector<EventIndex>& ooms,
                                 const Theme& theme);
  bool complete() const { return !reports_.running(); }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::size_t device_ = ~std::size_t{0};
  BackgroundResult<std::vector<OomReport>> reports_;
};

/// What is missing or doubtful in the recording of the device, in sentences, and damage of the file.
void draw_snapshot_trust(const SnapshotState& state, const Theme& theme);

}  // namespace kino
