// Converts an export of Nsight Systems (`nsys export --type sqlite`) to the events that Kineto would write.
#pragma once

#include <optional>

#include "core/base/result.hpp"
#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

/// Returns whether the tables were written by Nsight Systems.
bool is_nsight(const Database& database);

/// Writes the events. Types: kernels, copies, memsets, whole graphs, calls, waits, NVTX ranges with the GPU
/// work that they launched, operating system calls, sampled stacks, scheduling, counters, memory. Warnings of
/// the recorder and numbers of left-out rows become notes (category kRecorderNote). Supports schemas 2.9
/// (2021) to 3.27 (2026). O(rows log rows).
std::optional<Error> transcribe_nsight(const Database& database, const Transcription& to);

}  // namespace kino
