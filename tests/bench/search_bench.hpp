// Measures searches: each key stroke of a query, and a search in the arguments of all events.
#pragma once

#include <filesystem>

namespace kino_test {

struct SearchBenchOptions {
  std::filesystem::path folder;  ///< for decompressed texts
  int runs = 5;
  bool csv = false;
};

/// Measures searches in a trace and prints the times as tables. Returns false if the trace cannot be opened or
/// a search fails.
bool run_search_bench(const std::filesystem::path& file, const SearchBenchOptions& options);

}  // namespace kino_test
