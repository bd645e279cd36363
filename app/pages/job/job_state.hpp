// What the page of a job shows and where: shared by its head, its rows and the pages of its drawer.
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

/// Where the parts of the page are on screen.
struct JobBoxes {
  Box all;
  Box head;     ///< the verdict
  Box bar;      ///< ranks, clocks, matching
  Box figures;  ///< above these: what the cells are of; empty without steps
  Box titles;   ///< of the columns
  Box ruler;
  Box steps;   ///< below the ruler; empty without steps
  Box labels;  ///< of the rows: names and figures
  Box lanes;   ///< of the rows: time
  Box drawer;
};

/// What stands beside the names of the ranks: sums over all, or a heat map by step of one of these.
enum class RankFigure : std::uint8_t { sums, late, waiting, moving, step_time };
inline constexpr int kRankFigureCount = static_cast<int>(RankFigure::step_time) + 1;
/// From top to bottom.
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
  std::vector<RankFile> files;  ///< what is read, in the order of the folder
  std::vector<FiledJob> jobs;   ///< what they turned out to be of; once all are read
  std::size_t shown_job = 0;
  std::shared_ptr<const JobPicture> picture;  ///< of that, or of what of it is read; null until it is there
  std::optional<JobClocks> by_hand;           ///< clocks that were laid beside each other by hand

  Theme theme;
  Navigation navigation;
  SmoothScroll scroll;
  DrawerChoice drawer;
  JobBoxes boxes;

  std::optional<std::uint32_t> rank;  ///< index of the one that is selected
  std::optional<std::size_t> step;    ///< of JobPicture::steps, that is selected
  std::optional<SliceOfRank> slice;   ///< in the tracks of an expanded rank

  RankLayout layout;                                    ///< of the picture's ranks
  std::vector<std::optional<StepLength>> step_lengths;  ///< of JobPicture::steps
  std::vector<std::optional<TimeRange>> step_ranges;    ///< of JobPicture::steps: from the first begin on a
                                                        ///< rank to the last end
  std::size_t grouping = 0;            ///< 0: none, 1: by machine, then by the dimensions of the layout
  std::vector<std::uint32_t> only;     ///< ranks that are shown, ascending; empty: all
  std::string only_words;              ///< which those are
  std::vector<std::uint32_t> shown;    ///< ranks from top to bottom, as arrange() leaves them
  std::vector<JobGroup> groups;        ///< of these
  std::vector<std::uint32_t> named;    ///< the ranks to look at first, most to blame first
  std::vector<std::uint32_t> pending;  ///< files that are still to be read

  std::set<std::filesystem::path> expanded;       ///< ranks whose tracks are wanted
  std::map<std::uint32_t, RankTrackList> tracks;  ///< of these ranks
  JobLines lines;
  double row_zoom = 1;  ///< 1: as high as all rows fit

  std::optional<double> cursor_ns;        ///< under the mouse, on the page's clock
  std::vector<ContainedTrace> snapshots;  ///< of allocators, which lie beside the traces
  std::vector<PageRequest> requests;      ///< not taken yet

  // Together, for they would leave holes between what is larger.
  float scale = 1;
  float framebuffer_scale = 1;  ///< framebuffer px per ImGui unit
  float row_height = 0;         ///< of a rank
  float drawer_height = 250;
  std::uint32_t collective = KernelWait::kAlone;  ///< of JobWaits::collectives
  RankFigure figure = RankFigure::sums;
  RankOrder order = RankOrder::number;
  bool read = false;             ///< all files
  bool fitted = true;            ///< whether the clocks are laid over each other
  bool clocks_chosen = false;    ///< by a person
  bool by_stream = false;        ///< the tracks of all ranks, by their streams
  bool grouping_chosen = false;  ///< by a person
  bool lines_stale = true;

  float px(float at_scale_1) const { return at_scale_1 * scale; }
  const JobAnalysis* job() const { return picture != nullptr ? picture->job.get() : nullptr; }
  /// Whether a row has one band for computing and one for communicating.
  bool two_lanes(const JobLine& line) const { return line.height >= px(30); }
  /// Where a line is on screen; whole px unless it is lower than two.
  float y_of(const JobLine& line) const;
  /// Under a place on screen, of the labels or the lanes; null: none.
  const JobLine* line_at(float y) const;
  /// Requests the page of the snapshots, if there are any.
  void ask_for_snapshots();
  /// Puts the rows in order, after that, `only` or the picture have changed.
  void arrange();
  /// The ranks of the same machine, by the names of the files; empty where those do not tell.
  std::vector<std::uint32_t> machine_of(std::uint32_t rank_index) const;
  /// How many groupings there are, with none.
  std::size_t grouping_count() const { return 2 + layout.dimensions.size(); }
  /// In which group of a grouping a rank stands; "" where that is unknown.
  std::string group_of(std::size_t grouping_wanted, std::uint32_t rank_index) const;
  /// As a person wants it, for this job and others.
  void group_by(std::size_t wanted);
  /// Of JobPicture::steps. O(log steps).
  std::optional<std::size_t> step_of(std::int64_t number) const;
  /// From the first begin of a step on any rank to its last end. O(log steps).
  std::optional<TimeRange> range_of_step(std::int64_t number) const {
    const std::optional<std::size_t> index = step_of(number);
    return index ? step_ranges[*index] : std::nullopt;
  }
  /// Selects it and lets it fill the view.
  void go_to(std::size_t step_index);

  /// Divides the page's area. Before the rows are drawn.
  void place(float left, float top, float width, float height);
  /// Shows another picture; what was selected stays where it still means something. `grown`: it is of the
  /// same job with more ranks.
  void take(std::shared_ptr<const JobPicture> made, bool grown = false);
  /// From its first begin to its last end, in the page's ns.
  TimeRange range_of(std::uint32_t collective_index) const;
  void select_collective(std::uint32_t index);
  /// Shows the step after the one that lies in the middle of the view, or the one before it.
  void go_to_step(int by);
  /// The next one by what it cost, or the one before it; around the ends.
  void step_late(int by);
  /// From clocks set by hand back to those before, else from common ones to each rank's own and back.
  void toggle_clocks();
  /// Of the selected collective the next one of the same operation in the same group, or the one before.
  void step_alike(int by);
  /// Of a rank that is shown; nothing happens for others.
  void select_rank(std::uint32_t index);
  /// The rank in the row below the selected one, or above it.
  void step_row(int by);
  /// Empty: all. `words` say which.
  void show_only(std::vector<std::uint32_t> ranks, std::string words = {});
  void toggle_expanded(std::uint32_t rank_index);
  /// Selects a slice, and what it is to the job when it communicates.
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
