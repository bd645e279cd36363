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
  Box titles;   ///< of the columns
  Box ruler;
  Box steps;   ///< below the ruler; empty if there are no steps
  Box labels;  ///< names and figures of the rows
  Box lanes;   ///< time axis of the rows
  Box drawer;
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

/// UI thread only.
struct JobState {
  std::vector<RankFile> files;  ///< in the order of the loader's input
  std::vector<FiledJob> jobs;   ///< computed from `files`
  std::size_t shown_job = 0;
  std::shared_ptr<const JobPicture> picture;  ///< shown job, or its ranks read so far; may be null
  std::optional<JobClocks> by_hand;           ///< manually aligned clocks

  Theme theme;
  Navigation navigation;
  SmoothScroll scroll;
  DrawerChoice drawer;
  JobBoxes boxes;

  std::optional<std::uint32_t> rank;  ///< index of the selected rank
  std::optional<std::size_t> step;    ///< selected index into JobPicture::steps
  std::optional<SliceOfRank> slice;   ///< selected, in the tracks of an expanded rank

  RankLayout layout;                                    ///< of the picture's ranks
  std::vector<std::optional<StepLength>> step_lengths;  ///< by index of JobPicture::steps
  /// by index of JobPicture::steps: from the first start on any rank to the last end on any rank
  std::vector<std::optional<TimeRange>> step_ranges;
  std::size_t grouping = 0;            ///< 0: none, 1: by machine, then by the dimensions of the layout
  std::vector<std::uint32_t> only;     ///< filter on ranks, ascending; empty: all
  std::string only_words;              ///< describes `only`
  std::vector<std::uint32_t> shown;    ///< ranks from top to bottom; see arrange()
  std::vector<JobGroup> groups;        ///< of `shown`
  std::vector<std::uint32_t> named;    ///< ranks to check first, sorted by descending waiting caused
  std::vector<std::uint32_t> pending;  ///< files that are not read yet

  std::set<std::filesystem::path> expanded;       ///< traces of the expanded ranks
  std::map<std::uint32_t, RankTrackList> tracks;  ///< of the expanded ranks
  JobLines lines;
  double row_zoom = 1;  ///< 1: all rows fit into the page

  std::optional<double> cursor_ns;        ///< mouse position in page ns
  std::vector<ContainedTrace> snapshots;  ///< allocator snapshots beside the traces
  std::vector<PageRequest> requests;      ///< not taken yet

  // Small members are adjacent to avoid padding.
  float scale = 1;
  float framebuffer_scale = 1;  ///< framebuffer px per ImGui unit
  float row_height = 0;         ///< of a rank
  float drawer_height = 250;
  std::uint32_t collective = KernelWait::kUnmatched;  ///< selected index into JobWaits::collectives
  RankFigure figure = RankFigure::sums;
  RankOrder order = RankOrder::number;
  bool read = false;             ///< all files are read
  bool fitted = true;            ///< use fitted clocks
  bool clocks_chosen = false;    ///< by the user
  bool by_stream = false;        ///< list the tracks of all ranks by stream
  bool grouping_chosen = false;  ///< by the user
  bool lines_stale = true;

  float px(float at_scale_1) const { return at_scale_1 * scale; }
  const JobAnalysis* job() const { return picture != nullptr ? picture->job.get() : nullptr; }
  /// Returns whether a row has separate bands for computing and communicating.
  bool two_lanes(const JobLine& line) const { return line.height >= px(30); }
  /// Returns the top of a line on screen, rounded to px if the line is at least two px high.
  float y_of(const JobLine& line) const;
  /// Returns the line at a y on screen, in the labels or lanes; null if there is none.
  const JobLine* line_at(float y) const;
  /// Requests the page of the snapshots, if there are any.
  void request_snapshots();
  /// Sorts and groups the rows. Call after a change of the order, the grouping, `only` or the picture.
  void arrange();
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

  /// Divides the page's area. Call before drawing the rows.
  void place(float left, float top, float width, float height);
  /// Shows another picture and keeps the selection where it is still valid. `grown`: the same job with more
  /// ranks.
  void take(std::shared_ptr<const JobPicture> made, bool grown = false);
  /// Returns the range from the first start of a collective on any rank to its last end, in page ns.
  TimeRange range_of(std::uint32_t collective_index) const;
  void select_collective(std::uint32_t index);
  /// Shows the step after (+1) or before (-1) the one in the middle of the view.
  void go_to_step(int by);
  /// Selects the next (+1) or previous (-1) late collective in the order of the waiting caused, cyclically.
  void step_late(int by);
  /// Discards manually aligned clocks. If there are none, toggles between fitted clocks and each rank's own
  /// clock.
  void toggle_clocks();
  /// Selects the next (+1) or previous (-1) collective with the same operation, sizes and group.
  void step_alike(int by);
  /// Selects a rank by its index. Does nothing unless the rank is shown.
  void select_rank(std::uint32_t index);
  /// Selects the rank in the row below (+1) or above (-1) the selected one.
  void step_row(int by);
  /// Shows only these ranks; if empty, all ranks. `words` describes the filter.
  void show_only(std::vector<std::uint32_t> ranks, std::string words = {});
  void toggle_expanded(std::uint32_t rank_index);
  /// Selects a slice and, if it communicates, its collective.
  void select_slice(SliceOfRank wanted);
  void clear();

 private:
  void lay_out();
  void name_ranks();
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
