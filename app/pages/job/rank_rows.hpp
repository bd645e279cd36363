// The rows of the job page, one per rank: figures on the left, activity on the right, and the tracks of
// expanded ranks below.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <imgui.h>

#include "app/pages/job/expanded_ranks.hpp"
#include "app/pages/job/job_state.hpp"
#include "app/pages/job/rank_image.hpp"
#include "app/pages/job/rank_labels.hpp"
#include "app/shell/settings/color_modes.hpp"
#include "core/base/worker_pool.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Draws the rows and handles the mouse over them. UI thread only, with a current OpenGL context.
class RankRows {
 public:
  /// `pool` must outlive the object. `wake` is called from any thread when a result is ready.
  RankRows(const OpenOptions& options, WorkerPool& pool, const std::function<void()>& wake);

  /// Loads the traces of expanded ranks. Call before JobState::place().
  void update(JobState& state) { expanded_.update(state); }
  /// Handles the mouse over the rows, the ruler and the strip of steps. Call inside the window, after
  /// JobState::place().
  void handle(JobState& state);
  void draw(ImDrawList& list, const JobState& state, const ColorOptions& look);
  /// Return the time under the mouse in page ns, and the collective of the kernel there. If there is none,
  /// return nullopt and KernelWait::kUnmatched.
  std::optional<double> mouse_ns(const JobState& state) const;
  std::uint32_t hovered_collective(const JobState& state) const;
  std::optional<std::uint32_t> hovered_rank() const;
  /// Returns the interval of a slice in page ns; nullopt unless the tracks of the slice's rank were drawn in
  /// the last frame.
  std::optional<TimeRange> range_of(const JobState& state, SliceOfRank slice) const;

  bool complete() const { return image_.complete() && expanded_.complete(); }
  bool wants_frames() const { return expanded_.wants_frames(); }

 private:
  /// A kernel under the mouse, by index of its rank and in RankDigest::kernels.
  struct Pick {
    std::uint32_t rank = 0;
    std::uint32_t kernel = 0;
  };
  static std::optional<Pick> pick(const JobState& state, ImVec2 mouse);
  void drag(JobState& state);
  void click(JobState& state, ImVec2 mouse);
  void click_lanes(JobState& state, const JobLine& line, ImVec2 mouse, bool twice);
  void click_labels(JobState& state, const JobLine& line, ImVec2 mouse, bool twice);
  /// Selects the rank or group at the mouse, and requests its menu.
  static void open_menu(JobState& state, ImVec2 mouse);
  static void turn_wheel(JobState& state, const Box& rows, ImVec2 mouse);
  void draw_lanes(ImDrawList& list, const JobState& state, const ColorOptions& look);
  void draw_slice_outlines(ImDrawList& list, const JobState& state) const;
  void draw_cards(const JobState& state, const StepHeat& heat) const;
  void draw_card(const JobState& state) const;

  RankImage image_;
  ExpandedRanks expanded_;
  RankLabels labels_;
  std::optional<Pick> hovered_;
  std::optional<JobLine> hovered_line_;
  EventPick hovered_slice_;
  float dragged_x_ = 0;  // part of the current drag that was already applied, in px
  float dragged_y_ = 0;
  bool dragging_ = false;
};

}  // namespace kino
