// GPU counters of Nsight Systems: metrics, and allocations of CUDA memory.
#pragma once

#include <cstdint>

#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/databases/recorded_processes.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

/// Writes GPU_METRICS as counters, with one process "GPU n metrics" per GPU. Returns the number of values
/// that are left out because TARGET_INFO_GPU_METRICS has no name for them.
std::uint64_t transcribe_metrics(const Database& database, const Transcription& to);

/// Writes the rows of CUDA_GPU_MEMORY_USAGE_EVENTS for device memory and arrays as Kineto's allocation
/// events.
void transcribe_device_memory(const Database& database, const Transcription& to,
                              RecordedProcesses& processes);

}  // namespace kino
