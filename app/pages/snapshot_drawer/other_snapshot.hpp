// Another open document with a snapshot, passed to a panel for one frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "app/pages/memory_plot/snapshot_state.hpp"

namespace kino {

struct OtherSnapshot {
  std::uint64_t document = 0;  ///< Document::serial()
  std::string title;           ///< title of the document's tab
  const SnapshotState* shown = nullptr;
  /// Highlights an allocation in the other document, like a click on a row there.
  std::function<void(std::size_t device, AllocationId allocation)> select;
};

/// Returns the device of the other snapshot with the same kind and ordinal; if there is none, the device that
/// is shown there.
inline std::size_t matching_device(const SnapshotDevice& device, const SnapshotState& other) {
  const auto& devices = other.snapshot->devices;
  const auto same = std::ranges::find_if(devices, [&](const SnapshotDevice& candidate) {
    return candidate.host == device.host && candidate.ordinal == device.ordinal;
  });
  return same == devices.end() ? other.device_index() : static_cast<std::size_t>(same - devices.begin());
}

}  // namespace kino
