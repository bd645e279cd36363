// What devices can compute at most, by their exact names and the type of numbers.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/messages/message.hpp"

namespace kino {

/// Of dense matrix products.
struct DevicePeak {
  double tflop_per_s = 0;
  Message source;  ///< where the figure is from
};

/// Of a device as the driver names it ("NVIDIA H100 80GB HBM3"; older drivers leave out "NVIDIA"), and of a
/// type as PyTorch writes it (float, c10::Half, c10::BFloat16, c10::Float8_e4m3fn, c10::Float4_e2m1fn_x2).
/// float is TF32 where the device has that; what accumulates in float32 where a device has two speeds, as
/// PyTorch asks for. Of the MI200 series it is one die, which is what the driver calls a device. Nothing for
/// names that are not listed exactly, and for types that the device does not multiply.
std::optional<DevicePeak> device_peak(std::string_view device, std::string_view dtype);

/// Whether it is a listed device of NVIDIA, which all have Tensor Cores.
bool has_tensor_cores(std::string_view device);

}  // namespace kino
