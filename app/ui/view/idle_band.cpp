#include "app/ui/view/idle_band.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kino {

void IdleBand::update(bool wanted) {
  times_.poll();
  if (!wanted || times_.value() != nullptr || times_.running()) return;
  times_.start(pool_, wake_,
               [trace = trace_](const std::stop_token& stop) { return idle_times(*trace, stop); });
}

std::vector<IdleRun> idle_runs(const IdleTime& idle, const TimeView& view) {
  std::vector<IdleRun> runs;
  const auto edge = [&](int px) {
    constexpr double kFarthest = 9e18;
    return static_cast<std::int64_t>(
        std::clamp(std::floor(view.begin_ns + px * view.ns_per_px), -kFarthest, kFarthest));
  };
  const int width = static_cast<int>(std::ceil(view.width_px));
  std::int64_t begin = edge(0);
  for (int px = 0; px < width; ++px) {
    const std::int64_t end = std::max(edge(px + 1), begin + 1);
    const std::int64_t part = idle.gaps.covered(begin, end);
    const double share = static_cast<double>(part) / static_cast<double>(end - begin);
    const int level = static_cast<int>(std::ceil(std::min(share, 1.0) * kIdleLevels));
    begin = edge(px + 1);
    if (level == 0) continue;
    if (!runs.empty() && runs.back().end_px == px && runs.back().level == level) {
      runs.back().end_px = px + 1;
    } else {
      runs.push_back({px, px + 1, level});
    }
  }
  return runs;
}

void IdleBand::draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const {
  const std::vector<IdleTime>* times = times_.value();
  if (times == nullptr || times->empty()) return;
  const Box& tracks = state.boxes.tracks;
  const ShownRows rows = state.rows();
  const auto time_of = [&](std::uint32_t process) {
    const auto found = std::ranges::find(*times, process, &IdleTime::process);
    return static_cast<std::size_t>((found == times->end() ? std::prev(found) : found) - times->begin());
  };
  struct Span {
    std::size_t time = 0;
    float top = 0;
    float bottom = 0;
  };
  std::vector<Span> spans;
  state.layout.visit_visible(state.shown_scroll(), tracks.height(), [&](const LayoutItem& item, double y_px) {
    if (item.kind != LayoutItem::Kind::track) return;
    const std::size_t time = time_of(rows.track_at(item.index).process);
    const TimelineState::Part part = state.part(item.pinned);
    const float top = tracks.top + static_cast<float>(std::max(part.top_px, y_px));
    const float bottom = tracks.top + static_cast<float>(std::min(part.bottom_px, y_px + item.height_px));
    if (bottom <= top) return;
    if (!spans.empty() && spans.back().time == time && std::abs(spans.back().bottom - top) < 1) {
      spans.back().bottom = bottom;
    } else {
      spans.push_back({time, top, bottom});
    }
  });
  constexpr std::uint32_t kFullAlpha = 0x4c;
  std::vector<std::vector<IdleRun>> runs(times->size());
  for (const Span& span : spans) {
    std::vector<IdleRun>& shown = runs[span.time];
    if (shown.empty()) shown = idle_runs((*times)[span.time], state.navigation.view());
    for (const IdleRun& run : shown) {
      const auto alpha = kFullAlpha * static_cast<std::uint32_t>(run.level) / kIdleLevels;
      list.AddRectFilled({tracks.left + static_cast<float>(run.begin_px), span.top},
                         {std::min(tracks.right, tracks.left + static_cast<float>(run.end_px)), span.bottom},
                         with_alpha(theme.warning, alpha));
    }
  }
}

}  // namespace kino
