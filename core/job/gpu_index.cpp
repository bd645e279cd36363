#include "core/job/gpu_index.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/job/median.hpp"
#include "core/job/rank_digest.hpp"
#include "core/relations/busy_time.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostClasses = 4096;
constexpr std::uint32_t kLeastCalls = 3;

// FNV-1a, 64 bit.
struct Hash {
  std::uint64_t value = 14695981039346656037ULL;
  void add(std::string_view bytes) {
    for (const char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  void add(std::int64_t number) {
    add(std::string_view(reinterpret_cast<const char*>(&number), sizeof(number)));
  }
};

struct Calls {
  std::vector<double> alone;
  std::vector<double> beside;
};

std::int64_t sum_of(const std::vector<double>& durations) {
  double sum = 0;
  for (const double it : durations) sum += it;
  return static_cast<std::int64_t>(sum);
}

}  // namespace

std::vector<KernelClass> kernel_classes_of(const Trace& trace, const GpuWork& work,
                                           std::span<const CommunicationKernel> kernels,
                                           const std::stop_token& stop) {
  std::vector<TimeRange> ranges;
  for (const CommunicationKernel& it : kernels)
    ranges.push_back({it.start_ns - trace.origin_unix_ns, it.end_ns() - trace.origin_unix_ns});
  const BusyLine communication(united(std::move(ranges)));
  const std::vector<EventFacts> facts = decode_facts(trace);
  std::unordered_map<std::uint64_t, std::uint64_t> keys;  // by name and number of facts
  std::unordered_map<std::uint64_t, Calls> calls;         // by key
  std::uint32_t seen = 0;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (++seen % 65536 == 0 && stop.stop_requested()) return {};
      if (trace.slices.kind[index_of(slice)] != SliceKind::compute) continue;
      const std::uint32_t number = facts_number(trace, slice);
      const std::uint64_t place = std::uint64_t{index_of(trace.slices.name[index_of(slice)])} << 32U | number;
      const auto [known, fresh] = keys.try_emplace(place, 0);
      if (fresh) {
        Hash hash;
        hash.add(trace.name_of(slice));
        for (const std::int64_t it : facts[number].grid) hash.add(it);
        for (const std::int64_t it : facts[number].block) hash.add(it);
        known->second = hash.value;
      }
      const std::int64_t start = trace.slices.start_ns[index_of(slice)];
      Calls& of_class = calls[known->second];
      const bool alone = communication.covered(start, trace.end_ns(slice)) == 0;
      (alone ? of_class.alone : of_class.beside)
          .push_back(static_cast<double>(trace.slices.duration_ns[index_of(slice)]));
    }
  }
  std::vector<KernelClass> classes;
  for (auto& [key, it] : calls) {
    KernelClass& added = classes.emplace_back();
    added.key = key;
    added.alone_calls = static_cast<std::uint32_t>(it.alone.size());
    added.beside_calls = static_cast<std::uint32_t>(it.beside.size());
    added.alone_ns = sum_of(it.alone);
    added.beside_ns = sum_of(it.beside);
    added.alone_median_ns = median_of(std::move(it.alone));
    added.beside_median_ns = median_of(std::move(it.beside));
  }
  if (classes.size() > kMostClasses) {
    std::ranges::sort(classes, std::ranges::greater{},
                      [](const KernelClass& it) { return std::pair(it.alone_ns + it.beside_ns, it.key); });
    classes.resize(kMostClasses);
  }
  std::ranges::sort(classes, {}, &KernelClass::key);
  return classes;
}

GpuIndex gpu_index(std::span<const RankDigest* const> ranks) {
  std::map<std::uint64_t, std::vector<std::pair<std::size_t, const KernelClass*>>> by_key;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const KernelClass& it : ranks[i]->classes) {
      if (it.alone_calls >= kLeastCalls) by_key[it.key].emplace_back(i, &it);
    }
  }
  GpuIndex index;
  index.ranks.resize(ranks.size());
  std::vector<double> sums(ranks.size(), 0);
  std::vector<double> weights(ranks.size(), 0);
  for (const auto& [key, of_ranks] : by_key) {
    if (of_ranks.size() * 2 <= ranks.size()) continue;
    std::vector<double> medians;
    for (const auto& [rank, it] : of_ranks) medians.push_back(it->alone_median_ns);
    const double middle = median_of(std::move(medians));
    if (middle <= 0) continue;
    ++index.classes;
    for (const auto& [rank, it] : of_ranks) {
      sums[rank] += static_cast<double>(it->alone_ns) * it->alone_median_ns / middle;
      weights[rank] += static_cast<double>(it->alone_ns);
    }
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (weights[i] > 0) index.ranks[i] = sums[i] / weights[i];
  }
  return index;
}

std::optional<double> overlap_cost(std::span<const RankDigest* const> ranks) {
  double sum = 0;
  double weight = 0;
  for (const RankDigest* const rank : ranks) {
    for (const KernelClass& it : rank->classes) {
      if (it.alone_calls < kLeastCalls || it.beside_calls < kLeastCalls || it.alone_median_ns <= 0) continue;
      sum += static_cast<double>(it.beside_ns) * it.beside_median_ns / it.alone_median_ns;
      weight += static_cast<double>(it.beside_ns);
    }
  }
  if (weight <= 0) return std::nullopt;
  return sum / weight;
}

}  // namespace kino
