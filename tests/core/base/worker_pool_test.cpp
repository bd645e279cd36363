// Covers: worker_pool
#include "core/base/worker_pool.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace kino {
namespace {

TEST_CASE("a pool has at least one thread") {
  CHECK(WorkerPool().thread_count() >= 1);
  CHECK(WorkerPool(3).thread_count() == 3);
}

TEST_CASE("every posted job runs once") {
  std::atomic<int> runs = 0;
  std::promise<void> all;
  WorkerPool pool(4);
  constexpr int kJobs = 10'000;
  for (int i = 0; i < kJobs; ++i) {
    pool.post(i % 2 == 0 ? WorkerPool::Priority::urgent : WorkerPool::Priority::normal, [&] {
      if (++runs == kJobs) all.set_value();
    });
  }
  all.get_future().wait();
  CHECK(runs == kJobs);
}

TEST_CASE("urgent jobs run before normal ones, the newest urgent and the oldest normal first") {
  std::promise<void> posted;
  std::promise<void> done;
  std::shared_future<void> gate = posted.get_future().share();
  std::string order;  // written by the pool's one thread
  WorkerPool pool(1);
  pool.post(WorkerPool::Priority::urgent, [gate] { gate.wait(); });
  for (const char letter : {'a', 'b', 'c'}) {
    pool.post(WorkerPool::Priority::normal, [&order, letter] { order += letter; });
  }
  for (const char letter : {'x', 'y', 'z'}) {
    pool.post(WorkerPool::Priority::urgent, [&order, letter] { order += letter; });
  }
  pool.post(WorkerPool::Priority::normal, [&] { done.set_value(); });
  posted.set_value();
  done.get_future().wait();
  // The job that waits at the gate may run first or, if the thread was slow, among the other urgent jobs.
  CHECK(order == "zyxabc");
}

TEST_CASE("a job may post further jobs") {
  std::promise<void> done;
  WorkerPool pool(1);
  pool.post(WorkerPool::Priority::normal,
            [&] { pool.post(WorkerPool::Priority::urgent, [&] { done.set_value(); }); });
  done.get_future().wait();
}

TEST_CASE("the destructor drops jobs that have not started and waits for the others") {
  std::atomic<bool> started = false;
  std::atomic<bool> finished = false;
  std::atomic<int> others = 0;
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> watch = held;
  {
    WorkerPool pool(1);
    std::promise<void> running;
    pool.post(WorkerPool::Priority::normal, [&] {
      started = true;
      running.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      finished = true;
    });
    running.get_future().wait();
    for (int i = 0; i < 100; ++i) pool.post(WorkerPool::Priority::normal, [&others, held] { ++others; });
    held.reset();
  }
  CHECK(started);
  CHECK(finished);
  CHECK(others == 0);
  CHECK(watch.expired());
}

}  // namespace
}  // namespace kino
