// A note on a trace, to be saved or sent: view, pinned tracks, marked and saved ranges, search, and
// bookmarks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/bookmarks/bookmark.hpp"
#include "app/ui/bookmarks/moment_link.hpp"

namespace kino {

struct NoteRange {
  TimeRange range;  ///< in Unix ns
  std::string name;
  char letter = 0;                                   ///< letter of a saved range; 0: any
  bool compared = true;                              ///< whether the comparison shows the range
  std::optional<std::vector<std::string>> tracks{};  ///< see track_key(); nullopt: all tracks
  std::optional<MomentSlice> slice{};                ///< if set, the range is that of this slice
  bool operator==(const NoteRange&) const = default;
};

struct Note {
  std::filesystem::path trace;  ///< path when the note was written
  Moment moment;
  std::string tracks;  ///< arrangement of the tracks: see json_from_arrangement(); empty for the default
  std::string query;
  bool only_matches = false;
  std::optional<std::vector<std::string>> marked_tracks;  ///< tracks of the marked range; nullopt: all tracks
  std::vector<NoteRange> ranges;
  std::vector<Bookmark> bookmarks;
};

/// Returns the note as one JSON document, which is also a valid file of bookmarks.
std::string note_json(const Note& note);

/// A parsed note, or a parsed file of bookmarks from an older version.
struct ReadNote {
  Note note;
  bool view = false;        ///< whether it contains more than bookmarks
  std::size_t skipped = 0;  ///< number of bookmarks that were skipped; see ReadBookmarks
};
/// Returns nullopt if the text is not a note. Invalid parts are ignored.
std::optional<ReadNote> note_from_json(std::string_view text);
/// Reads the note in a file. Recognizes other files by their first bytes and returns nullopt for them. Does
/// not read pipes and devices, so that it cannot block.
std::optional<ReadNote> read_note(const std::filesystem::path& path);

}  // namespace kino
