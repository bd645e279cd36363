// Compares the allocator snapshots of two runs: their peaks, by source line and by category, and conditions
// on memory.
#pragma once

#include <optional>

#include "app/cli/diff/diff_command.hpp"

namespace kino {

/// Runs the comparison and returns the exit code; nullopt if the first side is not a snapshot.
std::optional<int> run_snapshot_diff(const DiffCommand& command);

}  // namespace kino
