// Compares allocator snapshots of two runs: their peaks, by line and by category, and the gate for memory.
#pragma once

#include <optional>

#include "app/cli/diff/diff_command.hpp"

namespace kino {

/// Returns the exit code; nullopt if the first side is not a snapshot.
std::optional<int> run_snapshot_diff(const DiffCommand& command);

}  // namespace kino
