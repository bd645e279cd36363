// Another open document that shows a snapshot, as a panel gets to know of it for a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "app/pages/memory_plot/snapshot_state.hpp"

namespace kino {

struct OtherSnapshot {
  std::uint64_t document = 0;  ///< Document::serial()
  std::string title;           ///< of its tab
  const SnapshotState* shown = nullptr;
  /// Highlights an allocation of the device there, as the click on a row does.
  std::function<void(std::size_t device, AllocationId allocation)> select;
};

/// The other's device of the same number, else the one it shows.
std::size_t device_like(const SnapshotDevice& device, const SnapshotState& other);

}  // namespace kino
