#include "app/pages/job/job_alignment.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace kino {
namespace {

using RankMoment = std::pair<std::uint32_t, std::int64_t>;

JobClocks clocks_of(const JobPicture& picture) {
  JobClocks clocks = picture.job->clocks;
  if (picture.clocks != PageClocks::own) return clocks;
  for (RankClock& clock : clocks.ranks) clock.offset_ns = clock.drift_ppb = 0;
  return clocks;
}

/// Returns the clocks of the picture, shifted so that all moments coincide with the median moment.
JobClocks moved(const JobPicture& picture, const std::vector<RankMoment>& moments) {
  JobClocks clocks = clocks_of(picture);
  std::vector<std::int64_t> times;
  times.reserve(moments.size());
  for (const auto& [rank, time_ns] : moments) times.push_back(time_ns);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  for (const auto& [rank, time_ns] : moments)
    clocks.ranks[rank].offset_ns += static_cast<double>(time_ns - *middle);
  return clocks;
}

}  // namespace

JobClocks aligned_at_collective(const JobPicture& picture, std::uint32_t collective) {
  std::vector<RankMoment> moments;
  const std::uint32_t instance = picture.job->waits.collectives[collective].instance;
  for (const RankKernel& member : picture.job->matched.instances[instance].kernels)
    moments.emplace_back(member.rank, picture.kernel(member.rank, member.kernel).end_ns);
  return moved(picture, moments);
}

std::optional<JobClocks> aligned_at_step(const JobPicture& picture, std::int64_t number) {
  std::vector<RankMoment> moments;
  for (std::uint32_t i = 0; i < picture.ranks.size(); ++i) {
    const auto& steps = picture.ranks[i].steps;
    const auto found = std::ranges::find(steps, number, &RankStep::number);
    if (found != steps.end()) moments.emplace_back(i, found->range.begin_ns);
  }
  if (moments.size() < 2) return std::nullopt;
  return moved(picture, moments);
}

std::optional<std::int64_t> step_beginning_near(const JobPicture& picture, std::uint32_t rank,
                                                double page_ns) {
  const auto& steps = picture.ranks[rank].steps;
  if (steps.empty()) return std::nullopt;
  const auto distance = [&](const RankStep& rank_step) {
    return std::abs(static_cast<double>(rank_step.range.begin_ns) - page_ns);
  };
  return std::ranges::min_element(steps, {}, distance)->number;
}

}  // namespace kino
