// Runs jobs that need much memory on threads of their own: as many at once as fit into memory, those nearest
// to the view first.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace kino {

/// Returns half of the machine's memory, in bytes; 4 GiB if the size of the memory is unknown.
std::uint64_t half_of_memory();

/// Runs a list of jobs, which are identified by their indices. Up to one job per core runs at once, as long
/// as the sum of their memory is within the bound; one job always runs. Used by one thread, never from
/// within a job.
class BoundedJobs {
 public:
  /// Runs one job. Must not throw, and must return soon after a stop request.
  using Run = std::function<void(std::size_t job, const std::stop_token& stop)>;

  /// Starts immediately. Jobs near the index of the last look_at() run first. `need_bytes` contains the
  /// memory of each job, and `most_bytes` is the bound.
  BoundedJobs(std::vector<std::uint64_t> need_bytes, std::uint64_t most_bytes, Run run);
  BoundedJobs(const BoundedJobs&) = delete;
  BoundedJobs& operator=(const BoundedJobs&) = delete;
  ~BoundedJobs();

  /// Returns the number of threads that run this number of jobs.
  static std::size_t threads_for(std::size_t jobs);
  /// Returns the number of threads that each job may use if there are this many jobs, so that all jobs
  /// together use each core once.
  static unsigned threads_within(std::size_t jobs);
  void look_at(std::size_t job);
  /// Returns when all jobs have run or, after request_stop(), when the running jobs have returned.
  void wait();
  void request_stop();

 private:
  void work(const std::stop_token& stop);
  std::optional<std::size_t> next(const std::stop_token& stop);
  std::optional<std::size_t> nearest_waiting() const;

  const std::vector<std::uint64_t> need_bytes_;
  const std::uint64_t most_bytes_;
  Run run_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::vector<bool> begun_;  // guarded by mutex_, like the next two
  std::size_t near_ = 0;
  std::uint64_t taken_bytes_ = 0;
  std::vector<std::jthread> threads_;  // last: joined before the members that they use are destroyed
};

}  // namespace kino
