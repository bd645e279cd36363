#include "app/pages/serving/part_chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/pages/serving/serving_verdict.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/serving/serving_texts.hpp"

namespace kino {
namespace {

/// Returns the parts that have time: work, the largest first, then idle time, the largest first.
std::vector<IterationPart> shown_parts(const IterationTimes& times) {
  std::vector<IterationPart> parts;
  parts.reserve(kIterationPartCount);
  for (std::size_t i = 0; i < kIterationPartCount; ++i) {
    if (times.ns[i] > 0) parts.push_back(static_cast<IterationPart>(i));
  }
  std::ranges::stable_sort(parts, [&](IterationPart a, IterationPart b) {
    return is_idle(a) != is_idle(b) ? is_idle(b) : times[a] > times[b];
  });
  return parts;
}

}  // namespace

void draw_stacked_parts(ImDrawList& list, const Box& box, const IterationTimes& times, const Theme& theme) {
  const auto total = static_cast<double>(std::max<std::int64_t>(1, times.total()));
  std::int64_t before_ns = 0;
  for (const IterationPart part : shown_parts(times)) {
    const auto x_of = [&](std::int64_t ns) {
      return std::floor(box.left + static_cast<float>(static_cast<double>(ns) / total) * box.width());
    };
    list.AddRectFilled({x_of(before_ns), box.top}, {x_of(before_ns + times[part]), box.bottom},
                       part_color(part, theme));
    before_ns += times[part];
  }
}

void draw_part_chart(ImDrawList& list, const ServingState& state) {
  const IterationGroup* const group = state.shown_group();
  if (group == nullptr || group->windows.count == 0) return;
  const Box& box = state.boxes.parts;
  const float em = ImGui::GetFontSize();
  const Theme& theme = state.theme;
  const auto count = static_cast<std::int64_t>(group->windows.count);
  const std::int64_t total_ns = std::max<std::int64_t>(1, group->times.total());
  list.PushClipRect(left_top(box), right_bottom(box), true);
  draw_serving_title(list, state, box, filled(Text::serving_parts, {group_text(*group)}),
                     filled(Text::serving_parts_note, {grouped(group->windows.count),
                                                       text_from_duration(group->times.total() / count)}));
  const std::vector<IterationPart> parts = shown_parts(group->times);
  const float name = box.left + state.px(14);
  const float share = box.right - state.px(14);
  const float time = share - 5 * em;
  const float left = name + std::min(15 * em, box.width() * 0.42F);
  const float right = std::max(left + 1, time - 5.5F * em);
  const float top = box.top + 2.4F * em;
  const float room = box.bottom - state.px(6) - top;
  const float row =
      std::floor(std::clamp(room / static_cast<float>(std::max<std::size_t>(1, parts.size())), em, 2 * em));
  const auto x_of = [&](std::int64_t ns) {
    const double part = static_cast<double>(ns) / static_cast<double>(total_ns);
    return std::floor(left + static_cast<float>(part) * (right - left));
  };
  const auto draw_right = [&](float end, float y, std::uint32_t color, const std::string& words) {
    list.AddText({std::floor(end - text_width(words)), y}, color, words.c_str());
  };
  float y = top;
  std::int64_t before_ns = 0;
  for (const IterationPart part : parts) {
    const std::int64_t part_ns = group->times[part];
    const float text_y = std::floor(y + (row - em) / 2);
    draw_elided(list, {name, text_y}, left - name - state.px(8), theme.text, in_language(title_of(part)));
    const float from = x_of(before_ns);
    list.AddRectFilled({from, y + state.px(2)},
                       {std::max(from + 1, x_of(before_ns + part_ns)), y + row - state.px(2)},
                       part_color(part, theme));
    draw_right(time, text_y, theme.text, text_from_duration(part_ns / count));
    draw_right(share, text_y, theme.text_dim, share_text_of(part_ns, total_ns));
    before_ns += part_ns;
    y += row;
  }
  list.PopClipRect();
}

}  // namespace kino
