// Measures the computations of the pages for layers and for the ledger on an opened trace.
#pragma once

#include <filesystem>
#include <vector>

namespace kino_test {

struct LayersBenchOptions {
  std::filesystem::path folder;  ///< for decompressed texts and generated traces
  std::vector<double> millions;  ///< sizes of generated traces, in millions of slices
  int runs = 5;
  bool csv = false;
};

/// Folds the layers and computes the ledger of a file and of generated traces with repeated layers. `file`
/// may be empty. Prints a table with one row per trace. Returns false if a trace cannot be written or opened.
bool run_layers_bench(const std::filesystem::path& file, const LayersBenchOptions& options);

}  // namespace kino_test
