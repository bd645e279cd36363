// Measures opening allocator snapshots, each time in a fresh process.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "tests/bench/load_bench.hpp"

namespace kino_test {

/// Prints the table for the files, or for a snapshot with `entries` entries that is made when there are none;
/// false when one could not be made or opened.
bool run_snapshot_bench(std::vector<std::filesystem::path> files, std::size_t entries,
                        LoadBenchOptions options);

/// What the fresh process does: opens the file and prints its figures as lines of "name number". The exit
/// code.
int run_snapshot_child(const std::filesystem::path& file);

}  // namespace kino_test
