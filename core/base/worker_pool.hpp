// A small pool of threads for work that must not hold up the UI: tiles first, then everything else.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kino {

/// Jobs of higher priority run first; within `urgent` the newest first, within `normal` the oldest first.
/// Jobs never wait for other jobs and never throw. Thread-safe. The destructor drops what has not started and
/// joins.
class WorkerPool {
 public:
  enum class Priority { urgent, normal };

  /// At least one thread; 0 means one less than the machine has.
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
