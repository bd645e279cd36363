// Watches a folder on a thread of its own and tells of each trace and snapshot that a run has written there.
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

/// Used by one thread. Disks are asked on its own.
class FolderFeed {
 public:
  /// Of the folder itself, or that in which `place` lies; what is there already is not told of. `wake` is
  /// called from its thread when there is news.
  FolderFeed(std::filesystem::path place, std::function<void()> wake, FolderWatch::Options options);
  FolderFeed(const FolderFeed&) = delete;
  FolderFeed& operator=(const FolderFeed&) = delete;

  /// What has become whole since the last call, in the order in which it did; nothing that is no recording.
  std::vector<ContainedTrace> take();
  /// Empty until it is known.
  std::filesystem::path folder() const;
  /// Those that were there already.
  std::vector<ContainedTrace> snapshots_there() const;
  /// Why it cannot be read; empty when all is well.
  Message problem() const;

 private:
  void run(const std::filesystem::path& place, FolderWatch::Options options, const std::stop_token& stop);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::filesystem::path folder_;  // guarded by mutex_, as the next
  std::vector<ContainedTrace> there_;
  std::vector<ContainedTrace> found_;
  Message problem_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace kino
