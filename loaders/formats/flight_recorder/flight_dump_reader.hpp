// One dump of NCCL's flight recorder, pickled or as JSON.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/job/flight/flight_dump.hpp"

namespace kino {

/// Whether a file that begins like this is a dump: its keys tell.
bool looks_like_flight_dump(std::string_view head);

/// The number at the end of a file's name ("nccl_trace_rank_12", "_dump_3", "dump_7.json"); -1 without.
std::int64_t rank_in_dump_name(std::string_view name);

/// `content` is all of the file, `name` what it is called. Entries and frames that no job has are left out
/// from a bound on. Error when it is no dump, or would run code.
Result<FlightDump> read_flight_dump(std::string& content, std::string_view name, const std::stop_token& stop);

}  // namespace kino
