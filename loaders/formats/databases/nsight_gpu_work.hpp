// Reads the GPU work in an Nsight export: kernels, copies, memsets, whole graphs, and waits.
#pragma once

#include <cstdint>

#include "loaders/formats/databases/nsight_recording.hpp"

namespace kino {

/// Writes the GPU work. Call after the calls are written: their ids link work to its launch and its NCCL
/// call. Returns the number of graphs that were recorded as a whole.
std::uint64_t transcribe_gpu_work(NsightRecording& recording);

}  // namespace kino
