// Allocator snapshots of two runs compared: their peaks, by line and by category, and the gate for memory.
#pragma once

#include <optional>

#include "app/cli/diff/diff_command.hpp"

namespace kino {

/// The exit code; nothing when the first side is no snapshot.
std::optional<int> run_snapshot_diff(const DiffCommand& command);

}  // namespace kino
