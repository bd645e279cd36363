// A job made ready to be drawn: what each rank did when, in ns since the job's begin.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/job/busy_time.hpp"
#include "core/job/job_analysis.hpp"
#include "core/job/step_waits.hpp"

namespace kino {

struct RankPicture {
  BusyLine compute;
  BusyLine moving;
  BusyLine waiting;  ///< what of it nothing moves beside
  BusyLine copies;
  std::vector<TimeRange> kernels;  ///< by index of RankDigest::kernels
  std::vector<RankStep> steps;     ///< in the page's ns
};

struct JobPicture {
  std::shared_ptr<const JobAnalysis> job;
  bool fitted = true;         ///< whether times are by the common clock, not by each rank's own
  std::int64_t begin_ns = 0;  ///< Unix time of 0
  TimeRange content;
  std::vector<RankPicture> ranks;
  std::vector<JobStep> steps;  ///< those with a number, by it
  std::int64_t most_caused_ns = 0;
};

/// O(kernels log kernels).
JobPicture picture_of(std::shared_ptr<const JobAnalysis> job, bool fitted, const std::stop_token& stop);

/// Whether the clocks are so far apart that laying them over each other changes what is seen: more than 20 us
/// and than the doubt (RANKS 2).
bool clocks_differ(const JobAnalysis& job);

}  // namespace kino
