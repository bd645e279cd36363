// A small thread pool for work that must not block the UI: urgent jobs (tiles) first, then the others.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kino {

/// Runs jobs on a fixed number of threads. Urgent jobs run first, the newest first; then normal jobs run, the
/// oldest first. A job must not wait for other jobs and must not throw. Thread-safe. The destructor drops
/// jobs that have not started and joins the threads.
class WorkerPool {
 public:
  enum class Priority { urgent, normal };

  /// Starts `threads` threads. If `threads` is 0, starts one thread less than the hardware has, but at least
  /// one.
  explicit WorkerPool(unsigned threads = 0);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  void post(Priority priority, std::function<void()> job);
  unsigned thread_count() const { return static_cast<unsigned>(threads_.size()); }

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::function<void()>> urgent_;  // guarded by mutex_
  std::deque<std::function<void()>> normal_;  // guarded by mutex_
  std::vector<std::jthread> threads_;
};

}  // namespace kino
