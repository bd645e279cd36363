// Draws the tracks of one expanded rank on the job's clock. Slices are drawn by the GPU from LOD tiles, as in
// a timeline.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <imgui.h>

#include "app/pages/job/job_state.hpp"
#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/slice_style.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/trace.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

/// Draws the tracks of one rank. UI thread only, with a current OpenGL context.
class RankTracks {
 public:
  /// `pool` must outlive the object. `wake` is called from a worker when a result is ready.
  RankTracks(std::shared_ptr<const Trace> trace, WorkerPool& pool, const std::function<void()>& wake);
  RankTracks(const RankTracks&) = delete;  // the draw list's callback uses the object's address
  RankTracks& operator=(const RankTracks&) = delete;

  const Trace& trace() const { return *trace_; }
  const SliceStyle& look() const { return look_; }

  /// Draws the visible lines of the rank. Labels are drawn for the slices of the previous frame.
  void draw(ImDrawList& list, const JobState& state, std::uint32_t rank, const ColorOptions& wanted);
  /// Returns the event at a position on screen in one of the rank's lines.
  EventPick pick(const JobState& state, const JobLine& line, ImVec2 mouse) const;
  /// Position of a visible slice: x from the left of the lanes, y on screen.
  struct Place {
    float left = 0;
    float right = 0;
    float top = 0;
    float bottom = 0;
  };
  std::optional<Place> place_of(const JobState& state, std::uint32_t rank, SliceId slice) const;
  /// Returns the interval of a slice in page ns.
  TimeRange page_range(const JobState& state, std::uint32_t rank, SliceId slice) const;

  bool complete() const {
    return frames_drawn_ > 0 && renderer_.complete() && labels_fresh_ && look_.complete();
  }
  bool labels_fresh() const { return labels_fresh_; }

 private:
  TimeView own_view(const JobState& state, std::uint32_t rank) const;
  void request(ImDrawList& list, const JobState& state, std::uint32_t rank);
  void draw_labels(ImDrawList& list, const JobState& state);
  std::string_view label_of(NameId name);
  static void render(const ImDrawList* list, const ImDrawCmd* command);

  std::shared_ptr<const Trace> trace_;
  SliceStyle look_;
  TimelineRenderer renderer_;
  std::unordered_map<std::uint32_t, std::string> short_forms_;
  std::optional<bool> dark_;
  // Input of the renderer for this frame, in framebuffer px.
  TimeView drawn_view_;
  std::vector<LaneDraw> drawn_lanes_;
  PixelArea drawn_area_;
  std::uint64_t frames_drawn_ = 0;
  TimeView labelled_view_;
  double labelled_scroll_ = -1;
  bool labels_fresh_ = false;
};

}  // namespace kino
