// Counters of outstanding collectives for the trace of a rank, from its flight recorder dump.
#pragma once

#include <stop_token>
#include <string_view>

#include "core/job/flight/flight_dump.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns whether a trace and a dump are from the same rank and overlap in time: the trace's header has the
/// dump's rank, and both have Unix times. The trace must overlap the time from the dump's first entry to
/// `until_unix_ns`.
bool is_same_run(const Trace& trace, const FlightDump& dump, std::int64_t until_unix_ns);

/// Returns one counter, shown above the streams of the first GPU, in the trace's ns. An operation is
/// outstanding from its enqueue until the watchdog saw its completion, or to the end of the counter.
/// Operations without a time of enqueue, and completed operations without a time of completion, are left out.
/// The track's name contains `file`. Empty unless is_same_run(). O(entries log entries + tracks).
CounterTracks flight_counters(const Trace& trace, const FlightDump& dump, std::int64_t until_unix_ns,
                              std::string_view file, const std::stop_token& stop = {});

}  // namespace kino
