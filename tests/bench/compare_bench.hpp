// Measures what comparing two runs costs once they are open: the records of both, and the comparison.
#pragma once

#include <filesystem>

namespace kino_test {

struct CompareBenchOptions {
  std::filesystem::path folder;  ///< for decompressed texts
  int runs = 5;
  bool csv = false;
};

/// Prints a table for two opened copies of a trace; false when it could not be opened.
bool run_compare_bench(const std::filesystem::path& file, const CompareBenchOptions& options);

}  // namespace kino_test
