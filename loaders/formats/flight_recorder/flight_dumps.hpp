// The dumps of a job that hung, one file a rank.
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
  std::vector<FlightDump> dumps;      ///< by rank
  std::vector<std::string> problems;  ///< a sentence a file that could not be read

  static constexpr std::size_t kMostFiles = 20'000;
  static constexpr std::size_t kMostFileBytes = std::size_t{512} << 20U;
};

/// Of a folder whose files are dumps: at least one is, and none of the first ones is something else that
/// opens. Nothing for other folders. Symbolic links are followed. O(bytes of the dumps).
std::optional<FlightDumps> dumps_in_folder(const std::filesystem::path& folder, const std::stop_token& stop);

}  // namespace kino
