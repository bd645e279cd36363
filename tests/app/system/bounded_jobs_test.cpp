// Covers: bounded_jobs
#include "app/system/bounded_jobs.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

using kino::BoundedJobs;

TEST_CASE("all jobs run once, and concurrent ones fit the bound unless one alone is larger") {
  std::vector<std::uint64_t> need{5, 60, 200, 0, 40, 70, 30, 99, 100, 1};
  std::mutex mutex;
  std::uint64_t now = 0;
  std::size_t running = 0;
  bool fits = true;
  std::vector<int> runs(need.size(), 0);
  BoundedJobs jobs(need, 100, [&](std::size_t job, const std::stop_token&) {
    {
      const std::lock_guard lock(mutex);
      now += need[job];
      ++running;
      fits = fits && (now <= 100 || running == 1);
      ++runs[job];
    }
    std::this_thread::yield();
    const std::lock_guard lock(mutex);
    now -= need[job];
    --running;
  });
  jobs.wait();
  CHECK(fits);
  CHECK(runs == std::vector<int>(need.size(), 1));
}

TEST_CASE("without jobs wait() returns at once, and no job starts after a stop") {
  BoundedJobs none({}, 1, [](std::size_t, const std::stop_token&) {});
  none.wait();
  std::atomic<int> begun = 0;
  {
    BoundedJobs jobs(std::vector<std::uint64_t>(1000, 10), 1, [&](std::size_t, const std::stop_token& stop) {
      ++begun;
      while (!stop.stop_requested()) std::this_thread::yield();
    });
    while (begun == 0) std::this_thread::yield();
  }
  CHECK(begun == 1);
}

TEST_CASE("concurrent jobs have at most one thread per core in total, and each job has at least one thread") {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (const std::size_t jobs : {std::size_t{1}, std::size_t{2}, std::size_t{1000}}) {
    const unsigned within = BoundedJobs::threads_within(jobs);
    CHECK(within >= 1);
    CHECK(within * BoundedJobs::threads_for(jobs) <= cores);
  }
  CHECK(BoundedJobs::threads_within(1) == cores);
}
