// What lies below what on the page of a job: ranks, files that are not read yet, headers, and the tracks of
// the ranks that are expanded.
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
    file,    ///< not read yet, or of no rank of this job
    group,   ///< above its ranks
    stream,  ///< above the tracks of the same title of all ranks
    track,
    note,  ///< of a rank whose tracks cannot be shown, or not yet
  };
  Kind kind = Kind::rank;
  std::uint32_t index = 0;  ///< of the rank, the file, the group or the title of the stream
  std::uint32_t track = 0;  ///< of RankTrackList::lines
  float top = 0;            ///< from the top of all
  float height = 0;
  bool named = false;  ///< a rank that stands at the top once more

  float bottom() const { return top + height; }
};

/// Ranks that stand together.
struct JobGroup {
  std::string title;
  std::size_t first = 0;  ///< of the ranks that are shown
  std::size_t count = 0;
};

/// What the lines are made of; px.
struct JobLineParts {
  std::span<const std::uint32_t> ranks;                            ///< as they are shown
  std::span<const std::uint32_t> files;                            ///< that stand below them
  std::span<const JobGroup> groups;                                ///< of `ranks`; none: they stand in one
  std::span<const std::uint32_t> named;                            ///< stand above all others once more
  const std::map<std::uint32_t, RankTrackList>* tracks = nullptr;  ///< of the ranks that are expanded
  bool by_stream = false;  ///< the tracks stand by their titles, not below their rank
  float rank_px = 0;       ///< may be less than 1
  float named_px = 0;
  float header_px = 0;
  float lane_px = 0;
};

/// Made anew when its parts have changed. UI thread only.
class JobLines {
 public:
  JobLines() = default;
  /// O(ranks + tracks).
  explicit JobLines(const JobLineParts& parts);

  const std::vector<JobLine>& all() const { return lines_; }
  float height() const { return lines_.empty() ? 0 : lines_.back().bottom(); }
  /// Those that touch [top, bottom). O(log lines).
  std::span<const JobLine> between(double top, double bottom) const;
  /// O(log lines).
  const JobLine* at(double y) const;
  /// Its row among the others, not the one at the top; null where it is not shown. O(1).
  const JobLine* of_rank(std::uint32_t rank) const;
  /// Of the streams: what they are called on all ranks, in order.
  const std::vector<std::string>& titles() const { return titles_; }

 private:
  void add(JobLine line);
  void add_tracks(const JobLineParts& parts, std::uint32_t rank);
  void add_streams(const JobLineParts& parts);

  std::vector<JobLine> lines_;
  std::vector<std::uint32_t> line_of_rank_;  // kNone: not shown
  std::vector<std::string> titles_;
};

}  // namespace kino
