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

/// Returns calls, and GPU work with another owner than its launch, with their external ids.
std::vector<Correlated> strangers_of(const WrittenSlices& written, const Trace& trace) {
  const Column<std::uint32_t>& external_ids = written.external_ids;
  std::vector<Correlated> strangers;
  SliceSet strange_calls(trace.slice_count());
  for (const SliceFindings& found : written.findings) {
    strangers.insert(strangers.end(), found.strangers.begin(), found.strangers.end());
    for (const Correlated& call : found.strangers) strange_calls.insert(index_of(call.slice));
  }
  for (const SliceFindings& found : written.findings) {
    for (const Correlated& work : found.gpu_work) {
      const std::uint32_t wanted = external_ids[index_of(work.slice)];
      if (wanted == 0) continue;
      // Nearly always work has the id of its launch, which was checked already.
      const SliceId launch = trace.link(work.slice);
      const bool as_launch = launch != kNoSlice && external_ids[index_of(launch)] == wanted;
      if ((!as_launch || strange_calls.contains(index_of(launch))) &&
          is_stranger(trace, external_ids, work.slice))
        strangers.push_back({wanted, work.slice});
    }
  }
  return strangers;
}

}  // namespace

bool is_stranger(const Trace& trace, const Column<std::uint32_t>& external_ids, SliceId slice) {
  const SliceId around = owner_of(trace, slice);
  return around == kNoSlice || external_ids[index_of(around)] != external_ids[index_of(slice)];
}

void write_owners(const WrittenSlices& written, Trace& trace, const std::stop_token& stop) {
  std::vector<Correlated> strangers = strangers_of(written, trace);
  if (strangers.empty() || stop.stop_requested()) return;
  // By external id. They are few, so a small filter rejects nearly every slice.
  std::unordered_map<std::uint32_t, SliceId> owners;
  constexpr std::uint32_t kFilterSize = 1U << 16;
  SliceSet filter(kFilterSize);
  for (const Correlated& stranger : strangers) {
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
  std::erase_if(strangers,
                [&](const Correlated& stranger) { return owners.at(stranger.correlation) == kNoSlice; });
  std::ranges::sort(strangers, {}, &Correlated::slice);
  ArgumentColumns& arguments = trace.arguments;
  arguments.exceptions = column_of(strangers, &Correlated::slice);
  arguments.operators =
      column_of(strangers, [&](const Correlated& stranger) { return owners.at(stranger.correlation); });
}

}  // namespace kino
