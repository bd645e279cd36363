#include "core/tables/analysis/other_threads.hpp"

#include <algorithm>
#include <utility>

#include "core/base/host_words.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/links/runtime_calls.hpp"
#include "core/trace/sampled_tracks.hpp"

namespace kino {
namespace {

bool is_host_work(SliceKind kind) {
  return kind == SliceKind::cpu_op || kind == SliceKind::runtime || kind == SliceKind::python ||
         kind == SliceKind::annotation;
}

}  // namespace

OtherWork work_of_other_threads(const Trace& trace, std::vector<TimeRange> gaps,
                                std::span<const TrackId> launching, const std::stop_token& stop) {
  const BusyLine within(united(std::move(gaps)));
  std::vector<std::uint8_t> has_inner(trace.slice_count());
  for (const SliceId parent : trace.slices.parent) {
    if (parent != kNoSlice) has_inner[index_of(parent)] = 1;
  }
  std::vector<std::int64_t> ns_by_name(trace.names.size());
  for (std::uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    if (!is_working_thread(trace, track) || std::ranges::find(launching, TrackId{t}) != launching.end())
      continue;
    for_each_slice_of(trace, track, stop, [&](SliceId slice) {
      const std::uint32_t i = index_of(slice);
      if (has_inner[i] != 0 || !is_host_work(trace.slices.kind[i])) return;
      add_saturating(ns_by_name[index_of(trace.slices.name[i])],
                     within.covered(trace.slices.start_ns[i], trace.end_ns(slice)));
    });
    if (stop.stop_requested()) return {};
  }
  OtherWork most;
  for (std::uint32_t name = 0; name < ns_by_name.size(); ++name) {
    if (ns_by_name[name] <= most.ns) continue;
    const std::string_view text = trace.names[name];
    if (waits_for_gpu(text) || is_lock_wait(text)) continue;
    most = {std::string(text), ns_by_name[name]};
  }
  return most;
}

}  // namespace kino
