// The limits of a device that bound a kernel: peak by type of number, memory bandwidth, and size of the L2
// cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/tables/gpu/device_peaks.hpp"

namespace kino {

/// Limits of one device. Unknown limits are 0.
struct DeviceRoofs {
  std::string_view device;  ///< name as reported by the driver; empty if the trace has none, or several
  double bytes_per_ns = 0;  ///< memory bandwidth in the data sheet; the number is that of GB/s
  double l2_bytes = 0;
  bool assumed = false;  ///< whether the name fits several boards, so that the peaks are those of the usual
                         ///< board

  /// Returns the dense peak of a type (name as PyTorch writes it), in FLOP per ns. 0 if it is unknown.
  double flop_per_ns(std::string_view dtype) const;
  /// Returns the peak in TFLOP/s with its source. nullopt if it is unknown.
  std::optional<DevicePeak> peak(std::string_view dtype) const;
};

struct Trace;

/// Returns the limits of the trace's devices. "NVIDIA H100" without a model has the peaks of the SXM board
/// and no bandwidth. O(devices).
DeviceRoofs device_roofs(const Trace& trace);
DeviceRoofs device_roofs(std::string_view device);

}  // namespace kino
