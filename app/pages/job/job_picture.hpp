// A job made ready to be drawn: what each rank did when, in ns since the job's begin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/pages/job/job_words.hpp"
#include "core/job/job_analysis.hpp"
#include "core/job/step_waits.hpp"
#include "core/trace/links/busy_time.hpp"

namespace kino {

struct RankPicture {
  static constexpr std::size_t kWaitBlock = 128;

  BusyLine compute;
  BusyLine moving;
  BusyLine waiting;  ///< what of it nothing moves beside
  BusyLine copies;
  std::int64_t longest_kernel_ns = 0;
  std::vector<std::int64_t> longest_waits_ns;  ///< of each kWaitBlock of RankDigest::kernels
  std::vector<RankStep> steps;                 ///< in the page's ns
  std::int64_t own_begin_ns = 0;               ///< Unix time by its own clock at the page's 0
  double own_rate = 1;                         ///< ns of its own clock in one of the page's

  /// A moment of the page in a trace of the rank whose 0 is at `origin_unix_ns`, and back.
  double own_ns(double page_ns, std::int64_t origin_unix_ns) const {
    return static_cast<double>(own_begin_ns - origin_unix_ns) + page_ns * own_rate;
  }
  double page_ns(double own_ns, std::int64_t origin_unix_ns) const {
    return (own_ns - static_cast<double>(own_begin_ns - origin_unix_ns)) / own_rate;
  }
};

/// By which clocks the ranks are laid beside each other.
enum class PageClocks : std::uint8_t { own, fitted, by_hand };

struct JobPicture {
  std::shared_ptr<const JobAnalysis> job;
  std::vector<std::filesystem::path> files;  ///< of its ranks, by their index
  PageClocks clocks = PageClocks::fitted;
  std::int64_t begin_ns = 0;  ///< Unix time of 0
  TimeRange content;
  std::vector<RankPicture> ranks;
  std::vector<JobStep> steps;  ///< those with a number, by it
  std::int64_t most_caused_ns = 0;
  std::vector<std::uint32_t> late;  ///< collectives with a culprit, most waiting first
  LevelCounts levels;               ///< of its collectives, of which there may be millions

  std::size_t kernel_count(std::size_t rank) const { return job->ranks[rank]->kernels.size(); }
  /// Of RankDigest::kernels, by index, in ns of the page. O(1).
  TimeRange kernel(std::size_t rank, std::size_t index) const {
    const CommunicationKernels& kernels = job->ranks[rank]->kernels;
    std::int64_t starts_ns = kernels.start_ns(index);
    if (clocks != PageClocks::own)
      starts_ns = job->clocks.common_ns(static_cast<std::uint32_t>(rank), starts_ns);
    return {starts_ns - begin_ns, starts_ns - begin_ns + kernels.duration_ns(index)};
  }
  /// The first that begins at a moment of the page or later. O(log kernels).
  std::size_t first_kernel_from(std::size_t rank, std::int64_t least_ns) const;
};

/// By the job's own clocks unless each rank's clock is asked for. O(kernels log kernels).
JobPicture picture_of(std::shared_ptr<const JobAnalysis> job, std::vector<std::filesystem::path> files,
                      PageClocks clocks, const std::stop_token& stop);

/// Whether the clocks are so far apart that laying them over each other changes what is seen: more than 20 us
/// and than the doubt (RANKS 2).
bool clocks_differ(const JobAnalysis& job);

}  // namespace kino
