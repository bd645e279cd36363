// What the page of a job shows and where: shared by its head, its rows and the pages of its drawer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/job/job_loader.hpp"
#include "app/job/job_picture.hpp"
#include "app/view/drawer_choice.hpp"
#include "app/view/navigation.hpp"
#include "app/widgets/box.hpp"
#include "app/widgets/theme.hpp"

namespace kino {

/// Where the parts of the page are on screen.
struct JobBoxes {
  Box all;
  Box head;    ///< the verdict
  Box bar;     ///< ranks, clocks, matching
  Box titles;  ///< of the columns
  Box ruler;
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

/// UI thread only.
struct JobState {
  std::vector<RankFile> files;  ///< what is read, in the order of the folder
  bool read = false;            ///< all of them
  std::vector<FiledJob> jobs;   ///< what they turned out to be of; once all are read
  std::size_t shown_job = 0;
  std::shared_ptr<const JobPicture> picture;  ///< of that; null until it is there
  bool fitted = true;                         ///< what a person wants of the clocks

  Theme theme;
  float scale = 1;
  Navigation navigation;
  SmoothScroll scroll;
  DrawerChoice drawer;
  float drawer_height = 250;
  JobBoxes boxes;
  float row_height = 0;

  std::optional<std::uint32_t> rank;              ///< index of the one that is selected
  std::uint32_t collective = KernelWait::kAlone;  ///< of JobWaits::collectives
  std::vector<std::uint32_t> shown;               ///< ranks by row, as arrange() leaves them
  std::vector<std::uint32_t> late;                ///< collectives with a culprit, most waiting first
  RankFigure figure = RankFigure::sums;
  RankOrder order = RankOrder::number;
  std::vector<std::uint32_t> only;    ///< ranks that are shown, ascending; empty: all
  std::filesystem::path open_wanted;  ///< a recording that somebody asked to see

  float px(float at_scale_1) const { return at_scale_1 * scale; }
  const JobAnalysis* job() const { return picture != nullptr ? picture->job.get() : nullptr; }
  /// Rows on the page: ranks of the job, or files until it is known.
  std::size_t rows() const { return picture != nullptr ? shown.size() : files.size(); }
  /// Of a row; the row's own number until the job is known.
  std::uint32_t rank_at(std::uint32_t row) const { return picture != nullptr ? shown[row] : row; }
  /// Of a rank; nothing where it is not shown.
  std::optional<std::uint32_t> row_of(std::uint32_t rank_index) const;
  /// Puts the rows in order, after that, `only` or the picture have changed.
  void arrange();
  /// The ranks of the same machine, by the names of the files; empty where those do not tell.
  std::vector<std::uint32_t> machine_of(std::uint32_t rank_index) const;
  /// From the first begin of a step on any rank to its last end.
  std::optional<TimeRange> range_of_step(std::int64_t number) const;

  /// Divides the page's area. Before the rows are drawn.
  void place(float left, float top, float width, float height);
  /// Shows another picture; what was selected stays where it still means something.
  void take(std::shared_ptr<const JobPicture> made);
  /// From its first begin to its last end, in the page's ns.
  TimeRange range_of(std::uint32_t collective_index) const;
  void select_collective(std::uint32_t index);
  /// Shows the step after the one that lies in the middle of the view, or the one before it.
  void go_to_step(int by);
  /// The next one by what it cost, or the one before it; around the ends.
  void step_late(int step);
  /// Of a rank that is shown; nothing happens for others.
  void select_rank(std::uint32_t index);
  /// The rank in the row below the selected one, or above it.
  void step_row(int by);
  /// Empty: all.
  void show_only(std::vector<std::uint32_t> ranks);
  void clear();
};

}  // namespace kino
