// Reads the GPU work in an Nsight export: kernels, copies, memsets, whole graphs, and waits.
#pragma once

#include <cstdint>

#include "loaders/formats/databases/nsight_recording.hpp"

namespace kino {

/// Writes the GPU work. Call after the CUDA API and NCCL calls were written, whose ids link the work to its
/// launch and its NCCL call. Returns the number of executions of graphs that were recorded as a whole.
std::uint64_t transcribe_gpu_work(NsightRecording& recording);

}  // namespace kino
