// Reads the jobs in a folder or archive for a command.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/damage.hpp"
#include "core/job/job_analysis.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// A job with the file of each of its ranks, in the order of JobAnalysis::ranks.
struct NamedJob {
  std::shared_ptr<const JobAnalysis> analysis;
  std::vector<std::filesystem::path> files;
};

struct NamedJobs {
  std::vector<NamedJob> jobs;         ///< with at least two ranks, the largest first
  std::vector<std::string> problems;  ///< one sentence per file that could not be read completely
  /// Recordings with communication but without a rank, which no collectives assign to a job.
  std::size_t unproved = 0;
  bool incomplete = false;  ///< a file was not read, a rank is missing, or a kernel found no partner
};

/// Reads all files, as many at once as processors and memory allow.
NamedJobs read_jobs(OpenOptions options, const ContainedTraces& contained);

/// Returns a sentence that says that recordings which communicate are not of one job.
std::string separate_sentence(const NamedJobs& named);

/// Returns the job with this number, counted from 1, of those in `container`, which has at least one. Reports
/// problems and other jobs on stderr. If there is no such job, reports that and returns null.
const NamedJob* chosen_job(const NamedJobs& named, const std::filesystem::path& container,
                           std::size_t number);

}  // namespace kino
