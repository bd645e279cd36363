// Lists the members of a RankDigest once, for storing. Include this header before code that stores a digest,
// so that HasMembers of core/trace/trace_members.hpp finds these overloads.
#pragma once

#include <tuple>

#include "core/base/messages/message.hpp"
#include "core/job/rank_digest.hpp"
#include "core/trace/trace_members.hpp"

namespace kino {

template <MaybeConst<RankGroup> T>
auto members_of(T& x) {
  auto& [name, description, members] = x;
  return std::tie(name, description, members);
}

template <class T>
requires MaybeConst<T, PackedTable> || MaybeConst<T, CommunicationKernels>
auto members_of(T& x) { return x.members(); }

template <class T>
requires MaybeConst<T, PackedRanges> || MaybeConst<T, TraceIntervals>
auto members_of(T& x) { return std::tie(x.table()); }

template <MaybeConst<CommunicationOperation> T>
auto members_of(T& x) {
  auto& [source, target, group, family, algorithm, dtype, stream, kind, evidence, custom] = x;
  return std::tie(source, target, group, family, algorithm, dtype, stream, kind, evidence, custom);
}

template <MaybeConst<RankStep> T>
auto members_of(T& x) {
  auto& [number, range, peak_bytes] = x;
  return std::tie(number, range, peak_bytes);
}

template <MaybeConst<RankMemory> T>
auto members_of(T& x) {
  auto& [peak_bytes, peak_ns, curve] = x;
  return std::tie(peak_bytes, peak_ns, curve);
}

template <MaybeConst<KernelClass> T>
auto members_of(T& x) {
  auto& [key, isolated_calls, overlapped_calls, isolated_ns, overlapped_ns, isolated_median_ns,
         overlapped_median_ns] = x;
  return std::tie(key, isolated_calls, overlapped_calls, isolated_ns, overlapped_ns, isolated_median_ns,
                  overlapped_median_ns);
}

template <MaybeConst<KernelTimes> T>
auto members_of(T& x) {
  auto& [classes, alone] = x;
  return std::tie(classes, alone);
}

template <MaybeConst<RankLedger::Window> T>
auto members_of(T& x) {
  auto& [step, gpu, range] = x;
  return std::tie(step, gpu, range);
}

template <MaybeConst<RankLedger> T>
auto members_of(T& x) {
  auto& [windows, times, pieces] = x;
  return std::tie(windows, times, pieces);
}

/// Omits links and depths, which the tables of a digest do not have, and the word for devices, which a job
/// derives from its collectives.
template <MaybeConst<Table> T>
auto members_of(T& x) {
  auto& [name, title, definition, columns, links, depths, device, notes] = x;
  static_cast<void>(links);
  static_cast<void>(depths);
  static_cast<void>(device);
  return std::tie(name, title, definition, columns, notes);
}

template <MaybeConst<TableColumn> T>
auto members_of(T& x) {
  auto& [key, title, unit, definition, values, words, export_only] = x;
  return std::tie(key, title, unit, definition, values, words, export_only);
}

template <MaybeConst<Message> T>
auto members_of(T& x) {
  return std::tie(x.packed());
}

template <MaybeConst<RankDigest> T>
auto members_of(T& x) {
  auto& [rank, world_size, first_ns, last_ns, has_whole_us, texts, groups, kernels, stretches, compute,
         copies, steps, kernel_times, memory, ledger, tables] = x;
  return std::tie(rank, world_size, first_ns, last_ns, has_whole_us, texts, groups, kernels, stretches,
                  compute, copies, steps, kernel_times, memory, ledger, tables);
}

}  // namespace kino
