#include "core/job/step_work.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

std::int64_t sum_of(const IntervalTimes& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

/// Returns a hash that is equal if signatures_equal() holds.
std::uint64_t hash_of(const CommunicationSignature& signature) {
  std::uint64_t hash = std::uint64_t{signature.family} << 32U | signature.dtype;
  for (const std::int64_t elements : {signature.in_elements, signature.out_elements})
    hash = (hash ^ (hash >> 29U) ^ static_cast<std::uint64_t>(elements)) * 0x9E3779B97F4A7C15ULL;
  return hash;
}

}  // namespace

StepWork::StepWork(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                   const std::stop_token& stop)
    : ranks_(ranks), kernels_(kernels), of_rank_(ranks.size()) {
  has_messages_ = std::ranges::any_of(
      kernels.signatures, [](const CommunicationSignature& signature) { return is_message(signature.kind); });
  constexpr std::size_t kFewKernels = 4'000'000;
  std::size_t count = 0;
  for (const KernelColumns& columns : kernels.ranks) count += columns.size();
  has_roles_ = has_messages_ || count <= kFewKernels;
  for (const CommunicationSignature& signature : kernels.signatures) hashes_.push_back(hash_of(signature));
  parallel_for(thread_count_or_default(0), ranks.size(), stop,
               [&](std::size_t r, unsigned) { set_order(static_cast<std::uint32_t>(r)); });
  if (stop.stop_requested()) return;
  if (!has_roles_) return;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    for (const Part& part : of_rank_[r].parts) roles_[{part.step, part.hash}].push_back(r);
  }
  for (const auto& [role, of_role] : roles_) {
    if (role.first >= 0 && of_role.size() > 1 && !stop.stop_requested())
      add_excess(of_role, role.first, most_[role.first]);
  }
}

void StepWork::set_order(std::uint32_t rank) {
  const KernelColumns& columns = kernels_.ranks[rank];
  std::vector<std::uint32_t>& order = of_rank_[rank].order;
  order.resize(columns.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto step = [&](std::uint32_t k) { return columns.step(k); };
  if (!std::ranges::is_sorted(order, {}, step)) std::ranges::stable_sort(order, {}, step);
  std::vector<Part>& parts = of_rank_[rank].parts;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (parts.empty() || parts.back().step != step(order[i]))
      parts.push_back({step(order[i]), i, i, 0, std::nullopt});
    parts.back().end = i + 1;
  }
  if (has_roles_) set_role(rank);
}

void StepWork::set_role(std::uint32_t rank) {
  Rank& of_rank = of_rank_[rank];
  const RankDigest& digest = *ranks_[rank];
  std::vector<std::uint64_t> hashes(of_rank.order.size());
  for (const std::uint32_t kernel : of_rank.order) {
    const CommunicationOperation& operation = digest.kernels.operation(kernel);
    std::uint64_t hash = hashes_[kernels_.ranks[rank].signature(kernel)];
    if (is_message(operation.kind)) hash += operation.target > operation.source ? 1 : 2;
    hash *= 0x9E3779B97F4A7C15ULL;
    hashes[kernel] = hash ^ (hash >> 32U);
  }
  of_rank.by_signature = of_rank.order;
  for (Part& part : of_rank.parts) {
    const auto begin = of_rank.by_signature.begin() + part.begin;
    const auto end = of_rank.by_signature.begin() + part.end;
    std::ranges::sort(begin, end, {}, [&](std::uint32_t k) { return std::pair(hashes[k], k); });
    for (auto it = begin; it != end; ++it) part.hash += hashes[*it];
    part.hash ^= std::uint64_t{part.end - part.begin} << 48U;
  }
}

const StepWork::Part* StepWork::part_of(std::uint32_t rank, std::int64_t step) const {
  const std::vector<Part>& parts = of_rank_[rank].parts;
  const auto found = std::ranges::lower_bound(parts, step, {}, &Part::step);
  return found != parts.end() && found->step == step ? &*found : nullptr;
}

std::span<const std::uint32_t> StepWork::kernels_of(std::uint32_t rank, std::int64_t step) const {
  const Part* const part = part_of(rank, step);
  if (part == nullptr) return {};
  return std::span(of_rank_[rank].order).subspan(part->begin, part->end - part->begin);
}

std::span<const std::uint32_t> StepWork::role_kernels_of(std::uint32_t rank, std::int64_t step) const {
  const Part* const part = part_of(rank, step);
  if (part == nullptr || !has_roles_) return {};
  return std::span(of_rank_[rank].by_signature).subspan(part->begin, part->end - part->begin);
}

std::span<const std::uint32_t> StepWork::role_of(std::uint32_t rank, std::int64_t step) const {
  const Part* const part = part_of(rank, step);
  if (part == nullptr) return {};
  const auto found = roles_.find({step, part->hash});
  return found == roles_.end() ? std::span<const std::uint32_t>() : std::span(found->second);
}

const WorkExcess* StepWork::most(std::int64_t step) const {
  const auto found = most_.find(step);
  return found == most_.end() || !found->second ? nullptr : &*found->second;
}

std::optional<std::int64_t> StepWork::compute_excess(std::uint32_t rank, std::int64_t step) const {
  const Part* const part = part_of(rank, step);
  return part == nullptr ? std::nullopt : part->compute_excess_ns;
}

/// Returns the compute time of a step: from the start of the interval before the first kernel to the start of
/// the last kernel. Includes compute that overlaps communication; overlapping compute counts once. The whole
/// range is used because a waiting message may overlap much of the step.
std::int64_t StepWork::computed(std::uint32_t rank, const Part& part) const {
  const RankDigest& digest = *ranks_[rank];
  const std::uint32_t first = of_rank_[rank].order[part.begin];
  const std::uint32_t last = of_rank_[rank].order[part.end - 1];
  const std::int64_t before_ns = first < digest.stretches.size() ? digest.stretches.length_ns(first) : 0;
  const std::int64_t begin_ns = digest.kernels.start_ns(first) - before_ns;
  const std::int64_t end_ns = digest.kernels.start_ns(last);
  std::int64_t sum_ns = 0;
  const auto after = std::ranges::upper_bound(digest.compute, begin_ns, {}, &TimeRange::end_ns);
  for (auto it = after; it != digest.compute.end(); ++it) {
    const TimeRange computing = *it;
    if (computing.begin_ns >= end_ns) break;
    sum_ns += std::min(computing.end_ns, end_ns) - std::max(computing.begin_ns, begin_ns);
  }
  return sum_ns;
}

/// Returns the work before the kernels of a step. If several kernels follow the same kernel, only the longest
/// interval counts, because it contains the others.
IntervalTimes StepWork::work_of(std::uint32_t rank, const Part& part) const {
  const RankDigest& digest = *ranks_[rank];
  IntervalTimes sum{};
  std::map<std::uint32_t, std::uint32_t> longest;  // previous kernel to the kernel with the longest interval
  for (std::uint32_t i = part.begin; i < part.end; ++i) {
    const std::uint32_t kernel = of_rank_[rank].order[i];
    if (kernel >= digest.stretches.size()) continue;
    const auto [known, fresh] = longest.try_emplace(digest.stretches.previous(kernel), kernel);
    if (!fresh && digest.stretches.length_ns(kernel) > digest.stretches.length_ns(known->second))
      known->second = kernel;
  }
  for (const auto& [before, kernel] : longest) {
    if (before == TraceInterval::kNone) continue;
    const TraceInterval stretch = digest.stretches[kernel];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += stretch.times[i];
  }
  sum[static_cast<std::size_t>(IntervalPart::other_communication)] = 0;  // not work of this rank
  sum[static_cast<std::size_t>(IntervalPart::compute)] = computed(rank, part);
  return sum;
}

void StepWork::add_excess(const std::vector<std::uint32_t>& ranks, std::int64_t step,
                          std::optional<WorkExcess>& most) {
  struct Work {
    std::int64_t total_ns = 0;
    std::uint32_t rank = 0;
    IntervalTimes times{};
  };
  std::vector<Work> all;
  for (const std::uint32_t rank : ranks) {
    const IntervalTimes times = work_of(rank, *part_of(rank, step));
    all.push_back({sum_of(times), rank, times});
  }
  std::ranges::sort(all, {}, [](const Work& work) { return std::pair(work.total_ns, work.rank); });
  const Work& median = all[(all.size() - 1) / 2];
  constexpr auto kCompute = static_cast<std::size_t>(IntervalPart::compute);
  std::vector<std::int64_t> computed_ns;
  computed_ns.reserve(all.size());
  for (const Work& work : all) computed_ns.push_back(work.times[kCompute]);
  const auto middle = computed_ns.begin() + static_cast<std::ptrdiff_t>((computed_ns.size() - 1) / 2);
  std::ranges::nth_element(computed_ns, middle);
  for (const Work& work : all) {
    Rank& of_rank = of_rank_[work.rank];
    std::ranges::lower_bound(of_rank.parts, step, {}, &Part::step)->compute_excess_ns =
        work.times[kCompute] - *middle;
  }
  const Work& longest = all.back();
  const std::int64_t own_ns = longest.total_ns - median.total_ns;
  if (own_ns <= 0 || (most && most->own_ns >= own_ns)) return;
  most = WorkExcess{longest.rank, own_ns, {}, 0};
  for (std::size_t i = 0; i < most->times.size(); ++i) most->times[i] = longest.times[i] - median.times[i];
  const std::span<const std::uint32_t> own = role_kernels_of(longest.rank, step);
  const std::span<const std::uint32_t> theirs = role_kernels_of(median.rank, step);
  std::int64_t largest_ns = -1;
  for (std::size_t i = 0; i < std::min(own.size(), theirs.size()); ++i) {
    if (own[i] >= ranks_[longest.rank]->stretches.size() ||
        theirs[i] >= ranks_[median.rank]->stretches.size())
      continue;
    const std::int64_t longer = ranks_[longest.rank]->stretches.length_ns(own[i]) -
                                ranks_[median.rank]->stretches.length_ns(theirs[i]);
    if (longer <= largest_ns) continue;
    largest_ns = longer;
    most->kernel = own[i];
  }
}

}  // namespace kino
