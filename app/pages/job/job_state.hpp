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
  Box figures;  ///< menu for the content of the cells; empty without steps
  Box titles;   ///< of the columns
  Box ruler;
  Box steps;   ///< below the ruler; empty without steps
  Box labels;  ///< names and figures of the rows
  Box lanes;   ///< time axis of the rows
  Box drawer;
};

/// Figures beside the names of the ranks: sums, or a heat map by step.
enum class RankFigure : std::uint8_t { sums, late, waiting, moving, step_time };
inline constexpr int kRankFigureCount = static_cast<int>(RankFigure::step_time) + 1;
/// Order from top to bottom.
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
  std::vector<RankFile> files;  ///< in the order of the folder
  std::vector<FiledJob> jobs;   ///< computed from `files`
  std::size_t shown_job = 0;
  std::shared_ptr<const JobPicture> picture;  ///< of the shown job, or of its part read so far; may be null
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
  /// by index of JobPicture::steps: first begin on any rank to last end
  std::vector<std::optional<TimeRange>> step_ranges;
  std::size_t grouping = 0;            ///< 0: none, 1: by machine, then by the dimensions of the layout
  std::vector<std::uint32_t> only;     ///< filter on ranks, ascending; empty: all
  std::string only_words;              ///< describes `only`
  std::vector<std::uint32_t> shown;    ///< ranks from top to bottom; see arrange()
  std::vector<JobGroup> groups;        ///< of `shown`
  std::vector<std::uint32_t> named;    ///< the ranks to check first, the one that caused most waiting first
  std::vector<std::uint32_t> pending;  ///< files that are not read yet

  std::set<std::filesystem::path> expanded;       ///< traces of the expanded ranks
  std::map<std::uint32_t, RankTrackList> tracks;  ///< of the expanded ranks
  JobLines lines;
  double row_zoom = 1;  ///< 1: all rows fit into the page

  std::optional<double> cursor_ns;        ///< mouse position in page ns
  std::vector<ContainedTrace> snapshots;  ///< allocator snapshots beside the traces
  std::vector<PageRequest> requests;      ///< not taken yet

  // Small members are together to avoid padding.
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
  /// Whether a row has separate bands for computing and communicating.
  bool two_lanes(const JobLine& line) const { return line.height >= px(30); }
  /// Top of a line on screen; rounded to px if the line is at least two px high.
  float y_of(const JobLine& line) const;
  /// The line at a position on screen, in the labels or lanes; null if there is none.
  const JobLine* line_at(float y) const;
  /// Requests the page of the snapshots, if there are any.
  void request_snapshots();
  /// Sorts and groups the rows, after a change of the order, the grouping, `only` or the picture.
  void arrange();
  /// The ranks on the same machine according to the file names; empty if unknown.
  std::vector<std::uint32_t> machine_of(std::uint32_t rank_index) const;
  /// Number of groupings, including none.
  std::size_t grouping_count() const { return 2 + layout.dimensions.size(); }
  /// The group of a rank in a grouping; empty if unknown.
  std::string group_of(std::size_t grouping_wanted, std::uint32_t rank_index) const;
  /// Sets the grouping chosen by the user, which is kept for other jobs.
  void group_by(std::size_t wanted);
  /// Index into JobPicture::steps. O(log steps).
  std::optional<std::size_t> step_of(std::int64_t number) const;
  /// First begin of a step on any rank to its last end, in page ns. O(log steps).
  std::optional<TimeRange> range_of_step(std::int64_t number) const {
    const std::optional<std::size_t> index = step_of(number);
    return index ? step_ranges[*index] : std::nullopt;
  }
  /// Selects a step and fits it into the view.
  void go_to(std::size_t step_index);

  /// Divides the page's area. Call before drawing the rows.
  void place(float left, float top, float width, float height);
  /// Shows another picture and keeps the selection where it is still valid. `grown`: the same job with more
  /// ranks.
  void take(std::shared_ptr<const JobPicture> made, bool grown = false);
  /// First begin of a collective to its last end, in page ns.
  TimeRange range_of(std::uint32_t collective_index) const;
  void select_collective(std::uint32_t index);
  /// Shows the step after or before the one in the middle of the view.
  void go_to_step(int by);
  /// Selects the next or previous late collective by waiting caused, cyclically.
  void step_late(int by);
  /// Resets manually aligned clocks, else toggles between fitted clocks and each rank's own.
  void toggle_clocks();
  /// Selects the next or previous collective with the same operation and group.
  void step_alike(int by);
  /// Does nothing unless the rank is shown.
  void select_rank(std::uint32_t index);
  /// Selects the rank in the row below or above the selected one.
  void step_row(int by);
  /// Shows only these ranks; all if empty. `words` describes them.
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
