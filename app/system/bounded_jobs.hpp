// Work that needs memory, on threads of its own: as much of it at once as fits, what is looked at first.
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

/// Jobs are told by their number. As many run at once as there are cores and as the memory that they need
/// fits the bound, but always one. Used by one thread, which is none of its own.
class BoundedJobs {
 public:
  /// Never throws; ends soon when stopped.
  using Run = std::function<void(std::size_t job, const std::stop_token& stop)>;

  /// Starts at once, with the job that somebody looks at or those next to it. `need_bytes` of each.
  BoundedJobs(std::vector<std::uint64_t> need_bytes, std::uint64_t most_bytes, Run run);
  BoundedJobs(const BoundedJobs&) = delete;
  BoundedJobs& operator=(const BoundedJobs&) = delete;
  /// Stops and joins.
  ~BoundedJobs();

  /// How many threads so many jobs get.
  static std::size_t threads_for(std::size_t jobs);
  /// How many threads each of so many may use within, so that the cores are busy and no more.
  static unsigned threads_within(std::size_t jobs);
  void look_at(std::size_t job);
  /// Until all have run.
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
  std::vector<bool> begun_;  // guarded by mutex_, as the next
  std::size_t near_ = 0;
  std::uint64_t taken_bytes_ = 0;
  std::vector<std::jthread> threads_;  // last: joined before anything they use is gone
};

}  // namespace kino
