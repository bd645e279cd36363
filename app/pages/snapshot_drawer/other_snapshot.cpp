#include "app/pages/snapshot_drawer/other_snapshot.hpp"

#include <algorithm>

namespace kino {

std::size_t device_like(const SnapshotDevice& device, const SnapshotState& other) {
  const auto& devices = other.snapshot->devices;
  const auto same = std::ranges::find_if(devices, [&](const SnapshotDevice& it) {
    return it.host == device.host && it.ordinal == device.ordinal;
  });
  return same == devices.end() ? other.device_index() : static_cast<std::size_t>(same - devices.begin());
}

}  // namespace kino
