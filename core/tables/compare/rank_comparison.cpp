#include "core/tables/compare/rank_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/base/time_text.hpp"
#include "core/tables/compare/median.hpp"
#include "core/tables/compare/statistics.hpp"

namespace kino {
namespace {

constexpr double kMinChange = 0.01;  // share of a step; smaller changes of own work are ignored
constexpr double kAlike = 0.5;       // minimum share of the largest change for a change to be similar

struct RankSamples {
  std::vector<std::int64_t> own_ns;
  double step_ns = 0;  ///< mean over the steps, like communication_ns
  double communication_ns = 0;
};

RankSamples samples_of(const RunRecord& run) {
  RankSamples samples;
  for (const RunWindow& window : run.windows) {
    const std::int64_t communication_ns = window.causes[static_cast<std::size_t>(TimeCategory::comm)];
    samples.own_ns.push_back(window.length_ns() - communication_ns);
    samples.step_ns += static_cast<double>(window.length_ns());
    samples.communication_ns += static_cast<double>(communication_ns);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, run.windows.size()));
  samples.step_ns /= count;
  samples.communication_ns /= count;
  return samples;
}

RankChange change_of(std::int64_t rank, const RankSamples& a, const RankSamples& b) {
  RankChange change;
  change.rank = rank;
  change.step_ns = b.step_ns - a.step_ns;
  change.communication_ns = b.communication_ns - a.communication_ns;
  change.own_ns = change.step_ns - change.communication_ns;
  if (a.own_ns.size() >= kMinVerdictSamples && b.own_ns.size() >= kMinVerdictSamples)
    change.p = mann_whitney_p(a.own_ns, b.own_ns);
  return change;
}

template <class Get>
double median_of_ranks(const std::vector<RankChange>& ranks, const Get& get) {
  std::vector<double> values;
  values.reserve(ranks.size());
  for (const RankChange& rank : ranks) values.push_back(std::invoke(get, rank));
  return median_of(std::move(values));
}

/// Considers ranks whose own work changed by at least half of the largest change, in the direction of the
/// job's change. If these are most ranks, sets JobChange::shared. If they are not, sets JobChange::roots to
/// them, without those whose test finds no difference. Does nothing if the largest change is below
/// kMinChange.
void find_roots(JobChange& job) {
  const double least_ns = kMinChange * job.mean_step_a_ns;
  const double step_ns = median_of_ranks(job.ranks, &RankChange::step_ns);
  const auto most =
      std::ranges::max_element(job.ranks, {}, [](const RankChange& rank) { return std::abs(rank.own_ns); });
  const bool longer = std::abs(step_ns) >= least_ns ? step_ns > 0 : most->own_ns > 0;
  const auto own = [&](const RankChange& rank) { return longer ? rank.own_ns : -rank.own_ns; };
  std::vector<RankChange> order = job.ranks;
  std::ranges::stable_sort(order, std::ranges::greater{}, own);
  const double largest_ns = own(order.front());
  if (largest_ns < least_ns || largest_ns <= 0) return;
  std::size_t alike = 0;
  while (alike < order.size() && own(order[alike]) >= kAlike * largest_ns) ++alike;
  job.shared = 2 * alike > order.size();
  if (job.shared) return;
  for (std::size_t i = 0; i < alike; ++i) {
    if (!(order[i].p >= kSignificant)) job.roots.push_back(order[i].rank);
  }
}

Message longer_text(double ns) {
  return {ns < 0 ? msg::less_named : msg::more, text_from_duration(std::llround(std::abs(ns)))};
}

/// Returns "0, 1 and 4". For more than six ranks, returns the first six and the number of the others.
Message listed(const std::vector<std::int64_t>& ranks) {
  constexpr std::size_t kMaxNamed = 6;
  std::vector<Message> named;
  named.reserve(kMaxNamed + 1);
  for (std::size_t i = 0; i < std::min(kMaxNamed, ranks.size()); ++i)
    named.emplace_back(std::to_string(ranks[i]));
  if (ranks.size() > kMaxNamed)
    named.emplace_back(msg::count_others, std::to_string(ranks.size() - kMaxNamed));
  const Message last = named.back();
  named.pop_back();
  return named.empty() ? last : Message(msg::and_pair, comma_list(named), last);
}

auto of_same_rank(const std::vector<RunRecord>& runs, const RunRecord& run) {
  return std::ranges::find(runs, run.facts.rank, [](const RunRecord& other) { return other.facts.rank; });
}

}  // namespace

JobChange job_change(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b) {
  JobChange job;
  std::vector<double> means;
  for (const RunRecord& run_a : a) {
    const auto run_b = of_same_rank(b, run_a);
    if (run_b == b.end() || run_a.windows.empty() || run_b->windows.empty()) continue;
    const RankSamples samples = samples_of(run_a);
    means.push_back(samples.step_ns);
    job.ranks.push_back(change_of(run_a.facts.rank, samples, samples_of(*run_b)));
  }
  if (job.ranks.empty()) return job;
  std::ranges::stable_sort(job.ranks, {}, &RankChange::rank);
  job.mean_step_a_ns = median_of(std::move(means));
  find_roots(job);
  if (!job.roots.empty()) {
    job.head = job.roots.front();
    return job;
  }
  std::vector<RankChange> order = job.ranks;
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
  std::ranges::nth_element(order, middle, {},
                           [](const RankChange& rank) { return std::pair(rank.own_ns, rank.rank); });
  job.head = middle->rank;
  return job;
}

Message JobChange::sentence() const {
  if (ranks.empty()) return {};
  const double own_ns = median_of_ranks(ranks, &RankChange::own_ns);
  const double communication_ns = median_of_ranks(ranks, &RankChange::communication_ns);
  const double least_ns = kMinChange * mean_step_a_ns;
  if (roots.empty()) {
    if (ranks.size() == 1) return {};
    if (shared && std::abs(own_ns) >= least_ns) return {msg::own_work_of_most_ranks, longer_text(own_ns)};
    if (std::abs(communication_ns) >= least_ns)
      return {msg::no_outlier_rank_but_communication, longer_text(communication_ns)};
    return msg::no_outlier_rank;
  }
  std::vector<RankChange> others;
  double root_ns = 0;
  for (const RankChange& rank : ranks) {
    if (rank.rank == roots.front()) root_ns = rank.own_ns;
    if (std::ranges::find(roots, rank.rank) == roots.end()) others.push_back(rank);
  }
  const bool one = roots.size() == 1;
  const double waited_ns = median_of_ranks(others, &RankChange::communication_ns);
  const bool follows = waited_ns * root_ns > 0 && std::abs(waited_ns) >= kAlike * std::abs(root_ns);
  const Message change = longer_text(root_ns);
  const Message waited = longer_text(waited_ns);
  if (!follows) {
    return {one ? msg::rank_own_work : msg::ranks_own_work, listed(roots), change};
  }
  if (others.size() == 1) {
    return {one ? msg::rank_slower_other_waits : msg::ranks_slower_other_waits, listed(roots), change,
            waited};
  }
  return {one ? msg::rank_slower_others_wait : msg::ranks_slower_others_wait, listed(roots), change,
          grouped(others.size()), waited};
}

std::vector<RunCheck> job_checks(const JobFacts& a, const JobFacts& b) {
  const auto ranks = [](const JobFacts& job) {
    const std::size_t all = job.ranks + job.lost.size();
    return all == 0 ? Message(msg::one_trace)
                    : Message(msg::count_of_all, std::to_string(job.ranks), std::to_string(all));
  };
  RunCheck read{RunCheckKind::ranks,
                CheckResult::alike,
                msg::ranks,
                ranks(a),
                ranks(b),
                msg::compared_with_same_rank,
                {}};
  for (const JobFacts* const job : {&a, &b}) {
    for (const std::string& line : job->lost) {
      read.result = CheckResult::warns;
      read.outcome = line;
      read.line = read.line.empty() ? Message(line) : Message(msg::with_semicolon, read.line, line);
    }
  }
  return {read,
          {RunCheckKind::waiting,
           CheckResult::alike,
           msg::waiting,
           a.verdict,
           b.verdict,
           msg::straggler_verdict,
           {}}};
}

std::vector<RankComparison> compare_ranks(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b,
                                          const CompareOptions& options, const std::stop_token& stop) {
  std::vector<RankComparison> ranks;
  for (const RunRecord& run_a : a) {
    if (stop.stop_requested()) break;
    const auto run_b = of_same_rank(b, run_a);
    if (run_b == b.end()) continue;
    RankComparison& rank = ranks.emplace_back();
    rank.rank = run_a.facts.rank;
    rank.comparison = compare_runs(run_a, *run_b, options, stop);
    rank.comparison.rows = {};
    rank.comparison.replacements = {};
    rank.comparison.layers = {};
  }
  return ranks;
}

}  // namespace kino
