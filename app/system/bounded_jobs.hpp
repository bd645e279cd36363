// Jobs that need much memory, on threads of their own: as many at once as fit, the one in view first.
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

/// Half of the machine's memory, in bytes.
std::uint64_t half_of_memory();

/// Jobs are identified by their index. As many run at once as there are cores, if their memory fits the
/// bound, but at least one. Used by one thread, which is not one of its own.
class BoundedJobs {
 public:
  /// Never throws; returns soon when stopped.
  using Run = std::function<void(std::size_t job, const std::stop_token& stop)>;

  /// Starts immediately, with the job of look_at() and those next to it. `need_bytes` is the memory of each
  /// job.
  BoundedJobs(std::vector<std::uint64_t> need_bytes, std::uint64_t most_bytes, Run run);
  BoundedJobs(const BoundedJobs&) = delete;
  BoundedJobs& operator=(const BoundedJobs&) = delete;
  ~BoundedJobs();

  /// Number of threads for so many jobs.
  static std::size_t threads_for(std::size_t jobs);
  /// Number of threads that each of so many jobs may use, so that every core is busy once.
  static unsigned threads_within(std::size_t jobs);
  void look_at(std::size_t job);
  /// Returns when all jobs have run.
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
