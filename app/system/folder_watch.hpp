// Finds new files of a folder and reports each once it is complete.
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

/// Watches the files of one folder for which may_be_recording() is true. Used by one thread. Uses inotify,
/// and also scans the folder, since inotify does not report changes that other machines make on network
/// disks. A file is complete if it is not empty, and its writer has closed it or moved it here, or it has not
/// changed for a while. A file that changes later is reported again.
class FolderWatch {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    std::chrono::milliseconds interval{1000};  ///< time between scans
    std::chrono::milliseconds quiet{3000};     ///< if inotify does not report a file, it is complete after
                                               ///< this time without changes
    std::size_t most_files = 20'000;           ///< maximum number of tracked files; others are ignored
    bool kernel = true;                        ///< whether to use inotify
  };

  /// Scans the folder immediately. Unless `all` is set, existing files are reported only once they
  /// change.
  FolderWatch(std::filesystem::path folder, bool all, Options options, Clock::time_point now = Clock::now());

  /// Returns the files that became complete since the last scan, sorted by name. O(files).
  std::vector<std::filesystem::path> look(Clock::time_point now = Clock::now());
  /// Returns when the folder has changed, after the interval, or when stopped.
  void wait(const std::stop_token& stop) const;

  /// Returns the number of files that were reported, or existed at the start without being reported. The
  /// other files are counted by growing().
  std::size_t whole() const;
  std::size_t growing() const { return files_.size() - whole(); }
  bool uses_inotify() const { return events_.fd >= 0; }
  /// Returns the reason why the last scan failed or was incomplete; empty if it succeeded.
  const Message& problem() const { return problem_; }

 private:
  struct File {
    FileStamp stamp;
    Clock::time_point since;  // last change
    bool closed = false;      // by its writer
    bool reported = false;
  };
  /// Reads the names of files that inotify reports as closed or moved here.
  void read_events();

  std::filesystem::path folder_;
  Options options_;
  Descriptor events_;
  std::map<std::string, File> files_;
  std::vector<std::string> closed_;
  Message problem_;
};

/// Whether a file of this name can be a recording: neither hidden, nor partially written, nor an index or
/// digest of this program.
bool may_be_recording(std::string_view name);

}  // namespace kino
