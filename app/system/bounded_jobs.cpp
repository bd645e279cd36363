#include "app/system/bounded_jobs.hpp"

#include <algorithm>
#include <utility>

#include "core/base/platform/space.hpp"

namespace kino {

std::uint64_t half_of_memory() {
  const std::uint64_t memory = memory_bytes();
  return memory > 0 ? memory / 2 : std::uint64_t{4} << 30;
}

std::size_t BoundedJobs::threads_for(std::size_t jobs) {
  return std::clamp<std::size_t>(jobs, 1, std::max(1U, std::thread::hardware_concurrency()));
}

BoundedJobs::BoundedJobs(std::vector<std::uint64_t> need_bytes, std::uint64_t most_bytes, Run run)
    : need_bytes_(std::move(need_bytes)),
      most_bytes_(most_bytes),
      run_(std::move(run)),
      begun_(need_bytes_.size(), false) {
  const std::size_t count = threads_for(need_bytes_.size());
  for (std::size_t i = 0; i < count; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

BoundedJobs::~BoundedJobs() { request_stop(); }

void BoundedJobs::request_stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

void BoundedJobs::work(const std::stop_token& stop) {
  while (const std::optional<std::size_t> job = next(stop)) {
    run_(*job, stop);
    {
      const std::lock_guard lock(mutex_);
      taken_bytes_ -= std::max<std::uint64_t>(1, need_bytes_[*job]);
    }
    freed_.notify_all();
  }
}

std::optional<std::size_t> BoundedJobs::nearest_waiting() const {
  std::optional<std::size_t> found;
  const auto away = [this](std::size_t i) { return i < near_ ? near_ - i : i - near_; };
  for (std::size_t i = 0; i < begun_.size(); ++i) {
    if (!begun_[i] && (!found || away(i) < away(*found))) found = i;
  }
  return found;
}

std::optional<std::size_t> BoundedJobs::next(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  std::optional<std::size_t> job;
  const auto fits = [&] {
    job = nearest_waiting();
    return !job || taken_bytes_ == 0 || taken_bytes_ + need_bytes_[*job] <= most_bytes_;
  };
  if (!freed_.wait(lock, stop, fits) || !job || stop.stop_requested()) return std::nullopt;
  taken_bytes_ += std::max<std::uint64_t>(1, need_bytes_[*job]);
  begun_[*job] = true;
  return job;
}

unsigned BoundedJobs::threads_within(std::size_t jobs) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::max<std::size_t>(1, cores / threads_for(jobs)));
}

void BoundedJobs::look_at(std::size_t job) {
  const std::lock_guard lock(mutex_);
  near_ = job;
}

void BoundedJobs::wait() {
  for (std::jthread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace kino
