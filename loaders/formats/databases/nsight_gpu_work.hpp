// What ran on the GPUs by an Nsight export: kernels, copies, memsets, whole graphs, and waits.
#pragma once

#include <cstdint>

#include "loaders/formats/databases/nsight_recording.hpp"

namespace kino {

/// After the calls, by whose ids work finds its launches and what NCCL said of it. Returns how many graphs
/// were recorded as a whole.
std::uint64_t transcribe_gpu_work(NsightRecording& recording);

}  // namespace kino
