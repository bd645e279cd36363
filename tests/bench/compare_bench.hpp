// Measures the comparison of two opened runs: the records of both, and the comparison itself.
#pragma once

#include <filesystem>

namespace kino_test {

struct CompareBenchOptions {
  std::filesystem::path folder;  ///< for decompressed texts
  int runs = 5;
  bool csv = false;
};

/// Compares a trace with itself and prints a table. Returns false if the trace cannot be opened.
bool run_compare_bench(const std::filesystem::path& file, const CompareBenchOptions& options);

}  // namespace kino_test
