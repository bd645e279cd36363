// Reads the dumps of a job that hung, one file per rank.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/job/flight/flight_dump.hpp"

namespace kino {

struct FlightDumps {
  std::vector<FlightDump> dumps;      ///< sorted by rank
  std::vector<std::string> problems;  ///< one sentence per unreadable file

  static constexpr std::size_t kMostFiles = 20'000;
  static constexpr std::size_t kMostFileBytes = std::size_t{512} << 20U;
};

/// Reads a folder of dumps; nullopt if it contains none, or none among its first 64 files. Follows symbolic
/// links. O(bytes of the dumps).
std::optional<FlightDumps> dumps_in_folder(const std::filesystem::path& folder, const std::stop_token& stop);

}  // namespace kino
