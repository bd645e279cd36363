// A note on a trace, to be kept or sent: what is in view, pinned, marked, searched for and compared, and the
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

/// A part of the trace that is kept to be compared.
struct NoteRange {
  TimeRange range;  ///< in Unix ns
  std::string name;
  char letter = 0;                                   ///< its own; 0: any
  bool compared = true;                              ///< whether the table shows it
  std::optional<std::vector<std::string>> tracks{};  ///< see track_key(); nothing: all of them
  std::optional<MomentSlice> slice{};                ///< the part is this slice, and the range its own
  bool operator==(const NoteRange&) const = default;
};

struct Note {
  std::filesystem::path trace;  ///< where it was when the note was written
  Moment moment;
  std::string tracks;  ///< the arrangement: see json_from_arrangement(); empty for the default
  std::string query;
  bool only_matches = false;
  std::optional<std::vector<std::string>> marked_tracks;  ///< of the marked range; nothing: all of them
  std::vector<NoteRange> ranges;
  std::vector<Bookmark> bookmarks;
};

/// One JSON document, which is a file of bookmarks as well.
std::string note_json(const Note& note);

/// A note, or what older versions exported: bookmarks alone.
struct ReadNote {
  Note note;
  bool view = false;        ///< whether it says more than bookmarks
  std::size_t skipped = 0;  ///< bookmarks that cannot be read
};
/// nullopt when it is no note. What is wrong in it is left out.
std::optional<ReadNote> note_from_json(std::string_view text);
/// The note in a file; nullopt when the file is none, which its first bytes tell for all others. Never waits
/// for what is no regular file.
std::optional<ReadNote> read_note(const std::filesystem::path& path);

}  // namespace kino
