#include "core/trace/build/operator_owners.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/slice_set.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {
namespace {

bool may_own(SliceKind kind) { return kind == SliceKind::cpu_op || kind == SliceKind::annotation; }

/// Returns the calls and the GPU work for which has_foreign_external_id() is true.
std::vector<Correlated> strangers_of(const WrittenSlices& written, const Trace& trace) {
  const Column<std::uint32_t>& external_ids = written.external_ids;
  std::vector<Correlated> foreign_external_ids;
  SliceSet strange_calls(trace.slice_count());
  for (const SliceFindings& found : written.findings) {
    foreign_external_ids.insert(foreign_external_ids.end(), found.foreign_external_ids.begin(),
                                found.foreign_external_ids.end());
    for (const Correlated& call : found.foreign_external_ids) strange_calls.insert(index_of(call.slice));
  }
  for (const SliceFindings& found : written.findings) {
    for (const Correlated& work : found.gpu_work) {
      const std::uint32_t wanted = external_ids[index_of(work.slice)];
      if (wanted == 0) continue;
      // Almost all work has the id of its launch, which was checked already.
      const SliceId launch = trace.link(work.slice);
      const bool as_launch = launch != kNoSlice && external_ids[index_of(launch)] == wanted;
      if ((!as_launch || strange_calls.contains(index_of(launch))) &&
          has_foreign_external_id(trace, external_ids, work.slice))
        foreign_external_ids.push_back({wanted, work.slice});
    }
  }
  return foreign_external_ids;
}

}  // namespace

bool has_foreign_external_id(const Trace& trace, const Column<std::uint32_t>& external_ids, SliceId slice) {
  const SliceId around = owner_of(trace, slice);
  return around == kNoSlice || external_ids[index_of(around)] != external_ids[index_of(slice)];
}

void write_owners(const WrittenSlices& written, Trace& trace, const std::stop_token& stop) {
  std::vector<Correlated> foreign_external_ids = strangers_of(written, trace);
  if (foreign_external_ids.empty() || stop.stop_requested()) return;
  // Find the owners by external id. Few ids are wanted, so a small filter rejects nearly every slice.
  std::unordered_map<std::uint32_t, SliceId> owners;
  constexpr std::uint32_t kFilterSize = 1U << 16;
  SliceSet filter(kFilterSize);
  for (const Correlated& stranger : foreign_external_ids) {
    owners.emplace(stranger.correlation, kNoSlice);
    filter.insert(stranger.correlation % kFilterSize);
  }
  const auto slices = static_cast<std::uint32_t>(trace.slice_count());
  for (std::uint32_t i = 0; i < slices; ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return;
    const std::uint32_t id = written.external_ids[i];
    if (!filter.contains(id % kFilterSize) || !may_own(trace.slices.kind[i])) continue;
    const auto found = owners.find(id);
    if (found != owners.end() && found->second == kNoSlice) found->second = SliceId{i};
  }
  std::erase_if(foreign_external_ids,
                [&](const Correlated& stranger) { return owners.at(stranger.correlation) == kNoSlice; });
  std::ranges::sort(foreign_external_ids, {}, &Correlated::slice);
  ArgumentColumns& arguments = trace.arguments;
  arguments.exceptions = column_of(foreign_external_ids, &Correlated::slice);
  arguments.operators = column_of(
      foreign_external_ids, [&](const Correlated& stranger) { return owners.at(stranger.correlation); });
}

}  // namespace kino
