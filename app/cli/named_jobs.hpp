// The jobs in a folder or archive, read for a command.
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
  std::vector<NamedJob> jobs;         ///< of at least two ranks, the one with most of them first
  std::vector<std::string> problems;  ///< a sentence a file that could not be read, or not as a whole
  /// Recordings that communicate and state no rank, and that no collectives prove to be of a job.
  std::size_t unproved = 0;
  bool incomplete = false;  ///< a file was not read, a rank is missing, or a kernel found no partner
};

/// Reads all files, as many at once as processors and memory allow.
NamedJobs read_jobs(OpenOptions options, const ContainedTraces& contained);

/// Says that recordings which communicate are not of one job.
std::string separate_sentence(const NamedJobs& named);

/// The job of this number, from 1, of those in `container`, of which there is at least one. Says on stderr
/// what could not be read, and which other jobs there are; null after saying that there is no such one.
const NamedJob* chosen_job(const NamedJobs& named, const std::filesystem::path& container,
                           std::size_t number);

}  // namespace kino
