#include "app/pages/job/job_picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kino {

bool clocks_differ(const JobAnalysis& job) {
  return std::ranges::any_of(job.clocks.ranks, [](const RankClock& clock) {
    return std::abs(clock.offset_ns) > std::max(20'000.0, clock.error_ns);
  });
}

std::size_t JobPicture::first_kernel_from(std::size_t rank, std::int64_t least_ns) const {
  std::size_t first = 0;
  for (std::size_t left = kernel_count(rank); left > 0;) {
    const std::size_t half = left / 2;
    if (kernel(rank, first + half).begin_ns >= least_ns) {
      left = half;
    } else {
      first += half + 1;
      left -= half + 1;
    }
  }
  return first;
}

namespace {

/// Converts a time of a rank's clock to the clock of the page.
std::int64_t shown_ns(const JobAnalysis& job, std::size_t rank, std::int64_t own_ns, PageClocks clocks) {
  return clocks == PageClocks::own ? own_ns : job.clocks.common_ns(static_cast<std::uint32_t>(rank), own_ns);
}

RankPicture picture_of_rank(const JobAnalysis& job, std::size_t i, std::int64_t begin_ns, PageClocks clocks) {
  const RankDigest& rank = *job.ranks[i];
  const auto moved = [&](const TimeRange& own) {
    const std::int64_t begin = shown_ns(job, i, own.begin_ns, clocks) - begin_ns;
    return TimeRange{begin, begin + own.length_ns()};
  };
  const auto line = [&](std::vector<TimeRange> own) {
    for (TimeRange& interval : own) interval = moved(interval);
    return united(std::move(own));
  };
  RankPicture drawn;
  if (clocks != PageClocks::own) {
    const RankClock& clock = job.clocks.ranks[i];
    const auto from_middle = static_cast<double>(begin_ns - job.clocks.middle_ns);
    drawn.own_rate = 1 + clock.drift_ppb * 1e-9;
    drawn.own_begin_ns = begin_ns + std::llround(clock.offset_ns + from_middle * clock.drift_ppb * 1e-9);
  } else {
    drawn.own_begin_ns = begin_ns;
  }
  drawn.compute = BusyLine(line(rank.compute.list()));
  drawn.copies = BusyLine(line(rank.copies.list()));
  std::vector<TimeRange> waiting;
  std::vector<TimeRange> moving;
  waiting.reserve(rank.kernels.size());
  moving.reserve(rank.kernels.size());
  for (std::size_t k = 0; k < rank.kernels.size(); ++k) {
    const TimeRange range = moved({rank.kernels.start_ns(k), rank.kernels.end_ns(k)});
    const std::int64_t waited = range.begin_ns + job.waits.kernels[i][k].waiting_ns;
    drawn.longest_kernel_ns = std::max(drawn.longest_kernel_ns, range.length_ns());
    if (k % RankPicture::kWaitBlock == 0) drawn.longest_waits_ns.push_back(0);
    drawn.longest_waits_ns.back() = std::max(drawn.longest_waits_ns.back(), waited - range.begin_ns);
    waiting.push_back({range.begin_ns, waited});
    moving.push_back({waited, range.end_ns});
  }
  moving = united(std::move(moving));
  drawn.waiting = BusyLine(without_ranges(united(std::move(waiting)), moving));
  drawn.moving = BusyLine(std::move(moving));
  for (const RankStep& step : rank.steps) drawn.steps.push_back({step.number, moved(step.range)});
  return drawn;
}

}  // namespace

JobPicture picture_of(std::shared_ptr<const JobAnalysis> job, std::vector<std::filesystem::path> files,
                      PageClocks clocks, const std::stop_token& stop) {
  JobPicture picture;
  // A stopped analysis may lack data that the code below uses.
  if (stop.stop_requested()) return picture;
  picture.files = std::move(files);
  picture.clocks = clocks;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < job->ranks.size(); ++i) {
    const std::int64_t first = shown_ns(*job, i, job->ranks[i]->first_ns, clocks);
    picture.begin_ns = i == 0 ? first : std::min(picture.begin_ns, first);
    const std::int64_t last = shown_ns(*job, i, job->ranks[i]->last_ns, clocks);
    end = i == 0 ? last : std::max(end, last);
  }
  picture.content = {0, std::max<std::int64_t>(1, end - picture.begin_ns)};
  for (std::size_t i = 0; i < job->ranks.size() && !stop.stop_requested(); ++i) {
    picture.ranks.push_back(picture_of_rank(*job, i, picture.begin_ns, clocks));
    picture.most_caused_ns = std::max(picture.most_caused_ns, job->blame[i].caused_ns);
  }
  if (stop.stop_requested()) return picture;
  picture.steps = steps_of(*job);
  std::erase_if(picture.steps, [](const JobStep& step) { return step.number < 0; });
  picture.levels = level_counts(job->matched);
  const std::vector<CollectiveWait>& collectives = job->waits.collectives;
  for (std::uint32_t i = 0; i < collectives.size(); ++i) {
    if (collectives[i].last != CollectiveWait::kNoRank) picture.late.push_back(i);
  }
  std::ranges::stable_sort(picture.late, std::ranges::greater{},
                           [&](std::uint32_t i) { return collectives[i].waiting_ns; });
  picture.job = std::move(job);
  return picture;
}

}  // namespace kino
