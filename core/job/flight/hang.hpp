// The dumps of a job that hung, and what they say together.
#pragma once

#include <string>
#include <vector>

#include "core/base/damage.hpp"
#include "core/job/flight/flight_dump.hpp"
#include "core/job/flight/hang_analysis.hpp"

namespace kino {

/// Immutable once published.
struct HangRecording {
  std::vector<FlightDump> dumps;      ///< by rank
  std::vector<std::string> problems;  ///< a sentence a file that could not be read
  std::vector<std::string> beside;    ///< names of traces and snapshots in the dumps' folder
  HangAnalysis analysis;
  DamageLog damage;
};

}  // namespace kino
