#include "core/job/job_grouping.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace kino {
namespace {

constexpr std::int64_t kMostApartNs = 5'000'000'000;

/// Of recordings in order of time, as they are added.
struct Growing {
  Job job;
  std::set<std::int64_t> ranks;
  std::int64_t world_size = -1;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;

  bool takes(const RankDigest& digest) const {
    return digest.world_size == world_size && digest.first_ns <= last_ns &&
           (digest.rank < 0 || !ranks.contains(digest.rank));
  }
  void add(const Recording& recording, const RankDigest& digest) {
    first_ns = job.recordings.empty() ? digest.first_ns : std::min(first_ns, digest.first_ns);
    last_ns = job.recordings.empty() ? digest.last_ns : std::max(last_ns, digest.last_ns);
    world_size = digest.world_size;
    if (digest.rank >= 0) ranks.insert(digest.rank);
    job.recordings.push_back(recording);
  }
  /// Ranks whose clocks are apart, or that recorded one after the other.
  bool goes_with(const Growing& later) const {
    return world_size == later.world_size && later.first_ns <= last_ns + kMostApartNs &&
           std::ranges::none_of(later.ranks, [this](std::int64_t it) { return ranks.contains(it); });
  }
  void take(Growing later) {
    last_ns = std::max(last_ns, later.last_ns);
    ranks.merge(later.ranks);
    std::ranges::move(later.job.recordings, std::back_inserter(job.recordings));
  }
};

}  // namespace

std::vector<Job> jobs_of(const std::vector<Recording>& recordings) {
  std::vector<Recording> digests;
  std::ranges::copy_if(recordings, std::back_inserter(digests),
                       [](const Recording& it) { return it.digest() != nullptr; });
  std::ranges::stable_sort(
      digests, {}, [](const Recording& it) { return std::tuple(it.digest()->first_ns, it.digest()->rank); });
  std::vector<Growing> growing;
  for (const Recording& recording : digests) {
    const RankDigest& digest = *recording.digest();
    auto found = std::ranges::find_if(growing, [&](const Growing& it) { return it.takes(digest); });
    if (found == growing.end()) found = growing.emplace(growing.end());
    found->add(recording, digest);
  }
  // Recordings of one cycle of a schedule overlap: what does not, is of the same only if no rank is twice.
  std::vector<Growing> joined;
  for (Growing& it : growing) {
    const auto before =
        std::ranges::find_if(joined, [&](const Growing& other) { return other.goes_with(it); });
    if (before == joined.end()) {
      joined.push_back(std::move(it));
    } else {
      before->take(std::move(it));
    }
  }
  std::vector<Job> jobs;
  for (Growing& it : joined) {
    std::ranges::stable_sort(it.job.recordings, {}, [](const Recording& one) { return one.digest()->rank; });
    jobs.push_back(std::move(it.job));
  }
  return jobs;
}

}  // namespace kino
