// Groups recordings into jobs: a folder may contain several jobs, and several cycles of a profiler schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/recording.hpp"

namespace kino {

/// Groups digests whose jobs have the same number of ranks and were recorded at the same time; clocks of
/// different machines may differ by 5 s. A recording that states no rank is a job of its own, unless its
/// collectives prove that it belongs to another recording (README.md, "Recordings without a rank").
/// Recordings of a job are sorted by rank, jobs by time. Recordings that are not digests are left out. If a
/// rank was recorded twice at the same time, two jobs ran in one folder: each recording is assigned to the
/// job with which it has the most collectives in common (README.md, "Two jobs in one folder"). Undecided
/// ranks are in Job::doubled. A copy of a recording is a job of its own. `hosts` and `named_ranks` are read
/// from file names, by recording: empty and -1 if unknown. Hosts decide if collectives do not. O(n log n),
/// and O(n * kernels) for doubled ranks and recordings without a rank.
std::vector<Job> jobs_of(const std::vector<Recording>& recordings, const std::vector<std::string>& hosts = {},
                         const std::vector<std::int64_t>& named_ranks = {});

}  // namespace kino
