// State of the job page, shared by its head, its rows and its drawer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/pages/job/job_lines.hpp"
#include "app/pages/job/job_loader.hpp"
#include "app/pages/job/job_picture.hpp"
#include "app/pages/job/rank_layout.hpp"
#include "app/ui/drawer/page_request.hpp"
#include "app/ui/view/drawer_choice.hpp"
#include "app/ui/view/navigation.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Positions of the parts of the page.
struct JobBoxes {
  Box all;
  Box head;     ///< the verdict
  Box bar;      ///< ranks, clocks, matching
  Box figures;  ///< menu for the content of the cells; empty if there are no steps
  Box titles;   ///< titles of the columns
  Box ruler;
  Box steps;   ///< strip of steps below the ruler; empty if there are no steps
  Box labels;  ///< names and figures of the rows
  Box lanes;   ///< time axis of the rows
  Box drawer;
  Box inspector;  ///< right of all parts below the verdict; empty unless it is shown
};

/// Figures beside the names of the ranks: sums, or a heat map of one figure by step.
enum class RankFigure : std::uint8_t { sums, late, waiting, moving, step_time };
inline constexpr int kRankFigureCount = static_cast<int>(RankFigure::step_time) + 1;
/// Order of the ranks from top to bottom.
enum class RankOrder : std::uint8_t { number, late, waiting, machine };
inline constexpr int kRankOrderCount = static_cast<int>(RankOrder::machine) + 1;

/// A slice in the tracks of an expanded rank.
struct SliceOfRank {
  std::uint32_t rank = 0;
  SliceId slice = kNoSlice;
  bool operator==(const SliceOfRank&) const = default;
};

/// State of the page: recordings, picture, selection, arrangement and positions. UI thread only.
struct JobState {
  std::vector<RankFile> files;  ///< in the order of the loader's input
  std::vector<FiledJob> jobs;   ///< computed from `files`
  std::size_t shown_job = 0;
  std::shared_ptr<const JobPicture> picture;  ///< picture of the ranks read so far of the shown job, or null
  std::optional<JobClocks> by_hand;           ///< manually aligned clocks

  Theme theme;
  Navigation navigation;
  SmoothScroll scroll;
  DrawerChoice drawer;
  JobBoxes boxes;

  std::optional<std::uint32_t> rank;  ///< index of the selected rank
  std::optional<std::size_t> step;    ///< selected index into JobPicture::steps
  std::optional<std::size_t> group;   ///< selected index into `groups`
  std::optional<SliceOfRank> slice;   ///< selected slice in the tracks of an expanded rank

  RankLayout layout;                                    ///< layout of the picture's ranks
  std::vector<std::optional<StepLength>> step_lengths;  ///< one for each of JobPicture::steps
  /// range of each of JobPicture::steps, from the first start on any rank to the last end on any rank
  std::vector<std::optional<TimeRange>> step_ranges;
  std::size_t grouping = 0;            ///< 0: none, 1: by machine, from 2: by a dimension of the layout
  std::vector<std::uint32_t> only;     ///< filter on ranks, ascending; empty: all
  std::string only_words;              ///< describes `only`
  std::vector<std::uint32_t> shown;    ///< ranks from top to bottom; see arrange()
  std::vector<JobGroup> groups;        ///< groups of `shown`
  std::vector<std::uint32_t> named;    ///< see JobAnalysis::notable_stragglers()
  std::vector<std::uint32_t> pending;  ///< files that are not read yet

  std::set<std::filesystem::path> expanded;       ///< traces of the expanded ranks
  std::map<std::uint32_t, RankTrackList> tracks;  ///< tracks of the expanded ranks
  JobLines lines;
  double row_zoom = 1;  ///< 1: the height at which all rows fit into the page, within limits

  std::optional<double> cursor_ns;        ///< mouse position in page ns
  std::vector<ContainedTrace> snapshots;  ///< allocator snapshots beside the traces
  std::vector<PageRequest> requests;      ///< requests that the window has not taken yet
  /// The menu of a rank or group; see rank_menu.hpp.
  struct Menu {
    std::size_t index = 0;  ///< of a rank of the picture, or of `groups`
    std::size_t items = 0;  ///< number of items in the last frame in which it was open, for tests
    bool of_group = false;
    bool wanted = false;  ///< whether to open it in this frame
  };
  Menu menu;

  // Small members are adjacent to avoid padding.
  float scale = 1;
  float framebuffer_scale = 1;                        ///< framebuffer px per ImGui unit
  float row_height = 0;                               ///< height of a rank's row
  float inspector_px = 0;                             ///< width of the inspector; 0 if it is not shown
  std::uint32_t collective = KernelWait::kUnmatched;  ///< selected index into JobWaits::collectives
  RankFigure figure = RankFigure::sums;
  RankOrder order = RankOrder::number;
  bool read = false;             ///< whether all files are read
  bool fitted = true;            ///< whether to use fitted clocks
  bool clocks_chosen = false;    ///< whether the user selected the clocks
  bool by_stream = false;        ///< whether to list the tracks of all ranks by stream
  bool grouping_chosen = false;  ///< whether the user selected the grouping
  bool lines_stale = true;

  float px(float at_scale_1) const { return at_scale_1 * scale; }
  const JobAnalysis* job() const { return picture != nullptr ? picture->job.get() : nullptr; }
  /// Returns whether a row is tall enough for separate bands of computation and communication.
  bool two_lanes(const JobLine& line) const { return line.height >= px(30); }
  /// Returns the top of a line on screen, rounded to px if the line is at least two px high.
  float y_of(const JobLine& line) const;
  /// Returns the line at a y on screen, in the labels or lanes; null if there is none.
  const JobLine* line_at(float y) const;
  /// If there are snapshots, requests to show their page.
  void request_snapshots();
  /// Sorts and groups the rows. Call after a change of the order, the grouping, `only` or the picture.
  void arrange();
  /// Returns the shown rank with the median waiting time; nullopt if none is shown. O(ranks).
  std::optional<std::uint32_t> median_rank() const;
  /// Returns the ranks on the same machine according to the file names; empty if unknown.
  std::vector<std::uint32_t> machine_of(std::uint32_t rank_index) const;
  /// Returns the number of groupings, including "no grouping".
  std::size_t grouping_count() const { return 2 + layout.dimensions.size(); }
  /// Returns the name of a rank's group in a grouping; empty if unknown.
  std::string group_of(std::size_t grouping_wanted, std::uint32_t rank_index) const;
  /// Sets the grouping that the user selected. It also applies to jobs that are shown later.
  void group_by(std::size_t wanted);
  /// Returns the index in JobPicture::steps of the step with this number. O(log steps).
  std::optional<std::size_t> step_of(std::int64_t number) const;
  /// Returns the range from the first start of a step on any rank to its last end, in page ns. O(log steps).
  std::optional<TimeRange> range_of_step(std::int64_t number) const {
    const std::optional<std::size_t> index = step_of(number);
    return index ? step_ranges[*index] : std::nullopt;
  }
  /// Selects a step and fits the view to it.
  void go_to(std::size_t step_index);

  /// Sets the boxes of the page's parts. Call before drawing the rows.
  void place(float left, float top, float width, float height);
  /// Shows another picture. Keeps the selection, except for a group, if the picture has the same ranks. Keeps
  /// the view in this case, and also if it shows the same job with more ranks (`grown`).
  void take(std::shared_ptr<const JobPicture> made, bool grown = false);
  /// Returns the range from the first start of a collective on any rank to its last end, in page ns.
  TimeRange range_of(std::uint32_t collective_index) const;
  void select_collective(std::uint32_t index);
  /// Shows the next step (+1) or the previous one (-1), as seen from the middle of the view.
  void go_to_step(int by);
  /// Selects the next (+1) or previous (-1) late collective in the order of the waiting caused, cyclically.
  void step_late(int by);
  /// Discards manually aligned clocks. If there are none, toggles between fitted clocks and each rank's own
  /// clock.
  void toggle_clocks();
  /// Selects the next (+1) or previous (-1) collective with the same operation, sizes and group. Does nothing
  /// at the ends.
  void step_alike(int by);
  /// Selects a rank by its index, and scrolls to it. Does nothing unless the rank is shown.
  void select_rank(std::uint32_t index);
  /// Selects the rank in the row below (+1) or above (-1) the selected rank; the first rank if none is
  /// selected.
  void step_row(int by);
  /// Shows only these ranks, which must be ascending; if empty, all ranks. `words` describes the filter.
  void show_only(std::vector<std::uint32_t> ranks, std::string words = {});
  void toggle_expanded(std::uint32_t rank_index);
  /// Selects a slice and, if it communicates, its collective.
  void select_slice(SliceOfRank wanted);
  void clear();

 private:
  void lay_out();
  void find_steps();
  float fitting_height(std::size_t count) const;

  struct LaidOut {
    float row_height = 0;
    float scale = 0;
    float height = 0;
    bool operator==(const LaidOut&) const = default;
  };
  LaidOut laid_out_;
};

}  // namespace kino
