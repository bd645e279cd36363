#include "app/system/file_watch.hpp"

#include <algorithm>
#include <utility>

#include "app/system/enough_memory.hpp"

namespace kino {

FileWatch::FileWatch(std::function<void()> wake, std::chrono::milliseconds interval)
    : wake_(std::move(wake)),
      interval_(interval),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void FileWatch::watch(std::vector<std::filesystem::path> paths) {
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  {
    const std::lock_guard lock(mutex_);
    if (paths == paths_) return;
    paths_ = std::move(paths);
    std::erase_if(looks_,
                  [this](const auto& look) { return !std::ranges::binary_search(paths_, look.first); });
  }
  changed_.notify_all();
}

std::optional<FileWatch::Look> FileWatch::last(const std::filesystem::path& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = looks_.find(path);
  return found == looks_.end() ? std::nullopt : std::optional(found->second);
}

bool FileWatch::look_at(const std::vector<std::filesystem::path>& paths, const std::stop_token& stop) {
  bool news = false;
  for (const std::filesystem::path& path : paths) {
    if (stop.stop_requested()) return false;
    const Clock::time_point now = Clock::now();
    const std::optional<FileStamp> stamp = stamp_of(path);
    const std::lock_guard look_lock(mutex_);
    if (!std::ranges::binary_search(paths_, path)) continue;
    const auto [look, first] = looks_.try_emplace(path);
    news = news || first || look->second.stamp != stamp;
    look->second = {stamp, now};
  }
  return news;
}

void FileWatch::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !paths_.empty(); })) {
    if (stop.stop_requested()) return;
    std::vector<std::filesystem::path> paths;
    if (!run_catching_bad_alloc([&] { paths = paths_; })) {
      changed_.wait_for(lock, stop, interval_, [] { return false; });
      continue;
    }
    lock.unlock();
    bool news = false;
    // If memory runs out, the files are checked again in the next round.
    run_catching_bad_alloc([&] { news = look_at(paths, stop); });
    if (news) wake_();
    lock.lock();
    changed_.wait_for(lock, stop, interval_, [&] { return paths_ != paths; });
  }
}

}  // namespace kino
