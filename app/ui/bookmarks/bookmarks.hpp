// The bookmarks of an open file: saves them between runs, and finds their positions in the trace that is
// shown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/system/background_result.hpp"
#include "app/ui/bookmarks/bookmark.hpp"
#include "app/ui/bookmarks/bookmark_files.hpp"
#include "app/ui/text/glyph_set.hpp"
#include "app/ui/text/sentence.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A bookmark and its position in the trace.
struct PlacedBookmark {
  Bookmark mark;
  TimeRange range;     ///< range of the slice if it was found; empty for a point in time
  FoundSlice found;    ///< `none` also while the search is under way
  bool inside = true;  ///< whether the trace covers the position
};

/// UI thread only. Files are read and written, and slices are found, on the pool. The destructor writes
/// unsaved changes.
class Bookmarks {
 public:
  /// `folder` is bookmarks_folder(), or empty to save nothing. `pool` must outlive the object.
  Bookmarks(std::filesystem::path trace_path, std::filesystem::path folder, WorkerPool& pool,
            std::function<void()> wake);
  Bookmarks(const Bookmarks&) = delete;
  Bookmarks& operator=(const Bookmarks&) = delete;
  ~Bookmarks();

  /// Finds the positions of all bookmarks in this trace. Called for each new trace of the document.
  void set_trace(std::shared_ptr<const Trace> trace);
  /// Takes over results of the pool; returns true if something changed. Called once per frame.
  bool poll();
  bool busy() const { return loading_.running() || saving_.running() || finding_.running(); }

  /// Sorted by number.
  std::span<const PlacedBookmark> all() const { return placed_; }
  /// Sorted by time, as indices into all().
  std::span<const std::uint32_t> by_time() const { return by_time_; }
  std::uint64_t generation() const { return generation_; }
  const PlacedBookmark* find(std::uint64_t id) const;
  const PlacedBookmark* numbered(std::uint32_t number) const;
  /// Returns the bookmark at exactly this slice. If `slice` is kNoSlice, returns the bookmark without a slice
  /// at exactly this range.
  const PlacedBookmark* at(TimeRange range, SliceId slice) const;
  /// Returns the next (+1) or previous (-1) bookmark by time, from the bookmark `current` or, if that does
  /// not exist, from `time_ns`. Null at the ends.
  const PlacedBookmark* neighbor(std::uint64_t current, std::int64_t time_ns, int step) const;

  /// Adds a bookmark and returns its id; 0 if there is no trace or there are already kMostBookmarks.
  std::uint64_t add(TimeRange range, SliceId slice);
  void set_text(std::uint64_t id, std::string_view text);
  void set_color(std::uint64_t id, std::uint8_t color);
  void remove(std::uint64_t id);
  /// The last removed bookmark, which restore() brings back.
  const std::optional<Bookmark>& removed() const { return removed_; }
  std::uint64_t restore();

  /// Non-Latin characters of the notes. add_glyphs() adds those of a note that is being typed.
  const GlyphSet& glyphs() const { return glyphs_; }
  void add_glyphs(std::string_view text) { glyphs_.add(text); }

  const std::filesystem::path& trace_path() const { return trace_path_; }

  /// Adds the bookmarks in `marks` whose ids are new, as soon as the saved bookmarks have been read.
  void add_missing(std::vector<Bookmark> marks);
  /// Imports the bookmarks in the file of a note, and reports the result in message().
  void start_import(std::filesystem::path file);

  /// One sentence about the last problem or action; may be empty.
  std::string message() const { return message_.str(); }
  bool message_is_problem() const { return message_is_problem_; }

 private:
  struct Transfer {
    Sentence message;
    bool problem = false;
    std::vector<Bookmark> imported;
  };

  template <class Matches>
  const PlacedBookmark* first(const Matches& matches) const;
  void change(const Bookmark& mark);
  void change_missing(const std::vector<Bookmark>& marks);
  void notify(Sentence message, bool problem);
  void save();
  void save_unsaved();
  void look();
  void place();
  Bookmark* mutable_mark(std::uint64_t id);

  std::filesystem::path trace_path_;
  std::filesystem::path folder_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::shared_ptr<const Trace> trace_;

  std::vector<Bookmark> marks_;
  std::vector<Bookmark> missing_;  // pending until the saved bookmarks have been read
  std::map<std::uint64_t, FoundSlice> found_;
  std::vector<PlacedBookmark> placed_;
  std::vector<std::uint32_t> by_time_;
  std::uint64_t generation_ = 0;
  GlyphSet glyphs_;
  std::optional<Bookmark> removed_;

  std::filesystem::path file_;  // empty until known
  bool loaded_ = false;
  BookmarkChanges changes_;  // changes since the last save
  BookmarkChanges saved_;    // changes being written
  Sentence message_;
  bool message_is_problem_ = false;
  BackgroundResult<OpenedBookmarks> loading_;
  BackgroundResult<ChangedBookmarks> saving_;
  BackgroundResult<std::map<std::uint64_t, FoundSlice>> finding_;
  BackgroundResult<Transfer> transfer_;
};

}  // namespace kino
