// Reads the jobs in a folder or archive for a command.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/damage.hpp"
#include "core/job/job_analysis.hpp"
#include "core/job/tables/each_rank_tables.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// A job and the file of each of its ranks, in the order of JobAnalysis::ranks.
struct NamedJob {
  std::shared_ptr<const JobAnalysis> analysis;
  std::vector<std::filesystem::path> files;
};

struct NamedJobs {
  std::vector<NamedJob> jobs;         ///< jobs with at least two ranks, the largest first
  std::vector<std::string> problems;  ///< sentences on damaged, unreadable and excluded files
  /// Number of recordings with communication but no rank, which no collective assigns to a job.
  std::size_t unproved = 0;
  /// Whether a file is unreadable, damaged or excluded, a rank is missing, or a kernel is unmatched.
  bool incomplete = false;
};

/// Reads all files and groups them into jobs. As many files are read in parallel as processors and memory
/// allow.
NamedJobs read_jobs(OpenOptions options, const ContainedTraces& contained,
                    RankDetails details = RankDetails::none);

/// Returns a sentence stating that recordings with communication do not belong to one job.
std::string separate_sentence(const NamedJobs& named);

/// Returns the job with this number, counted from 1. `container`, for the messages, has at least one job.
/// Reports problems and other jobs on stderr. If there is no such job, reports that and returns null.
const NamedJob* chosen_job(const NamedJobs& named, const std::filesystem::path& container,
                           std::size_t number);

}  // namespace kino
