// Files in which bookmarks are saved: one small JSON file per trace, found by the trace's content or path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/bookmarks/bookmark.hpp"
#include "app/ui/text/sentence.hpp"
#include "core/base/result.hpp"

namespace kino {

/// $XDG_DATA_HOME/kinetoscope/bookmarks, else $HOME/.local/share/kinetoscope/bookmarks: notes are the user's
/// data, unlike caches and state. Empty if neither variable is an absolute path.
std::filesystem::path bookmarks_folder();

/// The bookmarks of a trace. The name of their file contains two hashes: one of the trace's size, head and
/// tail, and one of its path. Traces with equal content share one file, wherever they are. If the content at
/// a path is new, its bookmarks start as a copy of the path's latest ones.
struct OpenedBookmarks {
  std::filesystem::path file;  ///< written by change_bookmarks(); empty if nothing can be saved
  std::vector<Bookmark> bookmarks;
  Sentence problem;
};
/// Finds and reads the bookmarks of a trace. Reads 128 KiB of the trace and the names in `folder`. Any
/// thread.
OpenedBookmarks open_bookmarks(const std::filesystem::path& folder, const std::filesystem::path& trace_path);

/// Changes by bookmark id: the new bookmark, or nullopt if the bookmark was deleted.
using BookmarkChanges = std::map<std::uint64_t, std::optional<Bookmark>>;
void apply_changes(std::vector<Bookmark>& bookmarks, const BookmarkChanges& changes);

struct ChangedBookmarks {
  std::vector<Bookmark> bookmarks;  ///< content of the file
  Sentence problem;
  bool written = false;
};
/// Applies changes to the current content of the file, and writes the result to the disk. Takes a lock,
/// because other processes may also change the file. `known` is the list before the changes. It is used if
/// the file is missing or invalid. Any thread.
ChangedBookmarks change_bookmarks(const std::filesystem::path& file, const std::filesystem::path& trace_path,
                                  const std::vector<Bookmark>& known, const BookmarkChanges& changes);

struct ImportedBookmarks {
  std::optional<ReadBookmarks> read;
  Sentence problem;  ///< reason if `read` is empty
};
/// Reads the bookmarks in the file of a note: see note_json().
ImportedBookmarks import_bookmarks(const std::filesystem::path& path);

}  // namespace kino
