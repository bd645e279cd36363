// The lines of the job page from top to bottom: ranks, unread files, headers, tracks of expanded ranks, and
// notes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/pages/job/rank_track_list.hpp"

namespace kino {

struct JobLine {
  enum class Kind : std::uint8_t {
    rank,
    file,    ///< a file that is not read yet; as long as there is no picture, any file
    group,   ///< header above the ranks of a group
    stream,  ///< header above all tracks of the same title
    track,
    note,  ///< reason why the tracks of a rank are not shown
  };
  Kind kind = Kind::rank;
  /// index of the file, group, stream title or, for other kinds, the rank; 0xffffffff for the header above
  /// the copies of lines at the top
  std::uint32_t index = 0;
  std::uint32_t track = 0;  ///< index in RankTrackList::lines; only for a track
  float top = 0;            ///< distance from the first line
  float height = 0;
  bool named = false;  ///< whether it is the copy of a rank's line at the top

  float bottom() const { return top + height; }
};

/// Consecutive ranks under one header.
struct JobGroup {
  std::string title;
  std::size_t first = 0;  ///< index in the shown ranks
  std::size_t count = 0;
};

/// Content of the lines; sizes in px.
struct JobLineParts {
  std::span<const std::uint32_t> ranks;                            ///< ranks from top to bottom
  std::span<const std::uint32_t> files;                            ///< files that are listed below the ranks
  std::span<const JobGroup> groups;                                ///< groups of `ranks`; may be empty
  std::span<const std::uint32_t> named;                            ///< ranks repeated above all others
  const std::map<std::uint32_t, RankTrackList>* tracks = nullptr;  ///< tracks of the expanded ranks
  bool by_stream = false;  ///< whether tracks are listed by title instead of below their rank
  float rank_px = 0;       ///< can be less than 1
  float named_px = 0;
  float header_px = 0;
  float lane_px = 0;
};

/// Immutable list of lines; rebuilt when its parts change. UI thread only.
class JobLines {
 public:
  JobLines() = default;
  /// O(ranks + tracks).
  explicit JobLines(const JobLineParts& parts);

  const std::vector<JobLine>& all() const { return lines_; }
  float height() const { return lines_.empty() ? 0 : lines_.back().bottom(); }
  /// Returns the lines that intersect [top, bottom). O(log lines).
  std::span<const JobLine> between(double top, double bottom) const;
  /// Returns the line at `y`, the distance from the first line; null if there is none. O(log lines).
  const JobLine* at(double y) const;
  /// Returns the regular line of a rank, not its copy at the top; null if the rank is not shown. O(1).
  const JobLine* of_rank(std::uint32_t rank) const;
  /// Returns the titles of the stream headers, in order. The empty title is that of the launching threads.
  const std::vector<std::string>& titles() const { return titles_; }

 private:
  void add(JobLine line);
  void add_tracks(const JobLineParts& parts, std::uint32_t rank);
  void add_streams(const JobLineParts& parts);

  std::vector<JobLine> lines_;
  std::vector<std::uint32_t> line_of_rank_;  // index in lines_; kNone: not shown
  std::vector<std::string> titles_;
};

}  // namespace kino
