// What Nsight Systems counted on GPUs: their metrics as counters, and allocations of CUDA memory.
#pragma once

#include <cstdint>

#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/databases/recorded_processes.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

/// GPU_METRICS as counters of a process "GPU n metrics" each. Returns how many values lack a name in
/// TARGET_INFO_GPU_METRICS and are left out.
std::uint64_t transcribe_metrics(const Database& database, const Transcription& to);

/// CUDA_GPU_MEMORY_USAGE_EVENTS of device memory, as Kineto has allocations of PyTorch.
void transcribe_device_memory(const Database& database, const Transcription& to,
                              RecordedProcesses& processes);

}  // namespace kino
