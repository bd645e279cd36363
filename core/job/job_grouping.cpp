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
  std::int64_t last_ns = 0;

  bool takes(const RankDigest& digest) const {
    return digest.world_size == world_size && digest.first_ns <= last_ns + kMostApartNs &&
           (digest.rank < 0 || !ranks.contains(digest.rank));
  }
  void add(const Recording& recording, const RankDigest& digest) {
    last_ns = job.recordings.empty() ? digest.last_ns : std::max(last_ns, digest.last_ns);
    world_size = digest.world_size;
    ranks.insert(digest.rank);
    job.recordings.push_back(recording);
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
  std::vector<Job> jobs;
  for (Growing& it : growing) {
    std::ranges::stable_sort(it.job.recordings, {}, [](const Recording& one) { return one.digest()->rank; });
    jobs.push_back(std::move(it.job));
  }
  return jobs;
}

}  // namespace kino
