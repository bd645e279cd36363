// What `kinetoscope query` is asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace kino {

struct QueryRequest {
  std::string sql;                     ///< "-": the standard input
  std::filesystem::path sql_file;      ///< instead of `sql`; empty: none
  std::string format;                  ///< empty: table
  std::optional<std::uint64_t> limit;  ///< of rows; 0: all
  double seconds = 60;
  std::uint64_t memory_mb = 1024;
};

}  // namespace kino
