#include "app/pages/job/rank_tracks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/picture_key.hpp"
#include "app/ui/widgets/text_drawing.hpp"

namespace kino {
namespace {

float lane_px(const JobLine& line, const RankTrackLine& track) {
  return std::floor(line.height / static_cast<float>(std::max(1U, track.shown_lanes())));
}

/// Visits the visible track lines of a rank.
template <class Visit>
void visit_lines(const JobState& state, std::uint32_t rank, const Visit& visit) {
  const auto found = state.tracks.find(rank);
  if (found == state.tracks.end()) return;
  const double top = state.scroll.position();
  for (const JobLine& line :
       state.lines.between(top, top + static_cast<double>(state.boxes.lanes.height()))) {
    if (line.kind == JobLine::Kind::track && line.index == rank) visit(line, found->second.lines[line.track]);
  }
}

}  // namespace

RankTracks::RankTracks(std::shared_ptr<const Trace> trace, WorkerPool& pool,
                       const std::function<void()>& wake)
    : trace_(std::move(trace)), look_(trace_, pool, wake), renderer_(trace_, pool, wake) {}

TimeView RankTracks::own_view(const JobState& state, std::uint32_t rank) const {
  const RankPicture& clock = state.picture->ranks[rank];
  const TimeView& view = state.navigation.view();
  return {clock.own_ns(view.begin_ns, trace_->origin_unix_ns), view.ns_per_px * clock.own_rate,
          view.width_px};
}

void RankTracks::draw(ImDrawList& list, const JobState& state, std::uint32_t rank,
                      const ColorOptions& wanted) {
  if (std::exchange(dark_, state.theme.dark) != state.theme.dark)
    renderer_.set_surface_colors(state.theme.track_area, state.theme.counter, state.theme.instant);
  const SliceStyle::Change change = look_.update(wanted, state.theme);
  if (change == SliceStyle::Change::keys) renderer_.set_paint({look_.keys(), nullptr}, look_.palette());
  if (change == SliceStyle::Change::palette) renderer_.set_palette(look_.palette());
  request(list, state, rank);
  draw_labels(list, state);
}

void RankTracks::render(const ImDrawList* /*list*/, const ImDrawCmd* command) {
  RankTracks& tracks = *static_cast<RankTracks*>(command->UserCallbackData);
  tracks.renderer_.draw(tracks.drawn_view_, tracks.drawn_lanes_, tracks.drawn_area_);
  ++tracks.frames_drawn_;
}

void RankTracks::request(ImDrawList& list, const JobState& state, std::uint32_t rank) {
  const float fine = state.framebuffer_scale;
  const ImVec2 origin = ImGui::GetMainViewport()->Pos;
  const auto whole = [fine](float value) { return static_cast<int>(std::lround(value * fine)); };
  const Box& lanes = state.boxes.lanes;
  drawn_area_.x = whole(lanes.left - origin.x);
  drawn_area_.y = whole(lanes.top - origin.y);
  drawn_area_.width = std::max(0, whole(lanes.right - origin.x) - drawn_area_.x);
  drawn_area_.height = std::max(0, whole(lanes.bottom - origin.y) - drawn_area_.y);
  drawn_area_.framebuffer_height = whole(ImGui::GetIO().DisplaySize.y);
  const TimeView view = own_view(state, rank);
  drawn_view_ = {view.begin_ns, view.ns_per_px / fine, view.width_px * fine};
  drawn_lanes_.clear();
  visit_lines(state, rank, [&](const JobLine& line, const RankTrackLine& track) {
    const float height = lane_px(line, track);
    const float top = state.y_of(line) - lanes.top + 1;
    for (std::uint32_t lane = 0; lane < track.shown_lanes(); ++lane) {
      drawn_lanes_.push_back({.kind = LaneDraw::Kind::slices,
                              .index = track.first_row + lane,
                              .top_px = (top + static_cast<float>(lane) * height) * fine,
                              .height_px = height * fine});
    }
  });
  add_drawing(list, &RankTracks::render, this,
              picture_key(renderer_, drawn_view_, drawn_lanes_, drawn_area_));
}

std::string_view RankTracks::label_of(NameId name) {
  if (look_.full_names()) return trace_->name_text(name);
  const auto [it, fresh] = short_forms_.try_emplace(index_of(name));
  if (fresh) it->second = SliceStyle::short_text(trace_->name_text(name));
  return it->second;
}

void RankTracks::draw_labels(ImDrawList& list, const JobState& state) {
  constexpr double kMinWidth = 24;
  const float fine = state.framebuffer_scale;
  const TimeView view{drawn_view_.begin_ns, drawn_view_.ns_per_px * fine, drawn_view_.width_px / fine};
  const Box& lanes = state.boxes.lanes;
  const double padding = std::round(state.px(4));
  const float font = ImGui::GetFontSize();
  std::unordered_map<std::uint32_t, const LaneDraw*> lane_of_row;
  for (const LaneDraw& lane : drawn_lanes_) lane_of_row[lane.index] = &lane;
  const auto visit = [&](const LaneDraw& drawn, SliceId slice, double, double) {
    // The renderer's list is one frame old. It determines which slices are wide, but their positions are
    // computed from the current view.
    const auto found = lane_of_row.find(drawn.index);
    if (found == lane_of_row.end()) return;
    const float top = lanes.top + found->second->top_px / fine;
    const float height = found->second->height_px / fine;
    const auto start = static_cast<double>(trace_->start_ns(slice));
    const auto length = static_cast<double>(trace_->duration_ns(slice));
    const double left = std::max(0.0, view.px_from_ns(start));
    const double right = std::min(view.width_px, view.px_from_ns(start + length));
    if (right - left < kMinWidth * static_cast<double>(state.scale)) return;
    draw_elided(list,
                {lanes.left + static_cast<float>(std::round(left + padding)),
                 std::floor(top + (height - 1 - font) / 2)},
                static_cast<float>(right - left - 2 * padding), text_on(look_.color_of(slice), state.theme),
                label_of(trace_->name(slice)));
  };
  renderer_.visit_wide_slices(kMinWidth * static_cast<double>(state.scale * fine), visit);
  const double scrolled = state.scroll.position();
  labels_fresh_ = frames_drawn_ > 0 && renderer_.complete() && labelled_view_ == drawn_view_ &&
                  labelled_scroll_ == scrolled;
  labelled_view_ = drawn_view_;
  labelled_scroll_ = scrolled;
}

EventPick RankTracks::pick(const JobState& state, const JobLine& line, ImVec2 mouse) const {
  const auto found = state.tracks.find(line.index);
  if (found == state.tracks.end() || line.track >= found->second.lines.size()) return {};
  const RankTrackLine& track = found->second.lines[line.track];
  const float height = lane_px(line, track);
  const auto lane = static_cast<std::int64_t>((mouse.y - state.y_of(line) - 1) / height);
  if (lane < 0 || lane >= std::int64_t{track.shown_lanes()}) return {};
  const RowId row{track.first_row + static_cast<std::uint32_t>(lane)};
  constexpr double kTolerancePx = 2;
  return pick_slice(*trace_, row, own_view(state, line.index), mouse.x - state.boxes.lanes.left,
                    kTolerancePx);
}

std::optional<RankTracks::Place> RankTracks::place_of(const JobState& state, std::uint32_t rank,
                                                      SliceId slice) const {
  if (index_of(slice) >= trace_->slice_count()) return std::nullopt;
  const RowId row = trace_->row_of(slice);
  std::optional<Place> place;
  const TimeView view = own_view(state, rank);
  const double start = view.px_from_ns(static_cast<double>(trace_->start_ns(slice)));
  const double end = view.px_from_ns(static_cast<double>(trace_->end_ns(slice)));
  if (end < 0 || start > view.width_px) return std::nullopt;
  visit_lines(state, rank, [&](const JobLine& line, const RankTrackLine& track) {
    if (index_of(row) < track.first_row || index_of(row) >= track.first_row + track.shown_lanes()) return;
    const float height = lane_px(line, track);
    const float top = state.y_of(line) + 1 + static_cast<float>(index_of(row) - track.first_row) * height;
    constexpr double kBeyond = 8;
    place = Place{static_cast<float>(std::max(-kBeyond, start)),
                  static_cast<float>(std::min(view.width_px + kBeyond, end)), top, top + height - 1};
  });
  return place;
}

TimeRange RankTracks::page_range(const JobState& state, std::uint32_t rank, SliceId slice) const {
  const RankPicture& clock = state.picture->ranks[rank];
  const auto at = [&](std::int64_t own_ns) {
    return std::llround(clock.page_ns(static_cast<double>(own_ns), trace_->origin_unix_ns));
  };
  return {at(trace_->start_ns(slice)), at(trace_->end_ns(slice))};
}

}  // namespace kino
