// The one listing of what a Trace consists of, for whatever has to treat all of it alike: storing, comparing.
//
// members_of(x) is a tuple of references to all members of x. A member that is missing here does not compile,
// because a structured binding has to name them all. So a new column is a name in two lines below.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

#include "core/trace/trace.hpp"

namespace kino {

/// T or const T.
template <class Given, class T>
concept MaybeConst = std::same_as<std::remove_const_t<Given>, T>;

template <MaybeConst<TimeRange> T>
auto members_of(T& x) {
  auto& [begin_ns, end_ns] = x;
  return std::tie(begin_ns, end_ns);
}

template <MaybeConst<Track> T>
auto members_of(T& x) {
  auto& [kind, bytes, name, contents, tid, process, first_row, row_count, spilled_count, first_instant,
         instant_count, first_sample, sample_count, min_value, max_value] = x;
  return std::tie(kind, bytes, name, contents, tid, process, first_row, row_count, spilled_count,
                  first_instant, instant_count, first_sample, sample_count, min_value, max_value);
}

template <MaybeConst<Process> T>
auto members_of(T& x) {
  auto& [pid, title, gpu, bookkeeping, first_track, track_count] = x;
  return std::tie(pid, title, gpu, bookkeeping, first_track, track_count);
}

template <MaybeConst<SliceColumns> T>
auto members_of(T& x) {
  auto& [start_ns, duration_ns, source_offset, name, parent, link, category, kind] = x;
  return std::tie(start_ns, duration_ns, source_offset, name, parent, link, category, kind);
}

template <MaybeConst<InstantColumns> T>
auto members_of(T& x) {
  auto& [time_ns, source_offset, name, category] = x;
  return std::tie(time_ns, source_offset, name, category);
}

template <MaybeConst<SampleColumns> T>
auto members_of(T& x) {
  auto& [time_ns, value] = x;
  return std::tie(time_ns, value);
}

template <MaybeConst<FlowLinks> T>
auto members_of(T& x) {
  auto& [from, to, category, by_to, launched] = x;
  return std::tie(from, to, category, by_to, launched);
}

template <MaybeConst<ArgumentColumns> T>
auto members_of(T& x) {
  auto& [facts, texts, exceptions, operators, memory_time_ns, memory_bytes, memory_address, memory_device,
         memory_track, memory_total_bytes] = x;
  return std::tie(facts, texts, exceptions, operators, memory_time_ns, memory_bytes, memory_address,
                  memory_device, memory_track, memory_total_bytes);
}

template <MaybeConst<LodIndex> T>
auto members_of(T& x) {
  auto& [longest, busy_prefix_ns] = x;
  return std::tie(longest, busy_prefix_ns);
}

template <MaybeConst<ProcessGroupInfo> T>
auto members_of(T& x) {
  auto& [name, description, ranks] = x;
  return std::tie(name, description, ranks);
}

template <MaybeConst<JobInfo> T>
auto members_of(T& x) {
  auto& [rank, world_size, backend, device_names, device_memory_bytes, groups] = x;
  return std::tie(rank, world_size, backend, device_names, device_memory_bytes, groups);
}

template <MaybeConst<Damage> T>
auto members_of(T& x) {
  auto& [reason, count, first_offset, sample] = x;
  return std::tie(reason, count, first_offset, sample);
}

template <MaybeConst<Trace> T>
auto members_of(T& x) {
  auto& [names, categories, name_kind, slices, instants, samples, flows, arguments, rows, tracks, processes,
         lod, origin_unix_ns, base_time_ns, range, content, counts, paired_slices, async_slices,
         launches_linked, damage, job] = x;
  return std::tie(names, categories, name_kind, slices, instants, samples, flows, arguments, rows, tracks,
                  processes, lod, origin_unix_ns, base_time_ns, range, content, counts, paired_slices,
                  async_slices, launches_linked, damage, job);
}

/// Whether members_of() lists T's members.
template <class T>
concept HasMembers = requires(T& x) {
  members_of(x);
};

}  // namespace kino
