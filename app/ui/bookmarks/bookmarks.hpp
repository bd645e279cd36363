// The bookmarks of one open file: kept between runs, placed in whichever trace is shown of it.
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

/// A bookmark and where it lies in the trace.
struct PlacedBookmark {
  Bookmark mark;
  TimeRange range;     ///< of the slice when it was found; empty for a point in time
  FoundSlice found;    ///< `none` also while it is being looked for
  bool inside = true;  ///< whether the trace's time reaches there
};

/// UI thread only. Files are read and written, and slices are found, on the pool; what is not written yet
/// when this goes away is written then.
class Bookmarks {
 public:
  /// `folder` is bookmarks_folder(), or empty to keep nothing. `pool` outlives this.
  Bookmarks(std::filesystem::path trace_path, std::filesystem::path folder, WorkerPool& pool,
            std::function<void()> wake);
  Bookmarks(const Bookmarks&) = delete;
  Bookmarks& operator=(const Bookmarks&) = delete;
  ~Bookmarks();

  /// Places everything in this trace, as often as a document gets another one.
  void set_trace(std::shared_ptr<const Trace> trace);
  /// Takes over what the pool has done. Once a frame; true when something changed.
  bool poll();
  bool busy() const { return loading_.running() || saving_.running() || finding_.running(); }

  /// In order of number.
  std::span<const PlacedBookmark> all() const { return placed_; }
  /// In order of time, as indices of all().
  std::span<const std::uint32_t> by_time() const { return by_time_; }
  /// Counts every change of all().
  std::uint64_t generation() const { return generation_; }
  const PlacedBookmark* find(std::uint64_t id) const;
  const PlacedBookmark* numbered(std::uint32_t number) const;
  /// The one at this very slice, or, with kNoSlice, at this very range without a slice.
  const PlacedBookmark* at(TimeRange range, SliceId slice) const;
  /// The next (+1) or previous (-1) one by time from `current`, or without it from `time_ns`. Null at the
  /// ends.
  const PlacedBookmark* neighbour(std::uint64_t current, std::int64_t time_ns, int step) const;

  /// Returns its id; 0 when there are kMostBookmarks already.
  std::uint64_t add(TimeRange range, SliceId slice);
  void set_text(std::uint64_t id, std::string_view text);
  void set_color(std::uint64_t id, std::uint8_t color);
  void remove(std::uint64_t id);
  /// What remove() took last and restore() would bring back.
  const std::optional<Bookmark>& removed() const { return removed_; }
  std::uint64_t restore();

  /// Characters of the notes beyond Latin; a note that is being typed adds its own.
  const GlyphSet& glyphs() const { return glyphs_; }
  void add_glyphs(std::string_view text) { glyphs_.add(text); }

  const std::filesystem::path& trace_path() const { return trace_path_; }

  /// Adds those that are not there, by their ids, once it is known which are.
  void add_missing(std::vector<Bookmark> marks);
  /// The sentence about it is message().
  void start_import(std::filesystem::path file);

  /// One sentence about what went wrong or was done; may be empty.
  std::string message() const { return message_.str(); }
  bool message_is_problem() const { return message_is_problem_; }

 private:
  struct Transfer {
    Sentence message;
    bool problem = false;
    std::vector<Bookmark> imported;
  };

  void change(const Bookmark& mark);
  void change_missing(const std::vector<Bookmark>& marks);
  void tell(Sentence message, bool problem);
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
  std::vector<Bookmark> missing_;  // to be added if they are
  std::map<std::uint64_t, FoundSlice> found_;
  std::vector<PlacedBookmark> placed_;
  std::vector<std::uint32_t> by_time_;
  std::uint64_t generation_ = 0;
  GlyphSet glyphs_;
  std::optional<Bookmark> removed_;

  std::filesystem::path file_;  // empty until it is known
  bool loaded_ = false;
  BookmarkChanges changes_;  // since the last save
  BookmarkChanges saved_;    // on their way to the disk
  Sentence message_;
  bool message_is_problem_ = false;
  BackgroundResult<OpenedBookmarks> loading_;
  BackgroundResult<ChangedBookmarks> saving_;
  BackgroundResult<std::map<std::uint64_t, FoundSlice>> finding_;
  BackgroundResult<Transfer> transfer_;
};

}  // namespace kino
