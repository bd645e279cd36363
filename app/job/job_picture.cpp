#include "app/job/job_picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kino {

bool clocks_differ(const JobAnalysis& job) {
  return std::ranges::any_of(job.clocks.ranks, [](const RankClock& clock) {
    return std::abs(clock.offset_ns) > std::max(20'000.0, clock.error_ns);
  });
}

JobPicture picture_of(std::shared_ptr<const JobAnalysis> job, bool fitted, const std::stop_token& stop) {
  JobPicture picture;
  picture.fitted = fitted;
  const auto common = [&](std::size_t rank, std::int64_t own_ns) {
    return fitted ? job->clocks.common_ns(static_cast<std::uint32_t>(rank), own_ns) : own_ns;
  };
  std::int64_t end = 0;
  for (std::size_t i = 0; i < job->ranks.size(); ++i) {
    const std::int64_t first = common(i, job->ranks[i]->first_ns);
    picture.begin_ns = i == 0 ? first : std::min(picture.begin_ns, first);
    const std::int64_t last = common(i, job->ranks[i]->last_ns);
    end = i == 0 ? last : std::max(end, last);
  }
  picture.content = {0, std::max<std::int64_t>(1, end - picture.begin_ns)};
  for (std::size_t i = 0; i < job->ranks.size() && !stop.stop_requested(); ++i) {
    const RankDigest& rank = *job->ranks[i];
    const auto moved = [&](const TimeRange& own) {
      const std::int64_t begin = common(i, own.begin_ns) - picture.begin_ns;
      return TimeRange{begin, begin + own.length_ns()};
    };
    const auto line = [&](std::vector<TimeRange> own) {
      for (TimeRange& it : own) it = moved(it);
      return united(std::move(own));
    };
    RankPicture& drawn = picture.ranks.emplace_back();
    drawn.compute = BusyLine(line(rank.compute));
    drawn.copies = BusyLine(line(rank.copies));
    std::vector<TimeRange> waiting;
    std::vector<TimeRange> moving;
    for (std::size_t k = 0; k < rank.kernels.size(); ++k) {
      const TimeRange range = moved({rank.kernels[k].start_ns, rank.kernels[k].end_ns()});
      const std::int64_t waited = range.begin_ns + job->waits.kernels[i][k].waiting_ns;
      drawn.kernels.push_back(range);
      waiting.push_back({range.begin_ns, waited});
      moving.push_back({waited, range.end_ns});
    }
    moving = united(std::move(moving));
    drawn.waiting = BusyLine(left_of(united(std::move(waiting)), moving));
    drawn.moving = BusyLine(std::move(moving));
    for (const RankStep& step : rank.steps) drawn.steps.push_back({step.number, moved(step.range)});
    picture.most_caused_ns = std::max(picture.most_caused_ns, job->blame[i].caused_ns);
  }
  picture.steps = steps_of(*job);
  std::erase_if(picture.steps, [](const JobStep& step) { return step.number < 0; });
  picture.job = std::move(job);
  return picture;
}

}  // namespace kino
