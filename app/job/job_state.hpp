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
  std::vector<std::uint32_t> late;                ///< collectives with a culprit, most waiting first
  std::filesystem::path open_wanted;              ///< a recording that somebody asked to see

  float px(float at_scale_1) const { return at_scale_1 * scale; }
  const JobAnalysis* job() const { return picture != nullptr ? picture->job.get() : nullptr; }
  /// Rows on the page: ranks of the job, or files until it is known.
  std::size_t rows() const { return picture != nullptr ? picture->ranks.size() : files.size(); }

  /// Divides the page's area. Before the rows are drawn.
  void place(float left, float top, float width, float height);
  /// Shows another picture; what was selected stays where it still means something.
  void take(std::shared_ptr<const JobPicture> made);
  /// From its first begin to its last end, in the page's ns.
  TimeRange range_of(std::uint32_t collective_index) const;
  void select_collective(std::uint32_t index);
  /// The next one by what it cost, or the one before it; around the ends.
  void step_late(int step);
  void select_rank(std::uint32_t index);
  void clear();
};

}  // namespace kino
