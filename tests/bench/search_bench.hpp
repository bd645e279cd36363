// Measures searching: what each key of a typed word costs, and reading through a text for arguments.
#pragma once

#include <filesystem>

namespace kino_test {

struct SearchBenchOptions {
  std::filesystem::path folder;  ///< for decompressed texts
  int runs = 5;
  bool csv = false;
};

/// Prints the tables for a trace; false when it could not be opened.
bool run_search_bench(const std::filesystem::path& file, const SearchBenchOptions& options);

}  // namespace kino_test
