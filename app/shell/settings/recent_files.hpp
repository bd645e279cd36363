// The files opened last, newest first, saved between runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

/// $XDG_STATE_HOME/kinetoscope/recent.json, else $HOME/.local/state/kinetoscope/recent.json; empty if neither
/// variable is an absolute path. The XDG base directory specification counts recently used files as state,
/// not as settings.
std::filesystem::path recent_files_path();

/// Facts about a recent file from the last time that it was open.
struct RecentFacts {
  std::string kind{};         ///< name of the kind of its page; empty: unknown
  std::string verdict{};      ///< headline of its page, in the language of that time; empty: unknown
  std::int64_t opened_s = 0;  ///< Unix time of the last opening; 0: unknown
  bool operator==(const RecentFacts&) const = default;
};
/// Maximum length of RecentFacts::verdict in bytes.
inline constexpr std::size_t kMostVerdictBytes = 400;

/// A file, a folder, or several files that were opened at once.
struct RecentFile {
  std::filesystem::path path;                  ///< for several files: name of their page
  std::vector<std::filesystem::path> members;  ///< the files, if there are several; empty for a single path
  RecentFacts facts{};
  /// Whether both name the same files. The facts may differ.
  bool operator==(const RecentFile& other) const { return path == other.path && members == other.members; }
};

/// Parses {"files": ["/a/b.json", {"name": "/a/rank0 + 1", "files": ["/a/rank0.json", "/a/rank1.json"]}]}.
/// Returns at most RecentFiles::kMost entries; empty if the text is malformed. Entries with a path that is
/// not absolute are skipped. The optional list "facts" beside "files" has an object per entry, such as
/// {"kind": "timeline", "verdict": "...", "opened": 1764374400}. Versions without facts ignore this list.
std::vector<RecentFile> recent_from_json(std::string_view text);

/// The list of recent files, with their states on disk. UI thread only.
class RecentFiles {
 public:
  static constexpr std::size_t kMost = 20;

  /// State of a file on disk, determined on another thread because network drives are slow.
  struct Status {
    enum class Kind { unknown, present, missing };
    Kind kind = Kind::unknown;
    std::uint64_t size_bytes = 0;
    std::filesystem::path absent{};  ///< if missing: the outermost folder or file that cannot be accessed
    bool denied = false;             ///< if missing: whether `absent` exists, but may not be read
  };

  /// If `file` is empty, the list is not saved. `wake` is called from another thread when statuses have been
  /// determined.
  RecentFiles(std::filesystem::path file, std::function<void()> wake);
  RecentFiles(const RecentFiles&) = delete;
  RecentFiles& operator=(const RecentFiles&) = delete;
  ~RecentFiles() = default;

  const std::vector<RecentFile>& files() const { return files_; }
  /// Adds an entry at the start of the list, unless one of its paths is relative. Entries that another window
  /// has written meanwhile remain. The entry keeps the facts of an equal entry, but gets the current time.
  std::optional<Error> add(const RecentFile& opened);
  /// Stores the kind and the verdict of an entry; the verdict is cut to kMostVerdictBytes. Does nothing if
  /// the list has no such entry, or if it has these facts already.
  std::optional<Error> describe(const RecentFile& opened, const std::string& kind, std::string verdict);
  std::optional<Error> remove(const RecentFile& opened);
  std::optional<Error> clear();

  /// Rereads the list and checks each file in the background.
  void refresh();
  /// Returns the status of an entry; `unknown` until refresh() has determined it. For several files: the
  /// total size of the existing ones; `missing` if fewer than two exist.
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
