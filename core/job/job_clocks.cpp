#include "core/job/job_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/job/clock_causality.hpp"
#include "core/tables/compare/median.hpp"

namespace kino {
namespace {

constexpr double kLeastNoise = 0.5 * kNsPerUs;  // lower bound of a deviation: a few ends can agree by chance
constexpr double kToDeviation =
    1.4826;  // converts a median absolute deviation to the standard deviation of a normal distribution

/// End of one rank minus the end of another rank in a common collective.
struct Difference {
  double time_ns = 0;  // time relative to the middle of the job
  double value_ns = 0;
};

struct Edge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::vector<Difference> samples;
  double value = 0;  // a minus b
  double sigma = 0;
  double slope = 0;  // ns per ns
  double slope_error = 0;
  double span_ns = 0;
};

/// Fits the slope by Theil-Sen: the median of the slopes between the medians of at most 32 blocks of samples,
/// so a few late ends do not change it. The slope remains 0 if there are fewer than 12 samples.
void fit_slope(Edge& edge) {
  constexpr std::size_t kBlocks = 32;
  std::ranges::sort(edge.samples, {}, &Difference::time_ns);
  const std::size_t count = edge.samples.size();
  const std::size_t blocks = std::min(kBlocks, count / 3);
  edge.span_ns = edge.samples.back().time_ns - edge.samples.front().time_ns;
  if (blocks < 4 || edge.span_ns <= 0) return;
  std::vector<Difference> medians;
  for (std::size_t i = 0; i < blocks; ++i) {
    std::vector<double> times;
    std::vector<double> values;
    for (std::size_t k = i * count / blocks; k < (i + 1) * count / blocks; ++k) {
      times.push_back(edge.samples[k].time_ns);
      values.push_back(edge.samples[k].value_ns);
    }
    medians.push_back({median_of(std::move(times)), median_of(std::move(values))});
  }
  std::vector<double> slopes;
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t k = i + 1; k < blocks; ++k) {
      const double apart = medians[k].time_ns - medians[i].time_ns;
      if (apart > 0) slopes.push_back((medians[k].value_ns - medians[i].value_ns) / apart);
    }
  }
  edge.slope = median_of(std::move(slopes));
  std::vector<double> rest;
  rest.reserve(medians.size());
  for (const Difference& difference : medians)
    rest.push_back(difference.value_ns - edge.slope * difference.time_ns);
  const double noise = std::max(kLeastNoise, kToDeviation * deviation_of(rest, median_of(rest)));
  edge.slope_error = 1.25 * noise / (edge.span_ns * std::sqrt(static_cast<double>(blocks) / 12));
}

void fit_value(Edge& edge, double drift) {
  constexpr double kOfOne = 2 * kNsPerUs;
  std::vector<double> values;
  for (const Difference& difference : edge.samples)
    values.push_back(difference.value_ns - drift * difference.time_ns);
  edge.value = median_of(values);
  const double deviation = kToDeviation * deviation_of(values, edge.value);
  edge.sigma = values.size() < 2
                   ? kOfOne
                   : std::max(kLeastNoise, deviation / std::sqrt(static_cast<double>(values.size() - 1)));
}

class ClockFitter {
 public:
  ClockFitter(std::span<const RankDigest* const> ranks, const JobKernels& kernels, const MatchedJob& job,
              const std::stop_token& stop)
      : ranks_(ranks), kernels_(kernels), job_(job), stop_(stop) {
    clocks_.ranks.resize(ranks.size());
    clocks_.synchronizing.assign(job.groups.size(), 1);
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const CollectiveInstance& instance : job.instances) {
      for (const RankKernel& member : instance.kernels) {
        first = std::min(first, start_of(member));
        last = std::max(last, end_of(member));
      }
    }
    if (first <= last) clocks_.middle_ns = first + (last - first) / 2;
  }

  JobClocks run() {
    clocks_.raw = check({}).all;
    fit();
    ClockCausality fitted = check(clocks_.ranks);
    // Operations whose members end at different times, such as kernels that only send, do not constrain a
    // clock. Fit again without them.
    if (leave_out_groups(fitted.groups)) {
      fit();
      fitted = check(clocks_.ranks);
    }
    clocks_.fitted = fitted.all;
    bound(fitted.rooms);
    return std::move(clocks_);
  }

 private:
  ClockCausality check(std::span<const RankClock> corrections) const {
    return check_causality(ranks_, kernels_, job_, clocks_, corrections, stop_);
  }

  std::int64_t start_of(const RankKernel& member) const {
    return kernels_.ranks[member.rank].start_ns(member.kernel);
  }
  std::int64_t end_of(const RankKernel& member) const {
    return kernels_.ranks[member.rank].end_ns(member.kernel);
  }

  void fit() {
    gather_edges();
    find_components();
    if (stop_.stop_requested()) return;
    std::vector<double> drift(ranks_.size(), 0);
    each_edge([](Edge& edge) { fit_slope(edge); });
    for (std::uint32_t c = 0; c < clocks_.components; ++c) {
      if (drifts(c)) solve_drift(c, drift);
    }
    each_edge([&](Edge& edge) { fit_value(edge, drift[edge.a] - drift[edge.b]); });
    std::vector<double> offset(ranks_.size(), 0);
    solve([](const Edge& edge) { return edge.value; }, [](const Edge& edge) { return edge.sigma; }, offset);
    center(offset);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      clocks_.ranks[r].offset_ns = offset[r];
      clocks_.ranks[r].drift_ppb = drift[r] * 1e9;
    }
    set_errors(offset, drift);
  }

  template <class Body>
  void each_edge(Body&& body) {
    parallel_for(thread_count_or_default(0), edges_.size(), stop_,
                 [&](std::size_t e, unsigned) { body(edges_[e]); });
  }

  /// Compares each end with those of the four lowest ranks of its collective. Groups with very many
  /// collectives are sampled evenly, because more samples add no information on a clock.
  void gather_edges() {
    constexpr std::size_t kReferences = 4;
    constexpr std::size_t kEnough = 1024;
    std::vector<std::size_t> stride(job_.groups.size(), 0);
    for (const CollectiveInstance& instance : job_.instances) ++stride[instance.group];
    for (std::size_t& index : stride) index = std::max<std::size_t>(1, index / kEnough);
    std::vector<std::size_t> met(job_.groups.size(), 0);
    std::unordered_map<std::uint64_t, std::size_t> place_of;
    edges_.clear();
    std::vector<std::size_t> places;   // edges of the pairs of an instance
    std::vector<std::uint32_t> ranks;  // ranks of `places`, which mostly repeat in the next instance
    for (const CollectiveInstance& instance : job_.instances) {
      if (!constrains_clocks(instance, kernels_, clocks_) ||
          met[instance.group]++ % stride[instance.group] != 0)
        continue;
      if (!std::ranges::equal(ranks, instance.kernels, {}, {}, &RankKernel::rank)) {
        ranks.clear();
        for (const RankKernel& member : instance.kernels) ranks.push_back(member.rank);
        places.clear();
        each_pair(ranks.size(), kReferences, [&](std::size_t low, std::size_t i) {
          const auto key = std::uint64_t{ranks[i]} << 32U | ranks[low];
          const auto [known, fresh] = place_of.try_emplace(key, edges_.size());
          if (fresh) edges_.push_back({ranks[i], ranks[low], {}, 0, 0, 0, 0, 0});
          places.push_back(known->second);
        });
      }
      std::size_t next = 0;
      each_pair(ranks.size(), kReferences, [&](std::size_t low, std::size_t i) {
        const std::int64_t end = end_of(instance.kernels[low]);
        edges_[places[next++]].samples.push_back({static_cast<double>(end - clocks_.middle_ns),
                                                  static_cast<double>(end_of(instance.kernels[i]) - end)});
      });
    }
    of_rank_.assign(ranks_.size(), {});
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      of_rank_[edges_[e].a].push_back(e);
      of_rank_[edges_[e].b].push_back(e);
    }
  }

  template <class Visit>
  static void each_pair(std::size_t members, std::size_t references, Visit&& visit) {
    for (std::size_t low = 0; low < std::min(references, members); ++low) {
      for (std::size_t i = low + 1; i < members; ++i) visit(low, i);
    }
  }

  void find_components() {
    constexpr std::uint32_t kNone = 0xffffffffU;
    for (RankClock& clock : clocks_.ranks) clock.component = kNone;
    clocks_.components = 0;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      if (clocks_.ranks[r].component != kNone) continue;
      std::vector<std::uint32_t> open{r};
      clocks_.ranks[r].component = clocks_.components;
      while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        for (const std::size_t e : of_rank_[at]) {
          const std::uint32_t other = edges_[e].a == at ? edges_[e].b : edges_[e].a;
          if (clocks_.ranks[other].component != kNone) continue;
          clocks_.ranks[other].component = clocks_.components;
          open.push_back(other);
        }
      }
      ++clocks_.components;
    }
  }

  std::uint32_t component_of(const Edge& edge) const { return clocks_.ranks[edge.a].component; }

  /// Returns whether a component has drift. One edge with a significant slope is enough: drift is a property
  /// of machines.
  bool drifts(std::uint32_t component) const {
    constexpr double kSure = 8;
    constexpr double kEffect = 4 * kNsPerUs;
    return std::ranges::any_of(edges_, [&](const Edge& edge) {
      return component_of(edge) == component && edge.slope_error > 0 &&
             std::abs(edge.slope) > kSure * edge.slope_error && std::abs(edge.slope) * edge.span_ns > kEffect;
    });
  }

  /// Returns the standard deviation of a slope, at least 1 ppb. If an edge has too few collectives for a
  /// slope, its deviation is large.
  static double slope_sigma(const Edge& edge) {
    return edge.slope_error > 0 ? std::max(1e-9, edge.slope_error) : 1e-3;
  }

  void solve_drift(std::uint32_t component, std::vector<double>& drift) const {
    std::vector<double> all(ranks_.size(), 0);
    solve([](const Edge& edge) { return edge.slope; }, slope_sigma, all);
    center(all);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (clocks_.ranks[r].component == component) drift[r] = all[r];
    }
  }

  /// Solves for one potential per rank by least squares with Cauchy weights, starting from the spanning tree
  /// of the most certain edges. (Iterated medians would keep the starting point: edges within a machine
  /// outnumber those between machines.)
  template <class Value, class Sigma>
  void solve(Value&& value, Sigma&& sigma, std::vector<double>& potential) const {
    start_from_tree(value, sigma, potential);
    constexpr int kRounds = 20;
    constexpr int kSweeps = 50;
    std::vector<double> weight(edges_.size());
    for (int round = 0; round < kRounds && !stop_.stop_requested(); ++round) {
      for (std::size_t e = 0; e < edges_.size(); ++e) {
        const double s = sigma(edges_[e]);
        const double rest = (value(edges_[e]) - (potential[edges_[e].a] - potential[edges_[e].b])) / (3 * s);
        weight[e] = 1 / (s * s) / (1 + rest * rest);
      }
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        double largest = 0;
        for (std::size_t r = 0; r < potential.size(); ++r) {
          double sum = 0;
          double weights = 0;
          for (const std::size_t e : of_rank_[r]) {
            const Edge& edge = edges_[e];
            sum +=
                weight[e] * (edge.a == r ? potential[edge.b] + value(edge) : potential[edge.a] - value(edge));
            weights += weight[e];
          }
          if (weights == 0) continue;
          const double fresh = sum / weights;
          largest = std::max(largest, std::abs(fresh - std::exchange(potential[r], fresh)));
        }
        if (largest < 1e-12) break;
      }
    }
  }

  /// Adds up the variances along the most certain path to each rank, by Dijkstra's algorithm from the ranks
  /// whose variance is finite. Calls `reach` for each edge that lowers a variance. Returns the variances by
  /// rank.
  template <class Sigma, class Reach>
  std::vector<double> walk_surest(Sigma&& sigma, std::vector<double> variance, Reach&& reach) const {
    using Entry = std::pair<double, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      if (std::isfinite(variance[r])) open.push({variance[r], r});
    }
    while (!open.empty()) {
      const auto [at_variance, at] = open.top();
      open.pop();
      if (at_variance > variance[at]) continue;
      for (const std::size_t e : of_rank_[at]) {
        const Edge& edge = edges_[e];
        const std::uint32_t other = edge.a == at ? edge.b : edge.a;
        const double total = at_variance + sigma(edge) * sigma(edge);
        if (total >= variance[other]) continue;
        variance[other] = total;
        reach(edge, at, other);
        open.push({total, other});
      }
    }
    return variance;
  }

  std::vector<double> unreached() const {
    std::vector<double> variance(ranks_.size(), std::numeric_limits<double>::infinity());
    return variance;
  }

  /// Returns variances of the ranks' potentials relative to the median of their component, which center()
  /// sets to 0. With an even number of ranks the median is the mean of two ranks, so each of the two is half
  /// of their difference away.
  template <class Sigma>
  std::vector<double> variances_from_median(Sigma&& sigma, const std::vector<double>& potential) const {
    std::vector<std::vector<std::uint32_t>> members(clocks_.components);
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) members[clocks_.ranks[r].component].push_back(r);
    std::vector<double> start = unreached();
    for (std::vector<std::uint32_t>& ranks : members) {
      std::ranges::sort(ranks, {}, [&](std::uint32_t r) { return std::pair(potential[r], r); });
      start[ranks[(ranks.size() - 1) / 2]] = 0;
    }
    const auto nothing = [](const Edge&, std::uint32_t, std::uint32_t) {};
    const std::vector<double> from_one = walk_surest(sigma, start, nothing);
    for (const std::vector<std::uint32_t>& ranks : members) {
      const std::uint32_t other = ranks[ranks.size() / 2];
      start[ranks[(ranks.size() - 1) / 2]] = start[other] = from_one[other] / 4;
    }
    return walk_surest(sigma, std::move(start), nothing);
  }

  template <class Value, class Sigma>
  void start_from_tree(Value&& value, Sigma&& sigma, std::vector<double>& potential) const {
    std::ranges::fill(potential, 0);
    std::vector<double> start = unreached();
    std::vector<std::uint8_t> started(clocks_.components, 0);
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      if (std::exchange(started[clocks_.ranks[r].component], 1) == 0) start[r] = 0;
    }
    walk_surest(sigma, std::move(start), [&](const Edge& edge, std::uint32_t from, std::uint32_t to) {
      potential[to] = potential[from] + (edge.a == to ? value(edge) : -value(edge));
    });
  }

  void center(std::vector<double>& potential) const {
    for (std::uint32_t c = 0; c < clocks_.components; ++c) {
      std::vector<double> own;
      for (std::size_t r = 0; r < potential.size(); ++r) {
        if (clocks_.ranks[r].component == c) own.push_back(potential[r]);
      }
      const double middle = median_of(std::move(own));
      for (std::size_t r = 0; r < potential.size(); ++r) {
        if (clocks_.ranks[r].component == c) potential[r] -= middle;
      }
    }
  }

  void set_errors(const std::vector<double>& offset, const std::vector<double>& drift) {
    constexpr std::size_t kWays = 4;  // errors of this many edges are nearly independent
    std::vector<double> variance = variances_from_median([](const Edge& edge) { return edge.sigma; }, offset);
    // A drift that is not significant may still exist.
    std::vector<double> seen(ranks_.size(), 0);
    solve([](const Edge& edge) { return edge.slope; }, slope_sigma, seen);
    center(seen);
    const std::vector<double> seen_variance = variances_from_median(slope_sigma, seen);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      double own = 0;
      double span_ns = 0;
      for (const std::size_t e : of_rank_[r]) {
        own += edges_[e].sigma * edges_[e].sigma / static_cast<double>(of_rank_[r].size());
        span_ns = std::max(span_ns, edges_[e].span_ns);
      }
      const double unsure =
          drift[r] != 0 ? 0 : std::min(std::abs(seen[r]), 3 * std::sqrt(seen_variance[r])) * span_ns / 2;
      if (of_rank_[r].size() >= kWays) variance[r] = std::min(variance[r], own / kWays);
      clocks_.ranks[r].error_ns = std::max(kNsPerUs, 2 * std::sqrt(variance[r]) + unsure);
    }
  }

  bool leave_out_groups(const std::vector<ClockCausality::Counts>& counts) {
    bool any = false;
    for (std::size_t g = 0; g < counts.size(); ++g) {
      if (50 * counts[g].violated <= counts[g].checked) continue;
      clocks_.synchronizing[g] = 0;
      any = true;
    }
    return any;
  }

  void bound(const std::vector<OffsetBounds>& rooms) {
    for (std::size_t r = 0; r < rooms.size(); ++r) {
      if (rooms[r].least_ns != OffsetBounds::kLeast) clocks_.ranks[r].least_ns = rooms[r].least_ns;
      if (rooms[r].most_ns != OffsetBounds::kMost) clocks_.ranks[r].most_ns = rooms[r].most_ns;
    }
  }

  std::span<const RankDigest* const> ranks_;
  const JobKernels& kernels_;
  const MatchedJob& job_;
  const std::stop_token& stop_;
  JobClocks clocks_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> of_rank_;  // indices of edges
};

}  // namespace

bool synchronizes(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
    case CollectiveKind::other:
      return false;
    default:
      return true;
  }
}

std::int64_t JobClocks::common_ns(std::uint32_t rank, std::int64_t own_ns) const {
  const RankClock& clock = ranks[rank];
  const double since = static_cast<double>(own_ns - middle_ns) - clock.offset_ns;
  return own_ns - std::llround(clock.offset_ns + clock.drift_ppb / 1e9 * since);
}

bool JobClocks::joined(std::size_t rank) const {
  return std::ranges::count(ranks, ranks[rank].component, &RankClock::component) > 1;
}

double JobClocks::max_deviation_ns() const {
  std::unordered_map<std::uint32_t, std::pair<double, double>> ends;  // by component: least and largest
  double most = 0;
  for (const RankClock& clock : ranks) {
    auto& [least, largest] =
        ends.try_emplace(clock.component, clock.offset_ns, clock.offset_ns).first->second;
    least = std::min(least, clock.offset_ns);
    largest = std::max(largest, clock.offset_ns);
    most = std::max(most, largest - least);
  }
  return most;
}

std::int64_t JobClocks::tolerance_ns() const {
  double largest = 0;
  for (const RankClock& clock : ranks) largest = std::max(largest, clock.error_ns);
  return std::max<std::int64_t>(5000, std::llround(2 * largest));
}

JobClocks fit_clocks(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                     const MatchedJob& job, const std::stop_token& stop) {
  return ClockFitter(ranks, kernels, job, stop).run();
}

}  // namespace kino
