// Flight recorder dumps of a job that hung, with their analysis.
#pragma once

#include <string>
#include <vector>

#include "core/base/damage.hpp"
#include "core/job/flight/flight_dump.hpp"
#include "core/job/flight/hang_analysis.hpp"

namespace kino {

/// Dumps and analysis of one job. Immutable once published.
struct HangRecording {
  std::vector<FlightDump> dumps;      ///< sorted by rank
  std::vector<std::string> problems;  ///< one sentence per file that could not be read
  std::vector<std::string> beside;    ///< names of traces and snapshots in the same folder
  HangAnalysis analysis;
  DamageLog damage;
};

}  // namespace kino
