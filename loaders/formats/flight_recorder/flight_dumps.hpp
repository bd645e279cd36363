// Reads the dumps of a job that hung, one file per rank.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/job/flight/flight_dump.hpp"

namespace kino {

struct FlightDumps {
  std::vector<FlightDump> dumps;      ///< sorted by rank
  std::vector<std::string> problems;  ///< sentences about files that were left out

  static constexpr std::size_t kMostFiles = 20'000;
  static constexpr std::size_t kMostFileBytes = std::size_t{512} << 20U;
};

/// Reads the dumps in a folder. Returns nullopt if it contains none, if more than 64 other files precede the
/// first dump, or on a stop request. If a rank has several dumps, the last one by name counts. Follows
/// symbolic links, but skips files for which `may_open` returns false. O(bytes of the dumps).
std::optional<FlightDumps> dumps_in_folder(
    const std::filesystem::path& folder, const std::stop_token& stop,
    const std::function<bool(const std::filesystem::path&)>& may_open = {});

}  // namespace kino
