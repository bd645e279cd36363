// The only lists of the members of Trace and its parts, for code that handles all of them, such as storing
// and comparing.
//
// members_of(x) is a tuple of references to all members of x; member_list() has their names. A list without
// one of the members does not compile, because a structured binding must name all members. A new column needs
// only its name in the list below.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/trace/trace.hpp"

namespace kino {

/// T or const T.
template <class Given, class T>
concept MaybeConst = std::same_as<std::remove_const_t<Given>, T>;

/// Lists all members of a type in the order of their declaration.
#define KINO_MEMBERS(Type, ...)   \
  template <MaybeConst<Type> T>   \
  auto members_of(T& x) {         \
    auto& [__VA_ARGS__] = x;      \
    return std::tie(__VA_ARGS__); \
  }                               \
  constexpr std::string_view member_list(const Type* /*type*/) { return #__VA_ARGS__; }

KINO_MEMBERS(TimeRange, begin_ns, end_ns)
KINO_MEMBERS(Track, kind, bytes, name, contents, tid, process, first_row, row_count, spilled_count,
             first_instant, instant_count, first_sample, sample_count, min_value, max_value)
KINO_MEMBERS(Process, pid, title, gpu, bookkeeping, first_track, track_count)
KINO_MEMBERS(SliceColumns, start_ns, duration_ns, source_offset, name, parent, link, category, kind)
KINO_MEMBERS(InstantColumns, time_ns, source_offset, name, category)
KINO_MEMBERS(SampleColumns, time_ns, value)
KINO_MEMBERS(FlowLinks, from, to, category, by_to, launched)
KINO_MEMBERS(ArgumentColumns, facts, texts, exceptions, operators, memory_time_ns, memory_bytes,
             memory_address, memory_device, memory_track, memory_total_bytes)
KINO_MEMBERS(LodIndex, longest, busy_prefix_ns)
KINO_MEMBERS(ProcessGroupInfo, name, description, ranks)
KINO_MEMBERS(JobInfo, rank, world_size, backend, device_names, device_memory_bytes, groups)
KINO_MEMBERS(Damage, reason, count, first_offset, sample)
KINO_MEMBERS(Trace, names, categories, name_kind, slices, instants, samples, flows, arguments, rows, tracks,
             processes, lod, origin_unix_ns, base_time_ns, range, content, counts, paired_slices,
             async_slices, launches_linked, damage, job)

/// Whether members_of() lists T's members.
template <class T>
concept HasMembers = requires(T& x) {
  members_of(x);
};

/// Returns the names of T's members, in the order of members_of(). Names are stable across builds; the order
/// may not be.
template <HasMembers T>
constexpr auto member_names() {
  constexpr std::size_t kCount = std::tuple_size_v<decltype(members_of(std::declval<T&>()))>;
  std::array<std::string_view, kCount> names;
  std::string_view rest = member_list(static_cast<const T*>(nullptr));
  for (std::string_view& name : names) {
    const std::size_t comma = rest.find(", ");
    name = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 2);
  }
  return names;
}

}  // namespace kino
