// Facts on the device side of a recording, for tables of operators.
#pragma once

#include <stop_token>
#include <string>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the trace has GPU work. Without any, the device time of an operator is unknown and not 0.
/// O(slices of GPU streams before the first work).
bool records_gpu_work(const Trace& trace);

/// Whether the program used a device: the trace has calls of a runtime, or times of annotations on a device.
/// O(slices).
bool used_device(const Trace& trace);

/// A sentence for tables of a trace without GPU work: why their device columns are empty. O(slices). Empty
/// with GPU work, and when stopped.
Message no_device_note(const Trace& trace, const std::stop_token& stop = {});

/// Whether PyTorch's profiler recorded the trace: it alone writes operators, Python functions and steps.
/// O(slices).
bool recorded_by_pytorch(const Trace& trace);

/// "CUDA", PyTorch's word for GPUs of NVIDIA and AMD; "GPU" for other makers or recorders; "NPU", "TPU", "XPU"
/// and so on for other devices. O(slices).
std::string key_device_word(const Trace& trace);

}  // namespace kino
