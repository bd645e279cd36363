// Checks every second whether files on disk have changed.
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

/// Watches a list of files from a separate thread, since disks can be slow. Does not rely on notifications,
/// since there are none for changes that other machines make on network disks. Sleeps if there are no files
/// to watch.
class FileWatch {
 public:
  using Clock = std::chrono::steady_clock;
  /// State of a file at a point in time; `stamp` is nullopt if the file does not exist.
  struct Look {
    std::optional<FileStamp> stamp;
    Clock::time_point at;
  };

  /// `wake` is called from the watching thread after the first check of a file, and when a file differs from
  /// the previous check.
  explicit FileWatch(std::function<void()> wake,
                     std::chrono::milliseconds interval = std::chrono::seconds(1));
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Replaces the list of watched files.
  void watch(std::vector<std::filesystem::path> paths);
  /// Returns the result of the last check; nullopt before the first.
  std::optional<Look> last(const std::filesystem::path& path) const;

 private:
  /// Checks the files. Returns whether any of them is new or has changed since the last check.
  bool look_at(const std::vector<std::filesystem::path>& paths, const std::stop_token& stop);
  void run(const std::stop_token& stop);

  std::function<void()> wake_;
  const std::chrono::milliseconds interval_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::filesystem::path> paths_;     // sorted; guarded by mutex_
  std::map<std::filesystem::path, Look> looks_;  // guarded by mutex_
  std::jthread thread_;                          // last: joined before the members that it uses are destroyed
};

}  // namespace kino
