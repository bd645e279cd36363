// A bookmark: a position in a trace with a note. Reads and writes bookmarks as JSON, and finds their slices
// in a trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

inline constexpr std::uint8_t kBookmarkColors = 6;
inline constexpr std::size_t kMostBookmarks = 1000;  ///< per trace
inline constexpr std::size_t kMostNoteBytes = 2000;

/// Identifies a slice in the bookmarked file, or a similar slice in another recording of the same job.
struct BookmarkedSlice {
  std::uint64_t source_offset = 0;  ///< as in SliceColumns::source_offset
  std::string name;                 ///< as returned by stored_text()
  std::int64_t start_unix_ns = 0;
  std::int64_t duration_ns = 0;
  std::string pid;
  std::string tid;
  bool operator==(const BookmarkedSlice&) const = default;
};

/// A bookmarked point in time or interval. Times are absolute: Trace::origin_unix_ns + ns.
struct Bookmark {
  std::uint64_t id = 0;      ///< random and never 0; identifies the bookmark in every file and process
  std::uint32_t number = 0;  ///< shown to the user, from 1; 0: assigned by settle_numbers()
  std::int64_t begin_unix_ns = 0;
  std::int64_t end_unix_ns = 0;  ///< equal to begin_unix_ns for a point in time
  std::string text;              ///< UTF-8, one line, at most kMostNoteBytes
  std::uint8_t color = 0;        ///< below kBookmarkColors
  std::int64_t created_unix_ms = 0;
  std::optional<BookmarkedSlice> slice;
  bool operator==(const Bookmark&) const = default;
};

/// Returns `text` as valid UTF-8 without control characters, truncated at a character to at most
/// `most_bytes`.
std::string stored_text(std::string_view text, std::size_t most_bytes = kMostNoteBytes);

/// Sorts by number. Replaces missing numbers, and numbers that an older bookmark has, with the lowest unused
/// number.
void settle_numbers(std::vector<Bookmark>& bookmarks);
/// Returns the lowest unused number.
std::uint32_t free_number(std::span<const Bookmark> bookmarks);

/// Returns {"version": 1, "path": "...", "bookmarks": [...]}. "path" is `trace_path`, which documents the
/// file that the bookmarks belong to.
std::string bookmarks_json(std::span<const Bookmark> bookmarks, const std::filesystem::path& trace_path);

struct ReadBookmarks {
  std::vector<Bookmark> bookmarks;  ///< with settled numbers
  std::size_t skipped = 0;          ///< invalid entries, duplicates, and those after kMostBookmarks
};
/// Parses the text of bookmarks_json(). Returns nullopt if the text as a whole is invalid.
std::optional<ReadBookmarks> bookmarks_from_json(std::string_view text);

/// Converts Unix ns to ns from the trace's origin, clamped to +-2^62.
std::int64_t ns_from_unix(std::int64_t unix_ns, std::int64_t origin_unix_ns);

BookmarkedSlice bookmarked_slice(const Trace& trace, SliceId slice);

enum class SliceMatch : std::uint8_t {
  none,     ///< the bookmark has no slice
  exact,    ///< the same event of the file
  nearest,  ///< another slice: name and track are equal, and its start is near
  lost,
};
struct FoundSlice {
  SliceId slice = kNoSlice;
  SliceMatch match = SliceMatch::none;
};
/// Finds the bookmarked slice in tracks of the same pid and tid. A start is near if it is at most a
/// millisecond or, if that is longer, the slice's duration away. O(rows of the track * log slices + slices
/// that start near).
FoundSlice find_bookmarked(const Trace& trace, const BookmarkedSlice& wanted,
                           const std::stop_token& stop = {});

/// Returns 16 hexadecimal digits.
std::string hash_text(std::uint64_t value);

}  // namespace kino
