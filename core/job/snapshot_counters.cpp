#include "core/job/snapshot_counters.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/job/unix_clock.hpp"
#include "core/tables/operators/memory_table.hpp"

namespace kino {
namespace {

std::vector<CurvePoint> points_of(const SnapshotDevice& device, MemoryCurve which, const ClockFit& clock,
                                  const std::stop_token& stop) {
  const auto times = device.entries.time_us.span();
  std::vector<CurvePoint> points;
  std::int64_t at_us = 0;
  double highest = 0;
  double last = 0;
  const auto put = [&] {
    const double before = points.empty() ? 0 : points.back().value;
    const std::int64_t at_ns = clock.second_from_first((at_us - times.front()) * 1000);
    if (highest > std::max(before, last)) points.push_back({at_ns, highest});
    if (points.empty() || points.back().value != last) points.push_back({at_ns, last});
  };
  visit_curve(device, which, stop, [&](std::size_t event, std::uint64_t bytes) {
    if (event > 0 && times[event] != at_us) {
      put();
      highest = 0;
    }
    at_us = times[event];
    last = static_cast<double>(bytes);
    highest = std::max(highest, last);
  });
  put();
  return points;
}

}  // namespace

CounterTracks snapshot_counters(const Trace& trace, const Snapshot& snapshot, std::string_view file,
                                const std::stop_token& stop) {
  std::vector<FoundCounter> found;
  for (const SnapshotDevice& device : snapshot.devices) {
    const auto clock = unix_fit(device, trace);
    if (!clock || trace.tracks.empty()) continue;
    const std::uint32_t process = process_of_gpu(trace, device).value_or(0);
    const std::string memory =
        device.host ? std::string("host")
                    : memory_device_name(static_cast<std::uint32_t>(std::max(device.ordinal, 0)));
    const std::string about = memory + " · " + std::string(file);
    for (const auto& [kind, which, name] :
         {std::tuple{DerivedCounter::snapshot_active, MemoryCurve::requested, msg::requested_memory_of},
          std::tuple{DerivedCounter::snapshot_reserved, MemoryCurve::reserved, msg::reserved_memory_of}}) {
      found.push_back({kind,
                       process,
                       {trace.processes[process].first_track, false},
                       Message(name, about).str(),
                       about,
                       points_of(device, which, *clock, stop)});
      if (stop.stop_requested()) return {};
    }
  }
  return counter_tracks(std::move(found));
}

}  // namespace kino
