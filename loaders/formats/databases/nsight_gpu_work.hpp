// GPU work in an Nsight export: kernels, copies, memsets, whole graphs, and waits.
#pragma once

#include <cstdint>

#include "loaders/formats/databases/nsight_recording.hpp"

namespace kino {

/// Call after the calls are written: work finds its launch and its NCCL call by their ids. Returns the number
/// of graphs recorded as a whole.
std::uint64_t transcribe_gpu_work(NsightRecording& recording);

}  // namespace kino
