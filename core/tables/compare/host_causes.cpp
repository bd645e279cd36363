#include "core/tables/compare/host_causes.hpp"

#include <map>
#include <utility>

#include "core/base/host_words.hpp"
#include "core/base/parallel.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/links/runtime_calls.hpp"

namespace kino {
namespace {

constexpr std::size_t kKnownHostCauses = kHostCauseCount - 1;  // all causes except `other`

/// Returns the cause that an event's name indicates; `other` if it indicates none.
HostCause cause_of(std::string_view name, SliceKind kind) {
  if (kind == SliceKind::runtime && waits_for_gpu(name)) return HostCause::synchronize;
  if (kind == SliceKind::runtime && changes_gpu_memory(name)) return HostCause::allocate;
  if (is_garbage_collection(name)) return HostCause::collect;
  return is_lock_wait(name) ? HostCause::lock : HostCause::other;
}

using Waits = std::map<std::uint32_t, std::vector<TimeRange>>;
using HeldTimes = std::array<std::vector<TimeRange>, kKnownHostCauses>;
/// Causes by NameId: first for events of that name that are not runtime calls, then for runtime calls.
using NameCauses = std::vector<std::array<HostCause, 2>>;

/// Returns the intervals in which the GPU waits for the host, by the track that launches the next work.
Waits waits_of(const Trace& trace, const TimeAttribution& ledger, const std::stop_token& stop) {
  Waits waits;
  const Row* row = nullptr;
  std::vector<TimeRange>* of_row = nullptr;
  const std::vector<AttributionPart>& parts = ledger.parts();
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return waits;
    if (parts[i].cause != TimeCategory::idle_host || parts[i].slice == kNoSlice) continue;
    const SliceId launch = trace.link(parts[i].slice);
    if (launch == kNoSlice) continue;
    // Usually the launch is in the same row as the previous one.
    if (row == nullptr || index_of(launch) < row->first_slice ||
        index_of(launch) >= row->first_slice + row->slice_count) {
      row = &trace.row(trace.row_of(launch));
      of_row = &waits[index_of(row->track)];
    }
    of_row->push_back({parts[i].begin_ns, parts[i + 1].begin_ns});
  }
  return waits;
}

void add_hold(const Trace& trace, SliceId slice, HostCause cause, HeldTimes& to) {
  to[static_cast<std::size_t>(cause)].push_back(trace.range_of(slice));
}

/// Returns the times in which blocking calls delay launching threads, by track.
std::map<std::uint32_t, HeldTimes> held_by_calls(const Trace& trace, std::span<const SliceId> calls,
                                                 const NameCauses& causes, const Waits& waits) {
  std::map<std::uint32_t, HeldTimes> held;
  const Row* row = nullptr;
  for (const SliceId call : calls) {
    const std::uint32_t i = index_of(call);
    if (row == nullptr || i < row->first_slice || i >= row->first_slice + row->slice_count)
      row = &trace.row(trace.row_of(call));
    const HostCause cause = causes[index_of(trace.slices.name[i])][1];
    if (cause != HostCause::other && waits.contains(index_of(row->track)))
      add_hold(trace, call, cause, held[index_of(row->track)]);
  }
  return held;
}

/// Adds the times of lock waits and garbage collections on one track.
void add_other_holds(const Trace& trace, std::uint32_t track, const NameCauses& causes, HeldTimes& held,
                     const std::stop_token& stop) {
  for_each_slice_of(trace, trace.tracks[track], stop, [&](SliceId slice) {
    const bool is_call = trace.kind(slice) == SliceKind::runtime;
    const HostCause cause = causes[index_of(trace.name(slice))][is_call ? 1 : 0];
    // held_by_calls() has already added the blocking calls.
    const bool adds =
        is_call ? cause == HostCause::collect || cause == HostCause::lock : cause != HostCause::other;
    if (adds) add_hold(trace, slice, cause, held);
  });
}

}  // namespace

std::string_view text_of(HostCause cause) {
  constexpr std::array<std::string_view, kHostCauseCount> kNames{"sync", "malloc", "gc", "lock", "other"};
  return kNames[static_cast<std::size_t>(cause)];
}

bool is_blocking_call(std::string_view call) { return waits_for_gpu(call) || changes_gpu_memory(call); }

std::vector<SliceId> find_blocking_calls(const Trace& trace, const std::stop_token& stop) {
  std::vector<std::uint8_t> holds(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) holds[i] = is_blocking_call(trace.names[i]) ? 1 : 0;
  std::vector<SliceId> calls;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    if (trace.slices.kind[i] == SliceKind::runtime && holds[index_of(trace.slices.name[i])] != 0)
      calls.push_back(SliceId{i});
  }
  return calls;
}

HostCauses::HostCauses(const Trace& trace, const TimeAttribution& ledger, std::span<const SliceId> calls,
                       const std::stop_token& stop) {
  if (!ledger.of_gpu()) return;
  NameCauses causes(trace.names.size());
  bool any = false;
  bool others = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    causes[i] = {cause_of(trace.names[i], SliceKind::python), cause_of(trace.names[i], SliceKind::runtime)};
    any = any || causes[i][1] != HostCause::other;
    others = others || causes[i][0] != HostCause::other;
  }
  if (!any && !others) return;

  Waits waits = waits_of(trace, ledger, stop);
  std::map<std::uint32_t, HeldTimes> held = held_by_calls(trace, calls, causes, waits);
  // Usually there are no lock waits or garbage collections, so operators and frames need not be visited.
  for (auto wait = waits.begin(); others && wait != waits.end(); ++wait)
    add_other_holds(trace, wait->first, causes, held[wait->first], stop);
  if (stop.stop_requested()) return;

  HeldTimes known;
  for (auto& [track, ranges] : waits) {
    HeldTimes& active = held[track];
    std::vector<TimeRange> rest = united(std::move(ranges));
    for (std::size_t cause = 0; cause < kKnownHostCauses; ++cause) {
      if (active[cause].empty()) continue;
      std::vector<TimeRange> left = without_ranges(rest, united(std::move(active[cause])));
      const std::vector<TimeRange> taken = without_ranges(rest, left);
      known[cause].insert(known[cause].end(), taken.begin(), taken.end());
      rest = std::move(left);
    }
  }
  for (std::size_t cause = 0; cause < kKnownHostCauses; ++cause)
    lines_[cause] = BusyLine(united(std::move(known[cause])));
}

HostTimes HostCauses::times(TimeRange window, std::int64_t idle_host_ns) const {
  HostTimes times{};
  std::int64_t& rest = times[static_cast<std::size_t>(HostCause::other)];
  rest = idle_host_ns;
  for (std::size_t cause = 0; cause < kKnownHostCauses; ++cause) {
    times[cause] = lines_[cause].covered(window.begin_ns, window.end_ns);
    rest -= times[cause];
  }
  return times;
}

}  // namespace kino
