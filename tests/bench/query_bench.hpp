// Measures common SQL queries on a trace and compares them with goals for 7.7 M slices on one core.
#pragma once

#include <filesystem>

namespace kino_test {

struct QueryBenchOptions {
  int runs = 5;
  bool csv = false;
};

/// Prints a table. Returns false if the trace cannot be opened or a query fails.
bool run_query_bench(const std::filesystem::path& file, const QueryBenchOptions& options);

}  // namespace kino_test
