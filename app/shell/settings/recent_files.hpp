// The files that were opened last, newest first, kept between runs.
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

/// $XDG_STATE_HOME/kinetoscope/recent.json, else below ~/.local/state: the base directory specification names
/// recently used files as state; settings stay small and can be shared between machines. Empty when the
/// environment names neither.
std::filesystem::path recent_files_path();

/// What was opened: a file, a folder, or several files that somebody gave at once.
struct RecentFile {
  std::filesystem::path path;                  ///< of several files: what their page is called
  std::vector<std::filesystem::path> members;  ///< those; else none
  bool operator==(const RecentFile&) const = default;
};

/// Those of {"files": ["/a/b.json", {"name": "/a/rank0 + 1", "files": ["/a/rank0.json", "/a/rank1.json"]}]},
/// at most RecentFiles::kMost; empty when the text is no such thing. Entries that are no absolute path, or
/// with such a member, are left out.
std::vector<RecentFile> recent_from_json(std::string_view text);

/// UI thread only.
class RecentFiles {
 public:
  static constexpr std::size_t kMost = 20;

  /// What is known of a file on disk. Looking is left to a thread: a network drive may take its time.
  struct Status {
    enum class Kind { unknown, present, missing };
    Kind kind = Kind::unknown;
    std::uint64_t size_bytes = 0;
  };

  /// An empty path keeps the list in memory. `wake` is called from another thread when statuses have arrived.
  RecentFiles(std::filesystem::path file, std::function<void()> wake);
  RecentFiles(const RecentFiles&) = delete;
  RecentFiles& operator=(const RecentFiles&) = delete;
  ~RecentFiles() = default;

  const std::vector<RecentFile>& files() const { return files_; }
  /// Puts one with absolute paths in front. What another window wrote meanwhile is kept.
  std::optional<Error> add(const RecentFile& opened);
  std::optional<Error> remove(const RecentFile& opened);
  std::optional<Error> clear();

  /// Reads the list anew and looks at each file in the background.
  void refresh();
  /// Of several files all that are left, with their size; missing when fewer than two are.
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
  std::jthread looker_;         // last: joined before what it writes is gone
};

}  // namespace kino
