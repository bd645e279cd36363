#include "core/job/flight/flight_counters.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/job/unix_clock.hpp"

namespace kino {
namespace {

/// Returns the range from the first entry to `until_unix_ns`; nullopt if entries have no times.
std::optional<ClockRange> clock_of(const FlightDump& dump, std::int64_t until_unix_ns) {
  std::int64_t first = -1;
  for (const FlightEntry& entry : dump.entries) {
    if (entry.created_ns > 0 && (first < 0 || entry.created_ns < first)) first = entry.created_ns;
  }
  if (first < 0) return std::nullopt;
  return ClockRange{first, {0, std::max<std::int64_t>(until_unix_ns - first, 0) + 1}};
}

/// Returns the process of the first GPU stream, or the first process if there is none.
std::uint32_t place_of(const Trace& trace) {
  const auto stream = std::ranges::find_if(
      trace.tracks, [](const Track& track) { return track.kind == TrackKind::gpu_stream; });
  return stream == trace.tracks.end() ? 0 : stream->process;
}

}  // namespace

bool is_same_run(const Trace& trace, const FlightDump& dump, std::int64_t until_unix_ns) {
  if (trace.job.rank < 0 || trace.job.rank != dump.rank) return false;
  const std::optional<ClockRange> clock = clock_of(dump, until_unix_ns);
  return clock && is_same_clock(clock_of(trace), *clock);
}

CounterTracks flight_counters(const Trace& trace, const FlightDump& dump, std::int64_t until_unix_ns,
                              std::string_view file, const std::stop_token& stop) {
  if (trace.tracks.empty() || !is_same_run(trace, dump, until_unix_ns)) return {};
  std::map<std::int64_t, std::int64_t> changes;  // by Unix time
  for (const FlightEntry& entry : dump.entries) {
    if (stop.stop_requested()) return {};
    const bool over = entry.state == FlightState::completed;
    if (entry.created_ns <= 0 || (over && entry.completed_ns < entry.created_ns)) continue;
    ++changes[entry.created_ns];
    if (over) --changes[entry.completed_ns];
  }
  std::vector<CurvePoint> points;
  std::int64_t count = 0;
  for (const auto& [at, change] : changes) {
    if (change == 0) continue;
    count += change;
    points.push_back({saturating_subtract(at, trace.origin_unix_ns), static_cast<double>(count)});
  }
  if (points.empty()) return {};
  const std::uint32_t process = place_of(trace);
  std::vector<FoundCounter> found;
  found.push_back({DerivedCounter::outstanding,
                   process,
                   {trace.processes[process].first_track, false},
                   Message(msg::outstanding_collectives_of, file).str(),
                   std::string(file),
                   std::move(points)});
  return counter_tracks(std::move(found));
}

}  // namespace kino
