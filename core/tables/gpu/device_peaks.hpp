// Peak rates of devices, by exact name and number type.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/messages/message.hpp"

namespace kino {

struct Trace;

/// Peak rate of dense matrix products.
struct DevicePeak {
  double tflop_per_s = 0;
  Message source;     ///< origin of the figure
  bool tf32 = false;  ///< whether it is the rate of TF32, although the type is `float`
};

/// Returns the peak for a device as named by the driver ("NVIDIA H100 80GB HBM3"; older drivers omit
/// "NVIDIA"). `dtype` is a type as named by PyTorch (float, c10::Half, c10::BFloat16, c10::Float8_e4m3fn,
/// c10::Float4_e2m1fn_x2). `float` means TF32 if the device supports it. If a device has two rates, the rate
/// with float32 accumulation is returned, since PyTorch requests this accumulation. In the MI200 series, a
/// device is one die. Returns nullopt for names that are not listed exactly and for unsupported types.
std::optional<DevicePeak> device_peak(std::string_view device, std::string_view dtype);

/// Returns the name of the trace's devices. Empty if the trace contains no name or several different names,
/// since the device that computed is then unknown. O(devices).
std::string_view only_device_name(const Trace& trace);

/// Whether the device is a listed NVIDIA device; all of these have Tensor Cores.
bool has_tensor_cores(std::string_view device);

}  // namespace kino
