#include "core/base/worker_pool.hpp"

#include <algorithm>
#include <utility>

namespace kino {

WorkerPool::WorkerPool(unsigned threads) {
  if (threads == 0) threads = std::max(2U, std::thread::hardware_concurrency()) - 1;
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  }
}

WorkerPool::~WorkerPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();  // joins, before the queues and the mutex are destroyed
}

void WorkerPool::post(Priority priority, std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    (priority == Priority::urgent ? urgent_ : normal_).push_back(std::move(job));
  }
  wake_.notify_one();
}

void WorkerPool::run(const std::stop_token& stop) {
  while (true) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return !urgent_.empty() || !normal_.empty(); })) return;
      if (stop.stop_requested()) return;
      if (!urgent_.empty()) {
        job = std::move(urgent_.back());
        urgent_.pop_back();
      } else {
        job = std::move(normal_.front());
        normal_.pop_front();
      }
    }
    job();
  }
}

}  // namespace kino
