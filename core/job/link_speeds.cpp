#include "core/job/link_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/tables/compare/median.hpp"
#include "core/tables/gpu/collective_table.hpp"

namespace kino {
namespace {

constexpr std::size_t kLeastTransfers = 6;  // fewer values have no 95 % interval of the median
// Smaller transfers measure latency.
constexpr std::int64_t kLeastBytes = 1 << 20;

/// Groups whose transfers should be equally fast.
struct LinkKind {
  MatchedGroupKind kind = MatchedGroupKind::known;
  std::string description;
  std::size_t members = 0;
  std::vector<std::int64_t> shape;                    ///< see shape_of()
  auto operator<=>(const LinkKind&) const = default;  // NOLINT(modernize-use-nullptr): false positive
};

/// Returns the ranks of a group, ascending; for messages, source and target. Empty if a rank is unknown.
std::vector<std::int64_t> ranks_of(const MatchedGroup& group, RankList digests) {
  if (group.kind == MatchedGroupKind::messages) return {group.source, group.target};
  std::vector<std::int64_t> ranks;
  for (const std::uint32_t index : group.present) {
    if (digests[index]->rank < 0) return {};
    ranks.push_back(digests[index]->rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

/// Returns the distances of the ranks from the first one, which are equal for all groups of one parallel
/// dimension. For messages, returns the size of their group and the indices of both ranks in the group,
/// because all replicas of a pipeline cross machines at the same stage. Empty if the group is unknown.
std::vector<std::int64_t> shape_of(const MatchedGroup& group, RankList digests,
                                   const std::vector<std::int64_t>& ranks) {
  std::vector<std::int64_t> shape;
  if (group.kind != MatchedGroupKind::messages) {
    for (const std::int64_t rank : ranks) shape.push_back(rank - ranks.front());
    return shape;
  }
  for (const RankGroup& known : digests[group.present.front()]->groups) {
    if (known.name != group.name || !std::ranges::binary_search(known.members, group.source) ||
        !std::ranges::binary_search(known.members, group.target))
      continue;
    shape.push_back(static_cast<std::int64_t>(known.members.size()));
    for (const std::int64_t rank : ranks)
      shape.push_back(std::ranges::find(known.members, rank) - known.members.begin());
    break;
  }
  return shape;
}

/// Returns the kind of a group; nullopt if the group cannot be compared.
std::optional<LinkKind> kind_of(const MatchedGroup& group, RankList digests,
                                const std::vector<std::int64_t>& ranks) {
  const bool known = group.kind == MatchedGroupKind::known || group.kind == MatchedGroupKind::messages;
  if (!known || ranks.size() < 2 || group.present.empty()) return std::nullopt;
  LinkKind kind{group.kind, group.description, group.members, shape_of(group, digests, ranks)};
  if (kind.shape.empty()) return std::nullopt;
  return kind;
}

/// Returns the class of a size: four classes per power of two. Within a class, latency affects all transfers
/// alike.
std::int64_t size_class(std::int64_t bytes) {
  return static_cast<std::int64_t>(std::floor(4 * std::log2(static_cast<double>(bytes))));
}

struct Transfers {
  std::vector<double> gb_per_s;
  std::vector<std::int64_t> bytes;
  std::vector<std::int64_t> durations_ns;
};

/// Transfers by operation and size class.
using TransfersOfGroup = std::map<std::pair<std::string, std::int64_t>, Transfers>;

/// Returns the median and its 95 % interval, which extends from the k-th smallest to the k-th largest value
/// and assumes no distribution. `values` has at least kLeastTransfers.
MedianSpeed median_speed(std::vector<double> values) {
  constexpr double kTail = 0.025;
  constexpr std::size_t kExact = 512;
  std::ranges::sort(values);
  const std::size_t count = values.size();
  const auto n = static_cast<double>(count);
  std::size_t cut = 0;
  if (count <= kExact) {
    double probability = std::pow(0.5, n);  // probability of exactly `cut` values below the median
    double sum = probability;
    while (true) {
      const auto k = static_cast<double>(cut + 1);
      probability *= (n - k + 1) / k;
      if (sum + probability > kTail) break;
      sum += probability;
      ++cut;
    }
  } else {
    cut = static_cast<std::size_t>((n - 1.96 * std::sqrt(n)) / 2) - 1;
  }
  return {median_of(values), values[cut], values[count - 1 - cut]};
}

MedianSpeed middle_of(const std::vector<MedianSpeed>& speeds) {
  const auto middle = [&](double MedianSpeed::*member) {
    std::vector<double> values(speeds.size());
    std::ranges::transform(speeds, values.begin(), member);
    return median_of(std::move(values));
  };
  return {middle(&MedianSpeed::gb_per_s), middle(&MedianSpeed::low), middle(&MedianSpeed::high)};
}

/// Returns the time of the transfers minus the time at the others' bandwidth, at least 0.
std::int64_t lost_ns(const Transfers& transfers, double others_gb_per_s) {
  double lost = 0;
  for (std::size_t i = 0; i < transfers.gb_per_s.size(); ++i)
    lost += static_cast<double>(transfers.durations_ns[i]) * (1 - transfers.gb_per_s[i] / others_gb_per_s);
  return std::max<std::int64_t>(0, std::llround(lost));
}

std::int64_t median_bytes(std::vector<std::int64_t> bytes) {
  std::ranges::nth_element(bytes, bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2));
  return bytes[bytes.size() / 2];
}

class LinkComparer {
 public:
  LinkComparer(RankList digests, const MatchedJob& matched) : digests_(digests), matched_(matched) {}

  void add(const CollectiveWait& wait, std::int64_t tolerance_ns) {
    const CollectiveInstance& instance = matched_.instances[wait.instance];
    if (instance.level != MatchLevel::exact && instance.level != MatchLevel::proved) return;
    const TransferSpeed speed = transfer_speed(digests_, matched_, wait, tolerance_ns);
    const bool message = matched_.groups[instance.group].kind == MatchedGroupKind::messages;
    const double gb_per_s = message ? speed.algorithm_gb_per_s : speed.bus_gb_per_s;
    if (gb_per_s <= 0 || speed.bytes < kLeastBytes) return;
    const RankKernel& first = instance.kernels.front();
    const RankDigest& digest = *digests_[first.rank];
    std::string operation(digest.texts[digest.kernels.operation(first.kernel).family]);
    if (message) operation = "send";
    Transfers& transfers = groups_[instance.group][{std::move(operation), size_class(speed.bytes)}];
    transfers.gb_per_s.push_back(gb_per_s);
    transfers.bytes.push_back(speed.bytes);
    transfers.durations_ns.push_back(wait.transfer_ns);
  }

  std::vector<LinkSpeed> compare() const {
    std::vector<LinkSpeed> links;
    std::map<std::tuple<LinkKind, std::string, std::int64_t>, std::vector<std::size_t>> alike;
    std::vector<const Transfers*> transfers;
    for (const auto& [group, of_group] : groups_) {
      const std::vector<std::int64_t> ranks = ranks_of(matched_.groups[group], digests_);
      const std::optional<LinkKind> kind = kind_of(matched_.groups[group], digests_, ranks);
      if (!kind) continue;
      for (const auto& [operation, own] : of_group) {
        if (own.gb_per_s.size() < kLeastTransfers) continue;
        alike[{*kind, operation.first, operation.second}].push_back(links.size());
        LinkSpeed& link = links.emplace_back();
        link.group = group;
        link.ranks = ranks;
        link.operation = operation.first;
        link.bytes = median_bytes(own.bytes);
        link.transfers = static_cast<std::uint32_t>(own.gb_per_s.size());
        link.own = median_speed(own.gb_per_s);
        transfers.push_back(&own);
      }
    }
    for (const auto& [kind, indices] : alike) {
      for (const std::size_t i : indices) compare_with(links, indices, i, *transfers[i]);
    }
    return links;
  }

 private:
  static void compare_with(std::vector<LinkSpeed>& links, const std::vector<std::size_t>& alike,
                           std::size_t i, const Transfers& transfers) {
    std::vector<MedianSpeed> others;
    for (const std::size_t other : alike) {
      if (other != i) others.push_back(links[other].own);
    }
    links[i].others = static_cast<std::uint32_t>(others.size());
    if (others.empty()) return;
    links[i].of_others = middle_of(others);
    links[i].lost_ns = lost_ns(transfers, links[i].of_others.gb_per_s);
  }

  RankList digests_;
  const MatchedJob& matched_;
  std::map<std::uint32_t, TransfersOfGroup> groups_;
};

}  // namespace

TransferSpeed transfer_speed(RankList digests, const MatchedJob& matched, const CollectiveWait& wait,
                             std::int64_t tolerance_ns) {
  const CollectiveInstance& instance = matched.instances[wait.instance];
  CollectiveFacts facts;
  for (const RankKernel& member : instance.kernels) {
    const RankDigest& digest = *digests[member.rank];
    const CommunicationCall& call = digest.kernels.calls()[digest.kernels.call(member.kernel)];
    if (call.in_elements < 0) continue;
    const CommunicationOperation& operation = digest.kernels.operation(member.kernel);
    facts.kind = operation.kind;
    facts.in_elements = call.in_elements;
    facts.out_elements = call.out_elements;
    facts.dtype = digest.texts[operation.dtype];
    break;
  }
  TransferSpeed speed;
  speed.bytes = facts.bytes();
  if (speed.bytes < 0 || !instance.complete || wait.transfer_ns <= 0 || wait.transfer_ns < tolerance_ns)
    return speed;
  speed.algorithm_gb_per_s = static_cast<double>(speed.bytes) / static_cast<double>(wait.transfer_ns);
  const auto members = static_cast<std::int64_t>(matched.groups[instance.group].members);
  const double factor = bus_factor(facts.kind, members);
  if (factor > 0) speed.bus_gb_per_s = speed.algorithm_gb_per_s * factor;
  return speed;
}

double bus_bytes(const RankDigest& digest, const CommunicationKernel& kernel) {
  const bool grouped = kernel.group != CommunicationKernel::kNoGroup;
  const std::size_t members = grouped ? digest.groups[kernel.group].members.size() : 0;
  CollectiveFacts facts;
  facts.kind = kernel.kind;
  facts.group_size = static_cast<std::int64_t>(members);
  facts.in_elements = kernel.in_elements;
  facts.out_elements = kernel.out_elements;
  facts.dtype = digest.texts[kernel.dtype];
  const std::int64_t bytes = facts.bytes();
  if (bytes <= 0) return 0;
  return static_cast<double>(bytes) * bus_factor(kernel.kind, kernel.is_message() ? 2 : facts.group_size);
}

bool LinkSpeed::slow() const {
  constexpr double kFactor = 1.5;
  constexpr double kFactorOfTwo = 2;
  return others > 0 && own.high * (others == 1 ? kFactorOfTwo : kFactor) < of_others.low;
}

msg::Id text_of(const LinkSpeed& link) {
  if (link.others == 0) return msg::nothing;
  return link.slow() ? msg::slow : msg::like_the_others;
}

std::vector<LinkSpeed> link_speeds(RankList digests, const MatchedJob& matched, const JobWaits& waits,
                                   const std::stop_token& stop) {
  LinkComparer comparer(digests, matched);
  for (std::size_t i = 0; i < waits.collectives.size(); ++i) {
    if (i % 4096 == 0 && stop.stop_requested()) return {};
    comparer.add(waits.collectives[i], waits.tolerance_ns);
  }
  return comparer.compare();
}

}  // namespace kino
