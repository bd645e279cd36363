// Which recordings are of one job: a folder may have those of several, and of several cycles of a schedule.
#pragma once

#include <vector>

#include "core/job/job.hpp"

namespace kino {

/// Digests whose jobs have the same number of ranks and which were recorded at the same time, as the clocks
/// of machines go (to 5 s); a rank that is there twice begins another job. Recordings of a job by rank, jobs
/// by time. What is no digest is left out. O(n log n).
std::vector<Job> jobs_of(const std::vector<Recording>& recordings);

}  // namespace kino
