// Watches a folder on its own thread and reports each new trace and snapshot.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/system/folder_watch.hpp"
#include "core/base/messages/message.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// Used by one thread. The feed's own thread accesses the disk.
class FolderFeed {
 public:
  /// Watches `place` if it is a folder, else the folder that contains it. Existing files are not reported.
  /// `wake` is called from the feed's thread when there are new recordings or problems.
  FolderFeed(std::filesystem::path place, std::function<void()> wake, FolderWatch::Options options);
  FolderFeed(const FolderFeed&) = delete;
  FolderFeed& operator=(const FolderFeed&) = delete;

  /// Returns the recordings that became complete since the last call; those found in one scan are sorted by
  /// name. A recording that changes later is returned again.
  std::vector<ContainedTrace> take();
  /// The watched folder; empty until the feed's thread has determined it.
  std::filesystem::path folder() const;
  /// Snapshots that existed when watching started.
  std::vector<ContainedTrace> snapshots_there() const;
  /// Reason why the folder cannot be read; empty if there is no problem.
  Message problem() const;

 private:
  void run(const std::filesystem::path& place, FolderWatch::Options options, const std::stop_token& stop);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::filesystem::path folder_;  // guarded by mutex_, like the next three
  std::vector<ContainedTrace> there_;
  std::vector<ContainedTrace> found_;
  Message problem_;
  std::jthread thread_;  // last: joined before the members it uses are destroyed
};

}  // namespace kino
