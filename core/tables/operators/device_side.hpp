// Facts on the devices in a recording, for tables of operators.
#pragma once

#include <stop_token>
#include <string>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the trace has GPU work. If it has none, the device time of operators is unknown instead of 0.
/// O(slices of GPU streams before the first work).
bool records_gpu_work(const Trace& trace);

/// Whether the program used a device: the trace has runtime calls or annotations on the GPU. O(slices).
bool used_device(const Trace& trace);

/// Returns a sentence on why device columns are empty. Empty if the trace has GPU work. O(slices).
Message no_device_note(const Trace& trace, const std::stop_token& stop = {});

/// Whether PyTorch's profiler recorded the trace. False for Intel's unitrace, which records runtime calls as
/// operators. O(slices).
bool recorded_by_pytorch(const Trace& trace);

/// Returns the word for the devices in PyTorch's tables: "CUDA" for GPUs of NVIDIA and AMD, "NPU", "TPU",
/// "XPU", ... for other devices. "GPU" if PyTorch did not record the trace and nothing shows NVIDIA devices.
/// O(slices).
std::string key_device_word(const Trace& trace);

}  // namespace kino
