// Which recordings are of one job: a folder may have those of several, and of several cycles of a schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/recording.hpp"

namespace kino {

/// Groups digests whose jobs have the same number of ranks and were recorded at the same time, as the clocks
/// of machines go (to 5 s). A recording that states no rank is a job of its own, unless its collectives prove
/// that it belongs to another recording (README.md, "Recordings without a rank"). Recordings of a job are
/// sorted by rank, jobs by time. What is no digest is left out. If a rank was recorded twice at the same
/// time, two jobs ran in one folder: each recording goes to the job with which it has the most collectives in
/// common (README.md, "Two jobs in one folder"). Ranks for which that is undecided are in Job::doubled. A
/// recording that equals another one is a job of its own. `hosts` has the host of each recording, empty if
/// unknown; they decide where collectives do not. O(n log n), and O(n * kernels) for doubled ranks and
/// recordings without a rank.
std::vector<Job> jobs_of(const std::vector<Recording>& recordings, const std::vector<std::string>& hosts = {},
                         const std::vector<std::int64_t>& named_ranks = {});

}  // namespace kino
