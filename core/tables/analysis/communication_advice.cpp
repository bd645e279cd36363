#include "core/tables/analysis/communication_advice.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/duration_list.hpp"
#include "core/tables/gpu/collective_facts.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

/// Whether the GPUs with collectives are those of all ranks. If the number of ranks is unknown, two or more
/// such GPUs count as all. A single GPU does not.
bool has_all_ranks(const Trace& trace) {
  std::set<std::uint32_t> processes;
  for (const Row& row : trace.rows) {
    const std::uint32_t process = trace.track(row.track).process;
    if (processes.contains(process)) continue;
    const auto kinds = trace.slices.kind.sub(row.first_slice, row.slice_count);
    if (std::ranges::find(kinds, SliceKind::communication) != kinds.end()) processes.insert(process);
  }
  const auto gpus = static_cast<std::int64_t>(processes.size());
  return gpus > 1 && gpus >= trace.job.world_size;
}

/// Facts that determine how communication can be hidden.
struct HidingFacts {
  bool computes = false;  ///< whether any GPU computes
  bool buckets = false;   ///< whether some collectives may transfer gradients or parameters
};

/// Whether DDP or FSDP may bucket this kind of collective. There are no buckets of tokens or sequences
/// (all-to-all), of activations (point-to-point messages), or for barriers.
bool may_have_buckets(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_to_all:
    case CollectiveKind::send:
    case CollectiveKind::receive:
    case CollectiveKind::send_receive:
    case CollectiveKind::barrier:
      return false;
    default:
      return true;
  }
}

HidingFacts hiding_facts(const Trace& trace) {
  HidingFacts found;
  std::vector<std::uint8_t> seen(trace.names.size());
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    const SliceKind kind = trace.slices.kind[i];
    found.computes = found.computes || kind == SliceKind::compute;
    const std::uint32_t name = index_of(trace.slices.name[i]);
    if (kind != SliceKind::communication || seen[name] != 0) continue;
    seen[name] = 1;
    found.buckets = found.buckets || may_have_buckets(collective_kind(trace.names[name]));
  }
  return found;
}

/// Whether an event's name indicates a backward pass. "save_for_backward" does not: forward passes call it
/// even if no backward pass follows (torch/autograd/function.py).
bool names_backward(std::string_view name) {
  constexpr std::string_view kWord = "backward";
  for (std::size_t at = name.find(kWord); at != std::string_view::npos; at = name.find(kWord, at + 1)) {
    if (!name.substr(0, at).ends_with("save_for_")) return true;
  }
  return false;
}

}  // namespace

bool is_training(const Trace& trace) {
  constexpr std::array<std::string_view, 3> kParts{"_bwd", "optimizer.step", "multi_tensor_apply"};
  for (const std::string_view recorded : trace.names) {
    const std::string name = lowered(recorded);
    if (names_backward(name)) return true;
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    if (std::ranges::any_of(kParts, has)) return true;
  }
  return false;
}

bool is_server(const Trace& trace) {
  constexpr std::array<std::string_view, 6> kServers{"vllm",         "sglang",   "lightllm",
                                                     "tensorrt_llm", "lmdeploy", "text_generation_server"};
  for (const std::string_view name : trace.names) {
    if (std::ranges::any_of(kServers, [&](std::string_view server) { return contains(name, server); }))
      return true;
  }
  return false;
}

bool waits_for_first_collective(const Trace& trace, SliceId work) {
  constexpr std::int64_t kMinStartNs = 1'000'000;
  constexpr std::int64_t kTimesOthers = 10;
  const SliceColumns& slices = trace.slices;
  if (work == kNoSlice || trace.kind(work) != SliceKind::communication) return false;
  const std::int64_t duration_ns = trace.duration_ns(work);
  if (duration_ns < kMinStartNs) return false;
  const NameId name = trace.name(work);
  const Row& own_row = trace.row(trace.row_of(work));
  const std::uint32_t process = trace.track(own_row.track).process;
  bool first = true;
  std::vector<std::int64_t> namesakes_ns;
  for (const Row& row : trace.rows) {
    if (trace.track(row.track).process != process) continue;
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (slices.kind[i] != SliceKind::communication || SliceId{i} == work) continue;
      const bool earlier = slices.start_ns[i] < trace.start_ns(work);
      first = first && !earlier;
      if (slices.name[i] != name) continue;
      if (earlier && slices.duration_ns[i] > duration_ns / kTimesOthers) return false;
      namesakes_ns.push_back(slices.duration_ns[i]);
    }
  }
  const bool broadcast = contains(lowered(trace.name_of(work)), "broadcast");
  if (namesakes_ns.empty()) return broadcast && first;
  return (broadcast || first) && duration_ns / kTimesOthers >= duration_stats(namesakes_ns).median_ns;
}

Message communication_fix(const Trace& trace, const StepCost& cost) {
  if (!cost.examples.empty() && 2 * cost.examples.front().ns >= cost.ns &&
      waits_for_first_collective(trace, cost.examples.front().slice)) {
    return find_steps(trace).steps.size() > 1 ? msg::most_of_it_is_in_one : msg::most_of_it_is_in_one_of_the;
  }
  const HidingFacts facts = hiding_facts(trace);
  Message text = !facts.computes                       ? msg::no_compute_is_recorded_that_could
                 : facts.buckets && is_training(trace) ? msg::overlap_it_with_compute_or_send
                                                       : msg::overlap_it_with_compute;
  if (!has_all_ranks(trace)) text.then(msg::single_rank_cannot_separate_waiting);
  return text;
}

}  // namespace kino
