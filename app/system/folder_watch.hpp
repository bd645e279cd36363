// Which files of a folder are new, each told once it is whole: what is still written to is not.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_stamp.hpp"

namespace kino {

/// One thread. The kernel tells where it can (inotify); a network's disk tells nobody, so the folder is
/// looked at besides. A file is whole when nobody has changed it for a while, or when who wrote it has closed
/// it or moved it here; an empty one never is. What is changed later is told again.
class FolderWatch {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    std::chrono::milliseconds interval{1000};  ///< between looks
    std::chrono::milliseconds quiet{3000};     ///< unchanged so long is whole, where the kernel does not tell
    std::size_t most_files = 20'000;           ///< that are remembered; of more the rest is not looked at
    bool kernel = true;                        ///< whether the kernel is asked
  };

  /// What is there already is not told of unless `all`. Looks at once.
  FolderWatch(std::filesystem::path folder, bool all, Options options, Clock::time_point now = Clock::now());

  /// Those that have become whole since the last look, by name. O(files).
  std::vector<std::filesystem::path> look(Clock::time_point now = Clock::now());
  /// Returns when the folder has news, after the interval, or when stopped.
  void wait(const std::stop_token& stop) const;

  /// Files that are looked at: whole, or still written to.
  std::size_t whole() const;
  std::size_t growing() const { return files_.size() - whole(); }
  bool kernel_tells() const { return events_.fd >= 0; }
  /// Why the folder could not be read at the last look, or not all of it; empty when all is well.
  const Message& problem() const { return problem_; }

 private:
  struct File {
    FileStamp stamp;
    Clock::time_point since;  // it is as it is
    bool closed = false;      // by who wrote it
    bool told = false;
  };
  /// What the kernel told since: names of files that were closed or moved here.
  void read_events();

  std::filesystem::path folder_;
  Options options_;
  Descriptor events_;
  std::map<std::string, File> files_;
  std::vector<std::string> closed_;
  Message problem_;
};

/// Whether a file of this name can be a recording: no hidden file, no half-written one, nothing of this
/// program's own.
bool may_be_recording(std::string_view name);

}  // namespace kino
