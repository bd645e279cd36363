// Counters of outstanding collectives for the trace of a rank, from its flight recorder dump.
#pragma once

#include <stop_token>
#include <string_view>

#include "core/job/flight/flight_dump.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns whether trace and dump are of one rank and overlap in time: the trace's header has the dump's
/// rank, both have Unix times, and the trace overlaps the dump's entries, the last of which ends at
/// `until_unix_ns`.
bool is_same_run(const Trace& trace, const FlightDump& dump, std::int64_t until_unix_ns);

/// Returns one counter, shown above the streams of the first GPU, in the trace's ns. An operation counts from
/// its enqueue until the watchdog saw it completed, or to the end. Completed operations without a time of
/// completion are left out. The track's name contains `file`. Empty unless is_same_run().
/// O(entries log entries + tracks).
CounterTracks flight_counters(const Trace& trace, const FlightDump& dump, std::int64_t until_unix_ns,
                              std::string_view file, const std::stop_token& stop = {});

}  // namespace kino
