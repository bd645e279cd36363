#include "core/job/unix_clock.hpp"

#include <algorithm>
#include <string>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

std::int64_t unix_begin_of(const ClockRange& clock) {
  return saturating_add(clock.origin_unix_ns, clock.content.begin_ns);
}

bool has_unix_times(const ClockRange& clock) {
  constexpr std::int64_t kYear2000 = 946'684'800'000'000'000;
  constexpr std::int64_t kYear2100 = 4'102'444'800'000'000'000;
  return unix_begin_of(clock) >= kYear2000 && unix_begin_of(clock) < kYear2100;
}

}  // namespace

ClockRange clock_of(const Trace& trace) { return {trace.origin_unix_ns, trace.content}; }

std::optional<ClockRange> clock_of(const SnapshotDevice& device) {
  const auto times = device.entries.time_us.span();
  constexpr std::int64_t kLongestUs = std::int64_t{1} << 50;
  constexpr std::int64_t kLatestUs = INT64_MAX / 1000;
  if (times.empty() || device.trust.time_backwards > 0) return std::nullopt;
  if (times.front() < 0 || times.front() == SnapshotEntries::kNoTime) return std::nullopt;
  if (times.back() <= times.front() || times.back() - times.front() >= kLongestUs) return std::nullopt;
  return ClockRange{std::min(times.front(), kLatestUs) * 1000, {0, (times.back() - times.front()) * 1000}};
}

bool is_same_clock(const ClockRange& a, const ClockRange& b) {
  if (!has_unix_times(a) || !has_unix_times(b)) return false;
  const std::int64_t a_end = saturating_add(unix_begin_of(a), a.content.length_ns());
  const std::int64_t b_end = saturating_add(unix_begin_of(b), b.content.length_ns());
  return unix_begin_of(a) < b_end && unix_begin_of(b) < a_end;
}

bool is_same_clock(const Trace& trace, const Snapshot& snapshot) {
  return std::ranges::any_of(
      snapshot.devices, [&](const SnapshotDevice& device) { return unix_fit(device, trace).has_value(); });
}

ClockFit unix_fit(const ClockRange& first, const ClockRange& second) {
  return {.offset_ns = saturating_subtract(first.origin_unix_ns, second.origin_unix_ns),
          .uncertainty_ns = kUnixUncertaintyNs};
}

std::optional<ClockFit> unix_fit(const SnapshotDevice& device, const Trace& trace) {
  const auto clock = clock_of(device);
  if (!clock || !is_same_clock(clock_of(trace), *clock)) return std::nullopt;
  return unix_fit(*clock, clock_of(trace));
}

std::optional<std::uint32_t> process_of_gpu(const Trace& trace, const SnapshotDevice& device) {
  if (device.host) return std::nullopt;
  const std::string pid = std::to_string(device.ordinal);
  for (std::uint32_t p = 0; p < trace.processes.size(); ++p) {
    if (trace.processes[p].gpu && trace.processes[p].pid == pid) return p;
  }
  return std::nullopt;
}

}  // namespace kino
