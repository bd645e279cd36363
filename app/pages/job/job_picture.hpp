// A job prepared for drawing. Page ns are ns since the start of the job on the page's clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/pages/job/job_texts.hpp"
#include "core/job/job_analysis.hpp"
#include "core/job/step_waits.hpp"
#include "core/trace/links/busy_time.hpp"

namespace kino {

struct RankPicture {
  static constexpr std::size_t kWaitBlock = 128;

  BusyLine compute;
  BusyLine moving;
  BusyLine waiting;  ///< waiting time during which nothing is transferred
  BusyLine copies;
  std::int64_t longest_kernel_ns = 0;
  /// longest waiting time of each block of kWaitBlock entries of RankDigest::kernels
  std::vector<std::int64_t> longest_waits_ns;
  std::vector<RankStep> steps;    ///< steps in page ns
  std::int64_t own_begin_ns = 0;  ///< Unix time on the rank's clock at the page's 0
  double own_rate = 1;            ///< ns on the rank's clock per page ns

  /// Convert between page ns and the times of a trace of this rank whose 0 is at `origin_unix_ns`.
  double own_ns(double page_ns, std::int64_t origin_unix_ns) const {
    return static_cast<double>(own_begin_ns - origin_unix_ns) + page_ns * own_rate;
  }
  double page_ns(double own_ns, std::int64_t origin_unix_ns) const {
    return (own_ns - static_cast<double>(own_begin_ns - origin_unix_ns)) / own_rate;
  }
};

/// Clocks by which the ranks are aligned.
enum class PageClocks : std::uint8_t { own, fitted, by_hand };

struct JobPicture {
  std::shared_ptr<const JobAnalysis> job;
  std::vector<std::filesystem::path> files;  ///< file of each rank
  PageClocks clocks = PageClocks::fitted;
  std::int64_t begin_ns = 0;  ///< Unix time of the page's 0
  TimeRange content;
  std::vector<RankPicture> ranks;
  std::vector<JobStep> steps;  ///< steps with a number, ascending
  std::int64_t most_caused_ns = 0;
  std::vector<std::uint32_t> late;  ///< collectives with a straggler, most waiting first
  LevelCounts levels;               ///< counted once, because there may be millions of collectives

  std::size_t kernel_count(std::size_t rank) const { return job->ranks[rank]->kernels.size(); }
  /// Returns the interval of an entry of RankDigest::kernels, in page ns. O(1).
  TimeRange kernel(std::size_t rank, std::size_t index) const {
    const CommunicationKernels& kernels = job->ranks[rank]->kernels;
    std::int64_t starts_ns = kernels.start_ns(index);
    if (clocks != PageClocks::own)
      starts_ns = job->clocks.common_ns(static_cast<std::uint32_t>(rank), starts_ns);
    return {starts_ns - begin_ns, starts_ns - begin_ns + kernels.duration_ns(index)};
  }
  /// Returns the index of the first kernel that starts at `least_ns` (page ns) or later, or the number of
  /// kernels. O(log kernels).
  std::size_t first_kernel_from(std::size_t rank, std::int64_t least_ns) const;
};

/// Returns the picture of a job. Uses the clocks of the job's analysis unless `clocks` is PageClocks::own.
/// O(kernels log kernels).
JobPicture picture_of(std::shared_ptr<const JobAnalysis> job, std::vector<std::filesystem::path> files,
                      PageClocks clocks, const std::stop_token& stop);

/// Returns whether fitting the clocks visibly changes the page, which means that an offset exceeds both 20 us
/// and its uncertainty (the README of core/job).
bool clocks_differ(const JobAnalysis& job);

}  // namespace kino
