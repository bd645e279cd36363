#include "app/pages/timeline/overlays/idle_band.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "app/pages/timeline/overlays/idle_reasons.hpp"
#include "app/ui/tables/track_titles.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/gpu_gaps.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kFillAlpha = 0x21;  // 13 %
constexpr std::uint32_t kHatchAlpha = 0x30;
constexpr std::uint32_t kDimmedBandAlpha = 0x0a;
constexpr float kHatchedPx = 6;    // minimum width of a band with hatching, at scale 1
constexpr float kGapLabelPx = 30;  // minimum width of a band with its duration
constexpr std::size_t kMostNameBytes = 280;

/// Adjacent tracks of one GPU, and the first stream among them.
struct GpuTracks {
  std::uint32_t process = 0;
  float top = 0;
  float bottom = 0;
  std::optional<float> label_y;  // top of a label in the first lane of a stream that is completely in view
};

std::vector<GpuTracks> gpu_tracks(const TimelineState& state) {
  const Box& tracks = state.boxes.tracks;
  const ShownRows rows = state.rows();
  std::vector<GpuTracks> found;
  state.layout.visit_visible(state.shown_scroll(), tracks.height(), [&](const LayoutItem& item, double y_px) {
    if (item.kind != LayoutItem::Kind::track) return;
    const Track& track = rows.track_at(item.index);
    if (!rows.trace->processes[track.process].gpu || track.kind == TrackKind::counter) return;
    const TimelineState::Part part = state.part(item.pinned);
    const float top = tracks.top + static_cast<float>(std::max(part.top_px, y_px));
    const float bottom = tracks.top + static_cast<float>(std::min(part.bottom_px, y_px + item.height_px));
    if (bottom <= top) return;
    if (!found.empty() && found.back().process == track.process && std::abs(found.back().bottom - top) < 1) {
      found.back().bottom = bottom;
    } else {
      found.push_back({track.process, top, bottom, std::nullopt});
    }
    const bool whole = bottom - top >= item.height_px - 1;
    if (track.kind == TrackKind::gpu_stream && whole && !found.back().label_y)
      found.back().label_y = std::floor(top + item.lanes_top_px + (item.lane_px - ImGui::GetFontSize()) / 2);
  });
  return found;
}

}  // namespace

void IdleBand::update(bool wanted) {
  meanwhile_.poll();
  if (times_.poll() != nullptr) {
    for (const GpuIdle& gpu : (*times_.value())->gpus) {
      for (std::size_t i = 0; i < kIdleReasonCount; ++i) reasons_[i] = reasons_[i] || !gpu.reasons[i].empty();
    }
  }
  if (!wanted || times_.value() != nullptr || times_.running() || times_.failed()) return;
  times_.start(pool_, wake_, [trace = trace_](const std::stop_token& stop) -> std::shared_ptr<const Times> {
    return std::make_shared<Times>(Times{gpu_idle(*trace, stop), LaunchingThreads(*trace, stop)});
  });
}

const GpuIdle* IdleBand::idle_of(std::uint32_t process) const {
  if (times_.value() == nullptr) return nullptr;
  const std::vector<GpuIdle>& gpus = (*times_.value())->gpus;
  const auto found = std::ranges::find(gpus, process, &GpuIdle::process);
  return found == gpus.end() ? nullptr : &*found;
}

std::vector<TimeRange> visible_gaps(const BusyLine& gaps, const TimeView& view) {
  std::vector<TimeRange> visible;
  const int width = static_cast<int>(std::ceil(view.width_px));
  const auto edge = [&](int px) {
    constexpr double kFarthest = 9e18;
    return static_cast<std::int64_t>(
        std::clamp(std::floor(view.begin_ns + px * view.ns_per_px), -kFarthest, kFarthest));
  };
  const auto column = [&](double px) { return static_cast<int>(std::clamp<double>(px, 0, width)); };
  const double least_ns = kLeastGapPx * view.ns_per_px;
  std::size_t near = 0;
  // A gap of 2 px contains the left edge of a column, so that one search per column finds all of them.
  for (int px = 0; px <= width; ++px) {
    const std::int64_t time = edge(px);
    near = gaps.first_after(time, near);
    if (near >= gaps.size()) break;
    const TimeRange gap = gaps[near];
    if (static_cast<double>(gap.begin_ns) >= view.end_ns()) break;
    const bool wide = static_cast<double>(gap.length_ns()) >= least_ns;
    if (wide && gap.begin_ns <= edge(px + 1)) {
      if (visible.empty() || !(visible.back() == gap)) visible.push_back(gap);
      px = std::max(px, column(std::ceil(view.px_from_ns(static_cast<double>(gap.end_ns)))) - 1);
    } else if (gap.begin_ns > time) {
      // Nothing is idle before this gap.
      px = std::max(px, column(std::floor(view.px_from_ns(static_cast<double>(gap.begin_ns)))) - 1);
    }
  }
  return visible;
}

void IdleBand::draw(ImDrawList& list, const TimelineState& state, const RulerScale& ticks,
                    std::optional<std::uint32_t> chosen, const Theme& theme) const {
  if (times_.value() == nullptr) return;
  const float origin = state.boxes.tracks.left;
  const TimeView& view = state.navigation.view();
  for (const GpuTracks& gpu : gpu_tracks(state)) {
    const GpuIdle* const idle = idle_of(gpu.process);
    if (idle == nullptr) continue;
    GpuIdle::Near near{};
    for (const TimeRange& gap : visible_gaps(idle->gaps, view)) {
      visit_idle_parts(*idle, gap, view, near, [&](const GpuIdle::Part& part, double left, double right) {
        const bool dimmed = chosen && *chosen != idle_key(part.reason);
        draw_band(list, state, ticks, part, {origin + static_cast<float>(left), gpu.top},
                  {origin + static_cast<float>(right), gpu.bottom}, gpu.label_y, dimmed, theme);
      });
    }
  }
}

void IdleBand::draw_band(ImDrawList& list, const TimelineState& state, const RulerScale& ticks,
                         const GpuIdle::Part& part, ImVec2 from, ImVec2 to, std::optional<float> label_y,
                         bool dimmed, const Theme& theme) const {
  const std::uint32_t color = idle_color(part.reason, theme);
  list.AddRectFilled(from, to, with_alpha(color, dimmed ? kDimmedBandAlpha : kFillAlpha));
  if (dimmed) return;
  const float room = to.x - from.x;
  if (room >= state.px(kHatchedPx)) add_hatching(list, from, to, with_alpha(color, kHatchAlpha), state.scale);
  if (!label_y || room < state.px(kGapLabelPx)) return;
  const float margin = state.px(4);
  std::string text = label_text(ticks, part.range.length_ns());
  if (text_width(text) + margin > room) return;
  const std::string named = reason_text(part.reason, device_) + " " + text;
  if (text_width(named) + 2 * margin <= room) text = named;
  draw_elided(list, {std::floor((from.x + to.x - text_width(text)) / 2), *label_y}, room, theme.idle, text);
}

std::optional<IdleBand::Band> IdleBand::band_at_mouse(const TimelineState& state) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Box& tracks = state.boxes.tracks;
  if (!state.idle_band || state.hovered.event.any() || state.mouse_on_block) return std::nullopt;
  if (!tracks.contains(mouse.x, mouse.y) || !ImGui::IsWindowHovered()) return std::nullopt;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseDown(ImGuiMouseButton_Middle)) return {};
  const LayoutHit hit = state.layout.hit(mouse.y - tracks.top, state.shown_scroll());
  if (hit.item == nullptr || hit.item->kind != LayoutItem::Kind::track) return std::nullopt;
  if (hit.kind == LayoutHit::Kind::counter) return std::nullopt;
  const std::uint32_t process = state.rows().track_at(hit.item->index).process;
  const GpuIdle* const idle = idle_of(process);
  if (idle == nullptr) return std::nullopt;
  const TimeView& view = state.navigation.view();
  constexpr double kFar = 9e18;
  const auto time_ns =
      static_cast<std::int64_t>(std::clamp(std::floor(view.ns_from_px(mouse.x - tracks.left)), -kFar, kFar));
  GpuIdle::Near near{};
  const std::optional<GpuIdle::Part> part = idle->part_at(time_ns, near);
  if (!part) return std::nullopt;
  const TimeRange gap = idle->gaps[idle->gaps.first_after(time_ns)];
  const bool drawn = static_cast<double>(gap.length_ns()) >= kLeastGapPx * view.ns_per_px;
  return drawn ? std::optional(Band{process, *part}) : std::nullopt;
}

void IdleBand::draw_card(const TimelineState& state, const Theme& theme) {
  const std::optional<Band> band = band_at_mouse(state);
  if (!band) return;
  if (asked_ != band) {
    asked_ = band;
    meanwhile_.reset();
    meanwhile_.start(
        pool_, wake_,
        [trace = trace_, times = *times_.value(), band = *band](const std::stop_token& stop) -> CpuMeanwhile {
          const TimeRange range = band.part.range;
          for (const GpuGap& gap : gpu_gaps(*trace, gpu_work_in(*trace, range, stop), range, stop)) {
            if (gap.process == band.process) return cpu_meanwhile(*trace, gap, times->launching);
          }
          return {};
        });
  }
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + state.px(460));
  const float square = state.px(9);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = at.y + std::floor((ImGui::GetTextLineHeight() - square) / 2);
  const std::uint32_t color = idle_color(band->part.reason, theme);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({at.x, top}, {at.x + square, top + square}, with_alpha(color, 0x60));
  add_hatching(list, {at.x, top}, {at.x + square, top + square}, color, state.scale);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + square + state.px(7));
  colored_text(theme.text, filled(Text::idle_title, {device_, reason_text(band->part.reason, device_)}));
  const TimeRange range = band->part.range;
  colored_text(theme.text, exact_time_text(range.length_ns()));
  ImGui::SameLine(0, state.px(8));
  colored_text(theme.text_dim, filled(Text::at_time, {exact_time_text(range.begin_ns)}));
  if (const std::string hint = reason_hint(band->part.reason, device_); !hint.empty())
    colored_text(theme.text_dim, hint);
  if (const CpuMeanwhile* const cpu = meanwhile_.value(); cpu != nullptr) {
    const bool known = cpu->thread != kNoTrack && cpu->share > 0;
    colored_text(theme.text_dim,
                 known ? filled(Text::idle_filled_by, {text_from_share(std::min(1.0, cpu->share)),
                                                       cut_text(trace_->name_text(cpu->name), kMostNameBytes),
                                                       track_title(state.rows(), index_of(cpu->thread))})
                       : std::string(tr(Text::idle_no_events)));
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void IdleBand::write_test_state(nlohmann::ordered_json& json, const TimelineState& state) const {
  using Json = nlohmann::ordered_json;
  Json bands = Json::array();
  const TimeView& view = state.navigation.view();
  for (const GpuTracks& gpu : gpu_tracks(state)) {
    const GpuIdle* const idle = state.idle_band ? idle_of(gpu.process) : nullptr;
    if (idle == nullptr) continue;
    GpuIdle::Near near{};
    for (const TimeRange& gap : visible_gaps(idle->gaps, view)) {
      visit_idle_parts(*idle, gap, view, near, [&](const GpuIdle::Part& part, double, double) {
        bands.push_back({{"reason", name_of(text_of(part.reason))},
                         {"from_ns", part.range.begin_ns},
                         {"to_ns", part.range.end_ns},
                         {"y", (gpu.top + gpu.bottom) / 2}});
      });
    }
  }
  const CpuMeanwhile* const cpu = meanwhile_.value();
  const bool known = asked_ && cpu != nullptr && cpu->share > 0;
  json["idle"] = {{"bands", std::move(bands)},
                  {"meanwhile", known ? Json(trace_->name_text(cpu->name)) : Json()}};
}

}  // namespace kino
