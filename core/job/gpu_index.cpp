#include "core/job/gpu_index.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/job/rank_digest.hpp"
#include "core/tables/compare/median.hpp"
#include "core/tables/compare/statistics.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/busy_time.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostClasses = 4096;
constexpr std::uint32_t kLeastCalls = 3;
constexpr std::size_t kMostAlone = 4096;
constexpr std::size_t kLeastPairs = 30;
constexpr std::int64_t kLeastPairedNs = 1'000'000;

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
  return static_cast<std::int64_t>(std::accumulate(durations.begin(), durations.end(), 0.0));
}

/// The finalizer of splitmix64. Without it, the high bits of an FNV hash are not random enough.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

/// One execution of a compute kernel.
struct Execution {
  std::int64_t launch_ns = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint64_t key = 0;   ///< key of its KernelClass
  std::uint64_t kind = 0;  ///< hash of the key and the input shapes
  std::int64_t step = kNoStep;
  bool alone = false;

  static constexpr std::int64_t kNoStep = -1;
};

/// Reads the compute kernels of a trace.
class ExecutionReader {
 public:
  ExecutionReader(const Trace& trace, const Steps& steps)
      : trace_(trace), steps_(steps), facts_(decode_facts(trace)) {}

  Execution read(SliceId slice, const BusyLine& communication) {
    const std::size_t i = index_of(slice);
    const SliceId launch = trace_.slices.link[i];
    const SliceId owner = owner_of(trace_, slice);
    const std::uint64_t key = key_of(slice);
    Execution execution{.launch_ns = trace_.slices.start_ns[launch == kNoSlice ? i : index_of(launch)],
                        .start_ns = trace_.slices.start_ns[i],
                        .duration_ns = trace_.slices.duration_ns[i],
                        .key = key,
                        .kind = owner == kNoSlice ? key : kind_of(key, facts_index(trace_, owner)),
                        .step = Execution::kNoStep,
                        .alone = communication.covered(trace_.slices.start_ns[i], trace_.end_ns(slice)) == 0};
    if (steps_.steps.empty()) {
      execution.step = 0;
    } else if (launch != kNoSlice) {
      const std::size_t step = steps_.at(execution.launch_ns);
      if (step != Steps::kNone) execution.step = steps_.steps[step].number;
    }
    return execution;
  }

 private:
  static std::uint64_t pair_of(std::uint32_t high, std::uint32_t low) {
    return std::uint64_t{high} << 32U | low;
  }

  std::uint64_t key_of(SliceId slice) {
    const std::uint32_t number = facts_index(trace_, slice);
    const NameId name = trace_.name(slice);
    const auto [known, fresh] = keys_.try_emplace(pair_of(index_of(name), number), 0);
    if (fresh) {
      Hash hash;
      hash.add(trace_.name_of(slice));
      for (const std::int64_t size : facts_[number].grid) hash.add(size);
      for (const std::int64_t size : facts_[number].block) hash.add(size);
      known->second = hash.value;
    }
    return known->second;
  }

  std::uint64_t kind_of(std::uint64_t key, std::uint32_t owner_facts) {
    const auto [known, fresh] = shapes_.try_emplace(owner_facts, 0);
    if (fresh) {
      Hash hash;
      hash.add(facts_[owner_facts].input_dims);
      known->second = hash.value;
    }
    return facts_[owner_facts].input_dims.empty() ? key : mixed(key ^ known->second);
  }

  const Trace& trace_;
  const Steps& steps_;
  const std::vector<EventFacts> facts_;
  std::unordered_map<std::uint64_t, std::uint64_t> keys_;    // by name and facts number
  std::unordered_map<std::uint32_t, std::uint64_t> shapes_;  // by facts number
};

std::vector<KernelClass> classes_of(std::span<const Execution> executions) {
  std::unordered_map<std::uint64_t, Calls> calls;  // by key
  for (const Execution& execution : executions) {
    Calls& of_class = calls[execution.key];
    (execution.alone ? of_class.alone : of_class.beside)
        .push_back(static_cast<double>(execution.duration_ns));
  }
  std::vector<KernelClass> classes;
  classes.reserve(calls.size());
  for (auto& [key, durations] : calls) {
    classes.push_back({key, static_cast<std::uint32_t>(durations.alone.size()),
                       static_cast<std::uint32_t>(durations.beside.size()), sum_of(durations.alone),
                       sum_of(durations.beside), median_of(std::move(durations.alone)),
                       median_of(std::move(durations.beside))});
  }
  if (classes.size() > kMostClasses) {
    std::ranges::sort(classes, std::ranges::greater{}, [](const KernelClass& kernel) {
      return std::pair(kernel.isolated_ns + kernel.overlapped_ns, kernel.key);
    });
    classes.resize(kMostClasses);
  }
  std::ranges::sort(classes, {}, &KernelClass::key);
  return classes;
}

/// Returns the calls that overlap no communication, sorted by call. Executions of a kind are numbered in each
/// step in launch order, which is the same on all ranks.
PackedTable alone_calls_of(std::vector<Execution> executions) {
  std::ranges::sort(executions, {}, [](const Execution& execution) {
    return std::pair(execution.launch_ns, execution.start_ns);
  });
  std::unordered_map<std::uint64_t, std::uint64_t> counts;  // by kind and step
  std::vector<std::pair<std::int64_t, std::int64_t>> calls;
  for (const Execution& execution : executions) {
    if (execution.step == Execution::kNoStep) continue;
    const std::uint64_t of_step =
        mixed(execution.kind ^ mixed(static_cast<std::uint64_t>(execution.step) + 1));
    const std::uint64_t number = counts[of_step]++;
    // With 48 bits, two calls hardly ever collide, and the PackedTable is smaller.
    if (execution.alone)
      calls.emplace_back(static_cast<std::int64_t>(mixed(of_step + number) >> 16U), execution.duration_ns);
  }
  std::ranges::sort(calls);
  const auto same_call = [](const auto& a, const auto& b) { return a.first == b.first; };
  calls.erase(std::unique(calls.begin(), calls.end(), same_call), calls.end());
  calls.resize(std::min(calls.size(), kMostAlone));
  std::vector<std::int64_t> values;
  values.reserve(calls.size() * KernelTimes::kColumns);
  for (const auto& [call, duration_ns] : calls) values.insert(values.end(), {call, duration_ns});
  return {KernelTimes::kColumns, values};
}

/// Durations of the calls that one rank and another have in common.
struct Pairing {
  std::vector<std::int64_t> own_ns;  // by call
  std::vector<std::int64_t> other_ns;
  std::int64_t own_sum_ns = 0;
  std::int64_t other_sum_ns = 0;

  bool is_enough() const {
    return own_ns.size() >= kLeastPairs && std::min(own_sum_ns, other_sum_ns) >= kLeastPairedNs;
  }
};

/// Returns the calls that both tables contain with a positive duration. The tables are sorted by call.
Pairing pairing_of(const PackedTable& own, const PackedTable& other) {
  Pairing pairing;
  for (std::size_t i = 0, k = 0; i < own.size() && k < other.size();) {
    const auto [own_call, own_ns] = own.row<KernelTimes::kColumns>(i);
    const auto [other_call, other_ns] = other.row<KernelTimes::kColumns>(k);
    i += own_call <= other_call ? 1 : 0;
    k += other_call <= own_call ? 1 : 0;
    if (own_call != other_call || own_ns <= 0 || other_ns <= 0) continue;
    pairing.own_ns.push_back(own_ns);
    pairing.other_ns.push_back(other_ns);
    pairing.own_sum_ns += own_ns;
    pairing.other_sum_ns += other_ns;
  }
  return pairing;
}

/// Resamples sums of random subsets of pairs. This is faster than resampling single pairs, and the interval
/// is about the same. Calls are sorted by hash, so consecutive calls are a random subset.
class PartResampler {
 public:
  ChangeInterval interval(const Pairing& pairing) const {
    const PairResampler& resampler = pairing.own_ns.size() < many_.pairs() ? few_ : many_;
    return resampler.interval(parts_of(pairing.other_ns, resampler.pairs()),
                              parts_of(pairing.own_ns, resampler.pairs()));
  }

 private:
  static std::vector<std::int64_t> parts_of(std::span<const std::int64_t> values, std::size_t count) {
    std::vector<std::int64_t> parts(count, 0);
    for (std::size_t i = 0; i < values.size(); ++i) parts[i * count / values.size()] += values[i];
    return parts;
  }

  PairResampler few_{kLeastPairs};
  PairResampler many_{128};
};

/// Returns the ranks to compare with: all others if there are at most 8, otherwise 8 at even distances.
std::vector<std::uint32_t> others_of(std::uint32_t rank, std::uint32_t ranks) {
  constexpr std::uint32_t kMostOthers = 8;
  const std::uint32_t count = std::min(kMostOthers, ranks - 1);
  std::vector<std::uint32_t> others;
  for (std::uint32_t k = 1; k <= count; ++k) {
    const std::uint64_t ahead = std::uint64_t{k} * ranks / (count + 1);
    others.push_back(static_cast<std::uint32_t>((rank + ahead) % ranks));
  }
  return others;
}

/// Compares a rank with others. `resampler` may be null if fewer than two ranks have enough calls.
GpuComparison comparison_of(std::uint32_t rank, std::span<const RankDigest* const> ranks,
                            const PartResampler* resampler) {
  std::vector<double> ratios;
  std::vector<double> lows;
  std::vector<double> highs;
  std::vector<std::pair<std::uint32_t, std::int64_t>> calls;  // number of calls and their time
  GpuComparison result;
  for (const std::uint32_t other : others_of(rank, static_cast<std::uint32_t>(ranks.size()))) {
    const Pairing pairing = pairing_of(ranks[rank]->kernel_times.alone, ranks[other]->kernel_times.alone);
    calls.emplace_back(static_cast<std::uint32_t>(pairing.own_ns.size()), pairing.own_sum_ns);
    if (!pairing.is_enough()) continue;
    const ChangeInterval interval = resampler->interval(pairing);  // not null: both ranks have enough calls
    ratios.push_back(static_cast<double>(pairing.own_sum_ns) / static_cast<double>(pairing.other_sum_ns));
    lows.push_back(1 + interval.low);
    highs.push_back(1 + interval.high);
    result.only_other = other;
  }
  result.others = static_cast<std::uint32_t>(ratios.size());
  if (result.others != 1) result.only_other.reset();
  std::ranges::sort(calls);
  if (!calls.empty()) std::tie(result.calls, result.time_ns) = calls[(calls.size() - 1) / 2];
  if (ratios.empty()) return result;
  result.ratio = median_of(std::move(ratios));
  result.low = median_of(std::move(lows));
  result.high = median_of(std::move(highs));
  return result;
}

}  // namespace

KernelTimes kernel_times_of(const Trace& trace, const GpuWork& work, const Steps& steps,
                            std::span<const CommunicationKernel> kernels, const std::stop_token& stop) {
  std::vector<TimeRange> ranges;
  for (const CommunicationKernel& kernel : kernels)
    ranges.push_back({kernel.start_ns - trace.origin_unix_ns, kernel.end_ns() - trace.origin_unix_ns});
  const BusyLine communication(united(std::move(ranges)));
  ExecutionReader reader(trace, steps);
  std::vector<Execution> executions;
  std::uint32_t seen = 0;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (++seen % 65536 == 0 && stop.stop_requested()) return {};
      if (trace.kind(slice) == SliceKind::compute) executions.push_back(reader.read(slice, communication));
    }
  }
  KernelTimes times;
  times.classes = classes_of(executions);
  times.alone = alone_calls_of(std::move(executions));
  return times;
}

std::vector<GpuComparison> gpu_index(std::span<const RankDigest* const> ranks, const std::stop_token& stop) {
  std::vector<GpuComparison> comparisons(ranks.size());
  if (ranks.size() < 2) return comparisons;
  const auto enough = [](const RankDigest* rank) { return rank->kernel_times.alone.size() >= kLeastPairs; };
  std::optional<PartResampler> resampler;  // its construction draws over a million random numbers
  if (std::ranges::count_if(ranks, enough) >= 2) resampler.emplace();
  parallel_for(thread_count_or_default(0), ranks.size(), stop, [&](std::size_t i, unsigned) {
    comparisons[i] = comparison_of(static_cast<std::uint32_t>(i), ranks, resampler ? &*resampler : nullptr);
  });
  return comparisons;
}

GpuClaim claim_of(const GpuComparison& gpu) {
  if (!gpu.ratio) return gpu.calls < kLeastPairs ? GpuClaim::too_few_calls : GpuClaim::too_short_calls;
  if (gpu.slower()) return GpuClaim::slower;
  return gpu.faster() ? GpuClaim::faster : GpuClaim::none;
}

msg::Id text_of(GpuClaim claim) {
  constexpr std::array kNames{msg::slower, msg::faster, msg::no_difference_shown, msg::too_few_calls,
                              msg::calls_too_short};
  return kNames[static_cast<std::size_t>(claim)];
}

std::optional<double> overlap_cost(std::span<const RankDigest* const> ranks) {
  double sum = 0;
  double weight = 0;
  for (const RankDigest* const rank : ranks) {
    for (const KernelClass& kernel : rank->kernel_times.classes) {
      if (kernel.isolated_calls < kLeastCalls || kernel.overlapped_calls < kLeastCalls ||
          kernel.isolated_median_ns <= 0)
        continue;
      sum +=
          static_cast<double>(kernel.overlapped_ns) * kernel.overlapped_median_ns / kernel.isolated_median_ns;
      weight += static_cast<double>(kernel.overlapped_ns);
    }
  }
  if (weight <= 0) return std::nullopt;
  return sum / weight;
}

}  // namespace kino
