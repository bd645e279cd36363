// An export of Nsight Systems (`nsys export --type sqlite`) as events of a trace, as Kineto would have
// written them.
#pragma once

#include <optional>

#include "core/base/result.hpp"
#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

/// Whether its tables are those of Nsight Systems.
bool is_nsight(const Database& database);

/// Kernels, copies, memsets, whole graphs, calls, waits, NVTX ranges with what of the GPU was launched in
/// them, operating system calls, sampled stacks, turns on CPUs, counters, memory; what the recorder warned of
/// and what is left out stand as notes (category kRecorderNote). Schemas 2.9 (2021) to 3.27 (2026). O(rows
/// log rows).
std::optional<Error> transcribe_nsight(const Database& database, const Transcription& to);

}  // namespace kino
