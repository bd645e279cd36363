// Groups recordings into jobs: a folder may contain several jobs, and several cycles of a profiler schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/recording.hpp"

namespace kino {

/// Groups digests into jobs: recordings that state the same number of ranks and overlap in time. Groups
/// without a common rank are joined if they are at most 5 s apart, because clocks of machines differ, and
/// ranks may be recorded one after the other. A recording whose header and file name have no rank is
/// a separate job, unless its collectives prove that it belongs to a job (README.md, "Recordings without a
/// rank"). If a rank was recorded twice at the same time, several jobs ran at once. Each recording is then
/// assigned to the job whose collectives agree best with its own (README.md, "Two jobs in one folder").
/// Undecided ranks are in Job::doubled. A copy of a recording is a separate job.
///
/// Recordings of a job are sorted by rank, jobs by time. Recordings that are not digests are left out.
/// `hosts` and `named_ranks` are read from file names, one per recording: empty and -1 if unknown. Hosts
/// decide if collectives do not. O(n log n), and O(n * kernels) for doubled ranks and recordings without a
/// rank.
std::vector<Job> jobs_of(const std::vector<Recording>& recordings, const std::vector<std::string>& hosts = {},
                         const std::vector<std::int64_t>& named_ranks = {});

}  // namespace kino
