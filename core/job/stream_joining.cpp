#include "core/job/stream_joining.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/tables/compare/median.hpp"

namespace kino {
namespace {

struct StreamPair {
  double deviation_ns = 0;
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t overlap = 0;
};
/// Streams that form one communicator so far.
struct JoinedStreams {
  std::vector<std::size_t> lists;
  double deviation_ns = 0;  // largest deviation of its pairs; 0 for a single stream
};
using StreamPairs = std::map<std::pair<std::size_t, std::size_t>, StreamPair>;

/// Returns the sequence number of the first kernel. Any kernel, including the first, may lack a number.
/// nullopt if no kernel has a number, or if the numbers do not increase by one per kernel.
std::optional<std::int64_t> first_number(std::span<const RankDigest* const> ranks, const RankStream& stream) {
  const CommunicationKernels& kernels = ranks[stream.rank]->kernels;
  std::optional<std::int64_t> first;
  for (std::size_t i = 0; i < stream.kernels->size(); ++i) {
    const std::int64_t number = kernels.sequence((*stream.kernels)[i]);
    if (number < 0) continue;
    const std::int64_t of_this = number - static_cast<std::int64_t>(i);
    if (first && *first != of_this) return std::nullopt;
    first = of_this;
  }
  return first;
}

/// Returns whether the sequence numbers, if known, allow kernel 0 of `b` to match kernel `shift` of `a`.
bool numbers_allow(std::span<const RankDigest* const> ranks, const RankStream& a, const RankStream& b,
                   std::int64_t shift) {
  const std::optional<std::int64_t> of_a = first_number(ranks, a);
  const std::optional<std::int64_t> of_b = first_number(ranks, b);
  return !of_a || !of_b || *of_b - *of_a == shift;
}

bool share_a_rank(std::span<const RankStream> streams, const JoinedStreams& a, const JoinedStreams& b) {
  return std::ranges::any_of(a.lists, [&](std::size_t x) {
    return std::ranges::any_of(b.lists, [&](std::size_t y) { return streams[x].rank == streams[y].rank; });
  });
}

/// Returns whether the end times of two groups differ too much for one communicator, compared with the
/// deviations within the groups. Different communicators that run in lockstep also end close together, but
/// less closely than the members of one collective. Two single streams never differ.
bool differ(const StreamPairs& pairs, const JoinedStreams& a, const JoinedStreams& b) {
  constexpr double kUnlikely = 10;
  const double within = std::max(a.deviation_ns, b.deviation_ns);
  if (a.lists.size() == 1 && b.lists.size() == 1) return false;
  double sum = 0;
  for (const std::size_t x : a.lists) {
    for (const std::size_t y : b.lists) {
      const auto pair = pairs.find({std::min(x, y), std::max(x, y)});
      if (pair == pairs.end()) return true;
      sum += static_cast<double>(pair->second.overlap) *
             std::log((pair->second.deviation_ns + kNsPerUs) / (within + kNsPerUs));
    }
  }
  return sum > kUnlikely;
}

}  // namespace

StreamLists lists_of(std::span<const RankStream> streams, const JobKernels& kernels) {
  std::unordered_map<std::uint32_t, std::uint32_t> index_of_signature;
  std::vector<CommunicationSignature> signatures;
  std::vector<CommunicationList> lists;
  for (const RankStream& stream : streams) {
    const KernelColumns& columns = kernels.ranks[stream.rank];
    CommunicationList& list = lists.emplace_back();
    list.end_ns.reserve(stream.kernels->size());
    list.signature.reserve(stream.kernels->size());
    list.step.reserve(stream.kernels->size());
    std::uint32_t last = 0xffffffffU;
    std::uint32_t index = 0;
    for (const std::uint32_t k : *stream.kernels) {
      list.end_ns.push_back(columns.end_ns(k));
      list.step.push_back(columns.step(k));
      if (const std::uint32_t signature = columns.signature(k); signature != last) {
        last = signature;
        const auto [known, fresh] =
            index_of_signature.try_emplace(last, static_cast<std::uint32_t>(signatures.size()));
        if (fresh) signatures.push_back(kernels.signatures[last]);
        index = known->second;
      }
      list.signature.push_back(index);
    }
  }
  return {std::move(lists), SignatureConflicts(std::move(signatures))};
}

std::optional<double> expected_shift(std::span<const double> offset_ns, std::uint32_t rank,
                                     std::uint32_t reference) {
  if (offset_ns.empty()) return std::nullopt;
  return offset_ns[rank] - offset_ns[reference];
}

std::vector<std::size_t> joined_streams(std::span<const RankStream> streams,
                                        std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                                        std::span<const double> offset_ns) {
  constexpr double kClose = 30e3;
  const StreamLists lists = lists_of(streams, kernels);
  StreamPairs pairs;
  for (std::size_t a = 0; a < streams.size(); ++a) {
    for (std::size_t b = a + 1; b < streams.size(); ++b) {
      const std::uint32_t x = streams[a].rank;
      const std::uint32_t y = streams[b].rank;
      if (x == y) continue;
      const auto shift =
          best_shift(lists.lists[a], lists.lists[b], lists.conflict, expected_shift(offset_ns, y, x));
      if (shift && shift->long_enough && numbers_allow(ranks, streams[a], streams[b], shift->best.shift))
        pairs[{a, b}] = {shift->best.deviation_ns, a, b, shift->best.overlap};
    }
  }
  std::vector<StreamPair> closest;
  for (const auto& [place, pair] : pairs) {
    if (pair.deviation_ns < kClose) closest.push_back(pair);
  }
  std::ranges::sort(closest, {}, &StreamPair::deviation_ns);
  std::vector<std::size_t> group(streams.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  std::vector<JoinedStreams> joined(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) joined[i].lists = {i};
  for (const StreamPair& pair : closest) {
    JoinedStreams& into = joined[group[pair.a]];
    JoinedStreams& from = joined[group[pair.b]];
    if (&into == &from || share_a_rank(streams, into, from) || differ(pairs, into, from)) continue;
    into.deviation_ns = std::max({into.deviation_ns, from.deviation_ns, pair.deviation_ns});
    for (const std::size_t list : std::exchange(from.lists, {})) {
      group[list] = group[pair.a];
      into.lists.push_back(list);
    }
  }
  return group;
}

}  // namespace kino
