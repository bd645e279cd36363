#include "core/job/job_grouping.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <tuple>
#include <utility>

#include "core/job/collective_matching.hpp"
#include "core/job/job_kernels.hpp"
#include "core/tables/compare/median.hpp"

namespace kino {
namespace {

constexpr std::int64_t kMostApartNs = 5'000'000'000;

/// A recording with the properties that assign it to a job.
struct Candidate {
  Recording recording;
  std::string host;
  std::int64_t named_rank = -1;  ///< rank from the file's name; -1: unknown
  /// Returns the rank from the header, or from the file's name if the header has none.
  std::int64_t stated_rank() const { return digest().rank >= 0 ? digest().rank : named_rank; }
  const RankDigest& digest() const { return *recording.digest(); }
};

/// Returns whether the recording is part of a job of several ranks: it has a rank, a number of ranks above 1,
/// or communication.
bool is_of_several(const RankDigest& digest) {
  return digest.rank >= 0 || digest.world_size > 1 || !digest.kernels.empty();
}

/// A job while recordings are added to it in order of time.
struct Growing {
  std::vector<Candidate> candidates;
  std::set<std::int64_t> ranks;
  std::int64_t world_size = -1;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::set<std::int64_t> doubled = {};

  bool is_alone() const { return !is_of_several(candidates.front().digest()); }
  bool takes(const RankDigest& digest) const {
    return is_of_several(digest) && !is_alone() && digest.world_size == world_size &&
           digest.first_ns <= last_ns && (digest.rank < 0 || !ranks.contains(digest.rank));
  }
  void add(const Candidate& candidate) {
    const RankDigest& digest = candidate.digest();
    first_ns = candidates.empty() ? digest.first_ns : std::min(first_ns, digest.first_ns);
    last_ns = candidates.empty() ? digest.last_ns : std::max(last_ns, digest.last_ns);
    world_size = digest.world_size;
    if (digest.rank >= 0) ranks.insert(digest.rank);
    candidates.push_back(candidate);
  }
  /// Returns whether `later` can contain other ranks of the same job. Their times may be apart because clocks
  /// differ, or because ranks were recorded in sequence.
  bool goes_with(const Growing& later) const {
    return !is_alone() && !later.is_alone() && world_size == later.world_size &&
           later.first_ns <= last_ns + kMostApartNs &&
           std::ranges::none_of(later.ranks, [this](std::int64_t value) { return ranks.contains(value); });
  }
  void take(Growing later) {
    first_ns = std::min(first_ns, later.first_ns);
    last_ns = std::max(last_ns, later.last_ns);
    ranks.merge(later.ranks);
    std::ranges::move(later.candidates, std::back_inserter(candidates));
  }
};

bool overlap(const RankDigest& a, const RankDigest& b) {
  return std::max(a.first_ns, b.first_ns) < std::min(a.last_ns, b.last_ns);
}

/// Returns whether one recording is a copy of the other.
bool equal(const RankDigest& a, const RankDigest& b) {
  if (std::tie(a.rank, a.first_ns, a.last_ns) != std::tie(b.rank, b.first_ns, b.last_ns) ||
      a.kernels.size() != b.kernels.size())
    return false;
  for (std::size_t i = 0; i < a.kernels.size(); ++i) {
    if (a.kernels.start_ns(i) != b.kernels.start_ns(i) || a.kernels.end_ns(i) != b.kernels.end_ns(i))
      return false;
  }
  return true;
}

/// Returns whether the jobs contain two different recordings of one rank that overlap in time.
bool share_a_rank(const Growing& a, const Growing& b) {
  if (a.world_size != b.world_size) return false;
  return std::ranges::any_of(a.candidates, [&](const Candidate& x) {
    return x.digest().rank >= 0 && std::ranges::any_of(b.candidates, [&](const Candidate& y) {
             return x.digest().rank == y.digest().rank && overlap(x.digest(), y.digest()) &&
                    !equal(x.digest(), y.digest());
           });
  });
}

/// Agreement of two recordings: number of common collectives, and how closely their ends agree.
struct Agreement {
  double count = 0;
  double log_sum = 0;  ///< sum of ln(deviation in us + 1) over the collectives

  Agreement& operator+=(const Agreement& other) {
    count += other.count;
    log_sum += other.log_sum;
    return *this;
  }
  /// Returns the strength of the agreement, larger for more collectives and smaller deviations. 0 for
  /// deviations of 1 ms and more, or without collectives.
  double value() const {
    constexpr double kNone = 6.9;  // ln(1 ms / 1 us)
    return std::max(0.0, kNone * count - log_sum);
  }
  /// Returns whether this agreement excludes `other`, by the criterion of CollectiveMatcher for two shifts.
  bool rules_out(const Agreement& other) const {
    constexpr double kCertain = 10;
    constexpr double kFewest = 3;
    if (value() <= 0 || count < kFewest) return false;
    if (other.value() <= 0) return true;
    return std::min(count, other.count) * (other.log_sum / other.count - log_sum / count) >= kCertain;
  }
};

/// A collective that two recordings have in common.
struct SharedCollective {
  TimeRange in_a;  ///< time range by the own clock of `a`
  TimeRange in_b;
  MatchLevel level = MatchLevel::rejected;
  bool differ = false;  ///< both have a communication id, and the ids differ

  double apart_ns() const { return static_cast<double>(in_b.end_ns - in_a.end_ns); }
  /// Returns whether the ranges overlap, to 5 us, after b's clock was moved by `offset_ns`: no member ends
  /// before all have started.
  bool overlaps(double offset_ns) const {
    constexpr double kToleranceNs = 5e3;
    return static_cast<double>(in_b.begin_ns - in_a.end_ns) - offset_ns <= kToleranceNs &&
           static_cast<double>(in_a.begin_ns - in_b.end_ns) + offset_ns <= kToleranceNs;
  }
};

std::vector<SharedCollective> shared_collectives(const RankDigest& a, const RankDigest& b) {
  const std::vector<const RankDigest*> both{&a, &b};
  const JobKernels kernels = job_kernels(both);
  const MatchedJob matched = CollectiveMatcher(both, kernels, std::stop_token()).match();
  std::vector<SharedCollective> shared;
  shared.reserve(matched.instances.size());
  for (const CollectiveInstance& instance : matched.instances) {
    const RankKernel x = instance.kernels.front();
    const RankKernel y = instance.kernels.back();
    if (x.rank == y.rank) continue;
    const std::uint64_t one = a.kernels[x.kernel].communication;
    const std::uint64_t other = b.kernels[y.kernel].communication;
    const auto range_of = [&](const RankKernel& kernel) {
      const KernelColumns& columns = kernels.ranks[kernel.rank];
      return TimeRange{columns.start_ns(kernel.kernel), columns.end_ns(kernel.kernel)};
    };
    shared.push_back({range_of(x), range_of(y), instance.level, one != 0 && other != 0 && one != other});
  }
  return shared;
}

/// Returns the agreement of two recordings. Ends of common collectives differ by the offset of the clocks,
/// and by little else.
Agreement agreement_of(const RankDigest& a, const RankDigest& b) {
  const std::vector<SharedCollective> shared = shared_collectives(a, b);
  std::vector<double> apart_ns;
  apart_ns.reserve(shared.size());
  std::size_t contradict = 0;
  for (const SharedCollective& collective : shared) {
    contradict += collective.differ || collective.level == MatchLevel::rejected ? 1 : 0;
    apart_ns.push_back(collective.apart_ns());
  }
  if (2 * contradict >= apart_ns.size()) return {};
  const double deviation_us = deviation_of(apart_ns, median_of(apart_ns)) / kNsPerUs;
  const auto count = static_cast<double>(apart_ns.size() - contradict);
  return {count, count * std::log(deviation_us + 1)};
}

/// Returns whether collectives prove that two recordings belong to one job, if a header does not state it.
/// Rules: README.md, "Recordings without a rank".
bool proved_of_one_job(const RankDigest& a, const RankDigest& b) {
  constexpr std::size_t kFewest = 3;
  constexpr double kCertain = 10;
  if (a.kernels.empty() || b.kernels.empty() || equal(a, b)) return false;
  std::vector<SharedCollective> shared = shared_collectives(a, b);
  if (std::ranges::any_of(shared, &SharedCollective::differ)) return false;
  const std::size_t all = shared.size();
  std::erase_if(shared, [](const SharedCollective& collective) {
    return collective.level != MatchLevel::exact && collective.level != MatchLevel::proved;
  });
  if (shared.size() < kFewest || 2 * shared.size() < all) return false;
  std::vector<double> apart_ns(shared.size());
  std::ranges::transform(shared, apart_ns.begin(), &SharedCollective::apart_ns);
  const double offset_ns = median_of(apart_ns);
  const auto together = static_cast<std::size_t>(std::ranges::count_if(
      shared, [&](const SharedCollective& collective) { return collective.overlaps(offset_ns); }));
  if (10 * together < 9 * shared.size()) return false;
  // Up to a quarter of the pairs may deviate more. If there are few pairs, all must be close, which a median
  // does not ensure.
  for (double& value : apart_ns) value = std::abs(value - offset_ns);
  const auto quartile = apart_ns.begin() + static_cast<std::ptrdiff_t>(3 * apart_ns.size() / 4);
  std::nth_element(apart_ns.begin(), quartile, apart_ns.end());
  return static_cast<double>(shared.size()) * std::log(1e3 / (*quartile / kNsPerUs + 1)) >= kCertain;
}

/// Returns whether a recording belongs to a job. Compares it with the latest members only.
bool belongs_to(const Candidate& candidate, const Growing& job) {
  constexpr std::size_t kLookedAt = 8;
  const std::size_t count = job.candidates.size();
  for (std::size_t i = count; i-- > 0 && count - i <= kLookedAt;) {
    if (proved_of_one_job(job.candidates[i].digest(), candidate.digest())) return true;
  }
  return false;
}

/// Splits off recordings without a known rank, unless collectives prove that they belong to the job. The rank
/// in a file's name counts if no other recording of the job has this rank.
std::vector<Growing> without_strangers(std::vector<Growing> jobs) {
  constexpr std::size_t kLookedAt = 16;
  std::vector<Growing> out;
  for (Growing& job : jobs) {
    Growing numbered;
    std::set<std::int64_t> stated;
    std::vector<Candidate> unnumbered;
    for (Candidate& candidate : job.candidates) {
      if (candidate.digest().rank >= 0) stated.insert(candidate.digest().rank);
    }
    for (Candidate& candidate : job.candidates) {
      const std::int64_t rank = candidate.stated_rank();
      if (candidate.digest().rank >= 0 || (rank >= 0 && stated.insert(rank).second)) {
        numbered.add(candidate);
      } else {
        unnumbered.push_back(std::move(candidate));
      }
    }
    std::vector<Growing> parts;
    if (!numbered.candidates.empty()) parts.push_back(std::move(numbered));
    for (const Candidate& candidate : unnumbered) {
      Growing joined;
      joined.add(candidate);
      std::size_t looked_at = 0;
      for (std::size_t i = parts.size(); i-- > 0 && looked_at < kLookedAt; ++looked_at) {
        if (!belongs_to(candidate, parts[i])) continue;
        Growing earlier = std::move(parts[i]);
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
        earlier.take(std::move(joined));
        joined = std::move(earlier);
      }
      parts.push_back(std::move(joined));
    }
    std::ranges::move(parts, std::back_inserter(out));
  }
  std::ranges::stable_sort(out, {}, &Growing::first_ns);
  return out;
}

/// Distributes recordings of several jobs that ran at the same time. Each rank's recordings go to different
/// jobs.
class JobSplit {
 public:
  explicit JobSplit(std::vector<Growing> mixed) : jobs_(mixed.size()) {
    std::int64_t unnumbered = -1;  // each recording without a rank has a separate key
    for (Growing& job : mixed) {
      for (Candidate& candidate : job.candidates) {
        const std::int64_t rank = candidate.digest().rank;
        by_rank_[rank >= 0 ? rank : unnumbered--].push_back(std::move(candidate));
      }
    }
  }

  std::vector<Growing> split() && {
    seed();
    // First assign ranks that share a group with assigned recordings, because other ranks have nothing to
    // compare with yet.
    constexpr std::size_t kLookedAt = 16;
    while (!by_rank_.empty()) {
      std::optional<std::int64_t> best;
      Fit fit;
      std::size_t looked_at = 0;
      for (const auto& [rank, candidates] : by_rank_) {
        if (++looked_at > kLookedAt) break;
        Fit found = fit_of(candidates);
        if (best && !(found > fit)) continue;
        best = rank;
        fit = std::move(found);
        if (fit.certain) break;
      }
      place(*best, fit);
    }
    for (Growing& job : jobs_) job.doubled = undecided_;
    std::erase_if(jobs_, [](const Growing& job) { return job.candidates.empty(); });
    return std::move(jobs_);
  }

 private:
  /// Assignment of the recordings of one rank to jobs.
  struct Fit {
    std::vector<std::size_t> job;
    double value = -1;  ///< see Agreement
    bool certain = false;
    bool operator>(const Fit& other) const {
      return std::pair(certain, value) > std::pair(other.certain, other.value);
    }
  };

  /// Starts the jobs with the recordings of the rank that has the most recordings.
  void seed() {
    const auto most = std::ranges::max_element(
        by_rank_, {}, [](const auto& entry) { return std::pair(entry.second.size(), -entry.first); });
    jobs_.resize(std::max(jobs_.size(), most->second.size()));
    for (std::size_t i = 0; i < most->second.size(); ++i) jobs_[i].add(most->second[i]);
    seed_rank_ = most->first;
    by_rank_.erase(most);
  }

  /// Returns the agreement of a recording with the latest members of the job.
  static Agreement agreement_with(const Candidate& candidate, const Growing& job) {
    constexpr std::size_t kCompared = 3;
    constexpr std::size_t kLookedAt = 12;
    Agreement sum;
    std::size_t compared = 0;
    // Start with the latest members: ranks with adjacent numbers are more often in one group.
    const std::size_t count = job.candidates.size();
    for (std::size_t i = count; i-- > 0 && compared < kCompared && count - i <= kLookedAt;) {
      const Agreement found = agreement_of(job.candidates[i].digest(), candidate.digest());
      sum += found;
      compared += found.count > 0 ? 1 : 0;
    }
    return sum;
  }

  static bool on_a_host_of(const Candidate& candidate, const Growing& job) {
    return !candidate.host.empty() && std::ranges::any_of(job.candidates, [&](const Candidate& member) {
      return member.host == candidate.host;
    });
  }

  /// Returns the best job for each recording. Pairs of a recording and a job are assigned in order of their
  /// agreement, strongest first.
  Fit fit_of(const std::vector<Candidate>& candidates) const {
    struct Choice {
      Agreement agreement;
      bool host = false;
      std::size_t recording = 0;
      std::size_t job = 0;
      bool rules_out(const Choice& other) const {
        const bool nothing = agreement.value() <= 0 && other.agreement.value() <= 0;
        return nothing ? host && !other.host : agreement.rules_out(other.agreement);
      }
    };
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      for (std::size_t j = 0; j < jobs_.size(); ++j) {
        choices.push_back(
            {agreement_with(candidates[i], jobs_[j]), on_a_host_of(candidates[i], jobs_[j]), i, j});
      }
    }
    std::ranges::stable_sort(choices, std::ranges::greater{}, [](const Choice& choice) {
      return std::pair(choice.agreement.value(), choice.host);
    });
    Fit fit;
    fit.job.assign(candidates.size(), jobs_.size());
    fit.value = 0;
    fit.certain = true;
    std::set<std::size_t> taken;
    for (const Choice& choice : choices) {
      if (fit.job[choice.recording] < jobs_.size() || taken.contains(choice.job)) continue;
      fit.job[choice.recording] = choice.job;
      fit.value += choice.agreement.value();
      taken.insert(choice.job);
      fit.certain =
          fit.certain && std::ranges::none_of(choices, [&](const Choice& other) {
            return other.recording == choice.recording && other.job != choice.job && !choice.rules_out(other);
          });
    }
    return fit;
  }

  void place(std::int64_t rank, const Fit& fit) {
    std::vector<Candidate> candidates = std::move(by_rank_.at(rank));
    by_rank_.erase(rank);
    // If the only recording of a rank fits several jobs, it is unknown to which of them it belongs.
    const bool several = candidates.size() > 1;
    const bool communicates = std::ranges::any_of(
        candidates, [](const Candidate& candidate) { return !candidate.digest().kernels.empty(); });
    if (!fit.certain && communicates && (several || fit.value > 0))
      undecided_.insert(several ? rank : seed_rank_);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::size_t job = fit.job[i] < jobs_.size() ? fit.job[i] : jobs_.size();
      if (job == jobs_.size()) jobs_.emplace_back();
      jobs_[job].add(candidates[i]);
    }
  }

  std::map<std::int64_t, std::vector<Candidate>> by_rank_;
  std::vector<Growing> jobs_;
  std::int64_t seed_rank_ = 0;
  std::set<std::int64_t> undecided_;
};

/// Splits groups of jobs in which a rank was recorded twice at the same time.
std::vector<Growing> disambiguated(std::vector<Growing> jobs) {
  std::vector<Growing> out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].candidates.empty()) continue;
    std::vector<Growing> mixed{std::move(jobs[i])};
    for (std::size_t m = 0; m < mixed.size(); ++m) {
      for (std::size_t j = i + 1; j < jobs.size(); ++j) {
        if (jobs[j].candidates.empty() || !share_a_rank(mixed[m], jobs[j])) continue;
        mixed.push_back(std::move(jobs[j]));
        jobs[j] = {};
      }
    }
    if (mixed.size() > 1) mixed = JobSplit(std::move(mixed)).split();
    std::ranges::move(mixed, std::back_inserter(out));
  }
  return out;
}

std::vector<Candidate> candidates_of(const std::vector<Recording>& recordings,
                                     const std::vector<std::string>& hosts,
                                     const std::vector<std::int64_t>& named_ranks) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    if (recordings[i].digest() == nullptr) continue;
    candidates.push_back({recordings[i], i < hosts.size() ? hosts[i] : std::string(),
                          i < named_ranks.size() ? named_ranks[i] : -1});
  }
  std::ranges::stable_sort(candidates, {}, [](const Candidate& candidate) {
    return std::tuple(candidate.digest().first_ns, candidate.digest().rank);
  });
  return candidates;
}

}  // namespace

std::vector<Job> jobs_of(const std::vector<Recording>& recordings, const std::vector<std::string>& hosts,
                         const std::vector<std::int64_t>& named_ranks) {
  std::vector<Growing> growing;
  for (const Candidate& candidate : candidates_of(recordings, hosts, named_ranks)) {
    const RankDigest& digest = candidate.digest();
    auto found = std::ranges::find_if(growing, [&](const Growing& job) { return job.takes(digest); });
    if (found == growing.end()) found = growing.emplace(growing.end());
    found->add(candidate);
  }
  // Recordings of one profiler cycle overlap. Other recordings belong to the same job only if no rank
  // repeats.
  std::vector<Growing> joined;
  for (Growing& job : growing) {
    const auto before =
        std::ranges::find_if(joined, [&](const Growing& other) { return other.goes_with(job); });
    if (before == joined.end()) {
      joined.push_back(std::move(job));
    } else {
      before->take(std::move(job));
    }
  }
  std::vector<Job> jobs;
  for (Growing& group : disambiguated(without_strangers(std::move(joined)))) {
    std::ranges::stable_sort(group.candidates, {}, [](const Candidate& one) {
      return std::pair(one.digest().rank, one.digest().first_ns);
    });
    Job& job = jobs.emplace_back();
    for (Candidate& one : group.candidates) job.recordings.push_back(std::move(one.recording));
    job.doubled.assign(group.doubled.begin(), group.doubled.end());
  }
  return jobs;
}

}  // namespace kino
