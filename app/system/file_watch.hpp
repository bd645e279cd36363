// Looks every second whether files on disk are still what they were.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/platform/file_stamp.hpp"

namespace kino {

/// On a thread of its own, which wakes others only with news: asking a disk can take long, and a network's
/// disk tells nobody about changes. Without files it sleeps.
class FileWatch {
 public:
  using Clock = std::chrono::steady_clock;
  /// What a file was at a point in time; nullopt: not there.
  struct Look {
    std::optional<FileStamp> stamp;
    Clock::time_point at;
  };

  /// `wake` is called from the thread when a file is another one than the second before.
  explicit FileWatch(std::function<void()> wake,
                     std::chrono::milliseconds interval = std::chrono::seconds(1));
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// From now on these files, and no others.
  void watch(std::vector<std::filesystem::path> paths);
  /// The newest look; nullopt before the first.
  std::optional<Look> last(const std::filesystem::path& path) const;

 private:
  /// Whether anything is other than at the last look.
  bool look_at(const std::vector<std::filesystem::path>& paths, const std::stop_token& stop);
  void run(const std::stop_token& stop);

  std::function<void()> wake_;
  const std::chrono::milliseconds interval_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::filesystem::path> paths_;     // sorted; guarded by mutex_
  std::map<std::filesystem::path, Look> looks_;  // guarded by mutex_
  std::jthread thread_;                          // last: ends before what it uses
};

}  // namespace kino
