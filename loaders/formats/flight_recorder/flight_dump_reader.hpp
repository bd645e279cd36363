// Reads a dump of NCCL's flight recorder, as pickle or JSON.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/job/flight/flight_dump.hpp"

namespace kino {

/// Returns whether the first bytes of a file contain the keys of a dump.
bool looks_like_flight_dump(std::string_view head);

/// Returns the number at the end of a file name, or before its first dot: "nccl_trace_rank_12", "_dump_3",
/// "dump_7.json". Returns -1 if there is none.
std::int64_t rank_in_dump_name(std::string_view name);

/// Reads a dump. `content` is the whole file, `name` its name. The name provides the rank if the dump does
/// not contain it. Skips entries, frames and groups beyond fixed limits. Returns an error if the file is not
/// a dump or is damaged, or if its pickle would execute code.
Result<FlightDump> read_flight_dump(std::string& content, std::string_view name, const std::stop_token& stop);

}  // namespace kino
