// Where bookmarks are kept between runs: one small JSON file a trace, found by its content or its path.
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

/// $XDG_DATA_HOME/kinetoscope/bookmarks, else below ~/.local/share: notes are a person's work, which caches
/// and state may lose. Empty when the environment names neither.
std::filesystem::path bookmarks_folder();

/// The file's name is made of two hashes: of the trace's size, head and tail, and of its path. The same
/// content is the same trace wherever it lies; other content at the same path starts from a copy of what was
/// noted there last.
struct OpenedBookmarks {
  std::filesystem::path file;  ///< what change_bookmarks() writes; empty when nothing can be kept
  std::vector<Bookmark> bookmarks;
  Sentence problem;
};
/// Reads 128 KiB of the trace and the names in `folder`; any thread.
OpenedBookmarks open_bookmarks(const std::filesystem::path& folder, const std::filesystem::path& trace_path);

/// By id: the bookmark as it is now, or nullopt when it was deleted.
using BookmarkChanges = std::map<std::uint64_t, std::optional<Bookmark>>;
void apply_changes(std::vector<Bookmark>& bookmarks, const BookmarkChanges& changes);

struct ChangedBookmarks {
  std::vector<Bookmark> bookmarks;  ///< what the file holds now
  Sentence problem;
  bool written = false;
};
/// Applies changes to what the file holds now, which another process may have changed, under a lock, and
/// writes it to the disk. `known` is the list before the changes, for a file that is gone or cannot be read.
/// Any thread.
ChangedBookmarks change_bookmarks(const std::filesystem::path& file, const std::filesystem::path& trace_path,
                                  const std::vector<Bookmark>& known, const BookmarkChanges& changes);

struct ImportedBookmarks {
  std::optional<ReadBookmarks> read;
  Sentence problem;  ///< why there are none
};
/// The bookmarks of a note: see note_json().
ImportedBookmarks import_bookmarks(const std::filesystem::path& path);

}  // namespace kino
