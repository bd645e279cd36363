// Reads a dump of NCCL's flight recorder, as pickle or JSON.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/job/flight/flight_dump.hpp"

namespace kino {

/// Detects a dump by the keys in its first bytes.
bool looks_like_flight_dump(std::string_view head);

/// Returns the number at the end of a file name ("nccl_trace_rank_12", "_dump_3", "dump_7.json"); -1 without
/// one.
std::int64_t rank_in_dump_name(std::string_view name);

/// `content` is the whole file, `name` its name. Skips entries and frames beyond fixed limits. Returns an
/// error if it is not a dump, or would execute code.
Result<FlightDump> read_flight_dump(std::string& content, std::string_view name, const std::stop_token& stop);

}  // namespace kino
