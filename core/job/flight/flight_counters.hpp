// What a flight recorder tells a trace of the same rank: how many of its operations were outstanding when.
#pragma once

#include <stop_token>
#include <string_view>

#include "core/job/flight/flight_dump.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Of one rank and of one time: the trace's header tells the dump's rank, both have Unix times, and the trace
/// shares a part of them with the dump's entries, which count up to `until_unix_ns`.
bool of_one_run(const Trace& trace, const FlightDump& dump, std::int64_t until_unix_ns);

/// One counter above the first GPU's streams, in the trace's ns: operations from when they were enqueued
/// until the watchdog saw them completed, those that never were for good. What was completed at a time that
/// the dump does not tell is left out. `file` is named by the track. Empty unless of_one_run(). Of no use
/// when stopped. O(entries log entries + tracks).
CounterTracks flight_counters(const Trace& trace, const FlightDump& dump, std::int64_t until_unix_ns,
                              std::string_view file, const std::stop_token& stop = {});

}  // namespace kino
