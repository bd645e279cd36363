// Measures opening allocator snapshots, each time in a new process.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "tests/bench/load_bench.hpp"

namespace kino_test {

/// Prints a table of the files. Without files it generates a snapshot with `entries` allocator events.
/// Returns false on failure.
bool run_snapshot_bench(std::vector<std::filesystem::path> files, std::size_t entries,
                        LoadBenchOptions options);

/// Runs in the new process: opens the file and prints its figures as lines of "name number". Returns an exit
/// code.
int run_snapshot_child(const std::filesystem::path& file);

}  // namespace kino_test
