// The files opened last, newest first, saved between runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

/// $XDG_STATE_HOME/kinetoscope/recent.json, else below ~/.local/state; empty if neither variable is set. The
/// XDG base directory specification counts recently used files as state, not as settings.
std::filesystem::path recent_files_path();

/// A file, a folder, or several files that were opened at once.
struct RecentFile {
  std::filesystem::path path;                  ///< for several files: name of their page
  std::vector<std::filesystem::path> members;  ///< the files, if there are several; otherwise empty
  bool operator==(const RecentFile&) const = default;
};

/// Parses {"files": ["/a/b.json", {"name": "/a/rank0 + 1", "files": ["/a/rank0.json", "/a/rank1.json"]}]}.
/// Returns at most RecentFiles::kMost entries; empty if the text is malformed. Entries with a path that is
/// not absolute are skipped.
std::vector<RecentFile> recent_from_json(std::string_view text);

/// UI thread only.
class RecentFiles {
 public:
  static constexpr std::size_t kMost = 20;

  /// State of a file on disk, determined on another thread because network drives are slow.
  struct Status {
    enum class Kind { unknown, present, missing };
    Kind kind = Kind::unknown;
    std::uint64_t size_bytes = 0;
  };

  /// If `file` is empty, the list is not saved. `wake` is called from another thread when statuses have been
  /// determined.
  RecentFiles(std::filesystem::path file, std::function<void()> wake);
  RecentFiles(const RecentFiles&) = delete;
  RecentFiles& operator=(const RecentFiles&) = delete;
  ~RecentFiles() = default;

  const std::vector<RecentFile>& files() const { return files_; }
  /// Adds an entry, with absolute paths, at the start of the list. Entries that another window has written
  /// meanwhile remain.
  std::optional<Error> add(const RecentFile& opened);
  std::optional<Error> remove(const RecentFile& opened);
  std::optional<Error> clear();

  /// Rereads the list and checks each file in the background.
  void refresh();
  /// Returns the status of an entry. For several files: the total size of the existing ones; `missing` if
  /// fewer than two exist.
  Status status(const RecentFile& recent) const;

 private:
  void read();
  std::optional<Error> write() const;

  std::filesystem::path file_;
  std::function<void()> wake_;
  std::vector<RecentFile> files_;
  mutable std::mutex mutex_;
  struct Looked {
    RecentFile file;
    Status status;
  };
  std::vector<Looked> looked_;  // guarded by mutex_
  bool looking_ = false;        // guarded by mutex_
  std::jthread looker_;         // last: joined before the members it writes are destroyed
};

}  // namespace kino
