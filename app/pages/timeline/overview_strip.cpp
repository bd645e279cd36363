#include "app/pages/timeline/overview_strip.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "app/ui/text/texts.hpp"
#include "app/ui/view/overview_heights.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/theme.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/time_base.hpp"

namespace kino {
namespace {

constexpr float kGpuShare = 0.62F;  // share of the strip's height; the CPU has the rest
constexpr float kHitsPx = 6;
constexpr float kTickPx = 4;  // height of a step's tick at the top
constexpr float kTextInset = 12;

TimeRange whole_ns(const TimeSpan& span) {
  return {static_cast<std::int64_t>(std::llround(span.begin_ns)),
          static_cast<std::int64_t>(std::llround(span.end_ns))};
}

TimeSpan span_of(const TimeView& view) { return {view.begin_ns, view.end_ns()}; }

std::string percent(float share) { return std::to_string(std::lround(share * 100)) + " %"; }

struct Bands {
  float top;
  float gpu_bottom;
  float cpu_top;
  float bottom;
};

Bands bands_of(const Box& box, float scale) {
  const float top = box.top + std::round(kTickPx * scale);
  const float bottom = box.bottom - 1;
  const float gpu_bottom = std::round(top + (bottom - top) * kGpuShare);
  return {top, gpu_bottom, gpu_bottom + 1, bottom};
}

/// Draws one layer. Adjacent columns with equal heights become one rectangle.
template <class HeightOf>
void draw_part(ImDrawList& list, std::span<const OverviewHeights> columns, float left, float column_px,
               std::uint32_t color, const HeightOf& y_range) {
  for (std::size_t i = 0; i < columns.size();) {
    std::size_t next = i + 1;
    while (next < columns.size() && columns[next] == columns[i]) ++next;
    const auto [top, bottom] = y_range(columns[i]);
    if (top < bottom) {
      list.AddRectFilled({left + static_cast<float>(i) * column_px, top},
                         {left + static_cast<float>(next) * column_px, bottom}, color);
    }
    i = next;
  }
}

/// Draws a band at the bottom with a mark at the hits, stronger for more hits. Each mark is at least two px
/// wide.
void draw_hits(ImDrawList& list, const TimelineState& state, std::span<const std::uint32_t> hits,
               const Theme& theme) {
  if (hits.empty()) return;
  const Box& box = state.boxes.overview;
  const float top = box.bottom - state.px(kHitsPx);
  list.AddRectFilled({box.left, top}, {box.right, box.bottom}, theme.track_area);
  const float column = box.width() / static_cast<float>(hits.size());
  const float least = std::max(2.0F, state.px(2));
  // Rounds counts to powers of 4, so that adjacent columns with similar counts become one rectangle.
  const auto strength = [](std::uint32_t count) { return (static_cast<int>(std::bit_width(count)) + 1) / 2; };
  const int strongest = strength(*std::max_element(hits.begin(), hits.end()));
  for (std::size_t i = 0; i < hits.size();) {
    const std::size_t begin = i;
    const int its = strength(hits[i]);
    while (i < hits.size() && strength(hits[i]) == its) ++i;
    if (its == 0) continue;
    const float left = box.left + std::floor(column * static_cast<float>(begin));
    const float right = std::max(left + least, box.left + std::ceil(column * static_cast<float>(i)));
    const auto alpha = static_cast<std::uint32_t>(255 - 170 * (strongest - its) / std::max(1, strongest));
    list.AddRectFilled({left, top + 1}, {right, box.bottom}, with_alpha(theme.accent, alpha));
  }
}

}  // namespace

OverviewStrip::OverviewStrip(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
    : trace_(std::move(trace)), pool_(pool), wake_(std::move(wake)) {
  map_.content = trace_->content;
}

void OverviewStrip::update(const TimelineState& state) {
  if (profile_.poll() != nullptr) heights_stale_ = true;
  map_.width_px = std::max(1.0F, state.boxes.overview.width());
  const auto columns = static_cast<std::uint32_t>(
      std::clamp(std::lround(map_.width_px * state.framebuffer_scale), 1L, 16'384L));
  if (columns == wanted_columns_) return;
  wanted_columns_ = columns;
  const Profile* before = profile_.value();
  profile_.start(pool_, wake_,
                 [trace = trace_, columns, index = before != nullptr ? before->index : nullptr](
                     const std::stop_token& stop) { return computed(*trace, index, columns, stop); });
}

OverviewStrip::Profile OverviewStrip::computed(const Trace& trace, std::shared_ptr<const BusyIndex> index,
                                               std::uint32_t columns, const std::stop_token& stop) {
  Profile profile;
  if (index == nullptr) {
    Result<BusyIndex> built = BusyIndex::build(trace, stop);
    if (!built.ok()) return profile;
    index = std::make_shared<const BusyIndex>(std::move(built).value());
  }
  const BusyProfile busy = index->profile(trace.content, columns, stop);
  profile.index = std::move(index);
  const std::size_t count =
      std::min({busy.compute.size(), busy.communication.size(), busy.copy.size(), busy.cpu_density.size()});
  for (std::size_t i = 0; i < count; ++i)
    profile.most_threads = std::max(profile.most_threads, busy.cpu_density[i]);
  for (std::size_t i = 0; i < count; ++i) {
    profile.columns.push_back({busy.compute[i], busy.communication[i], busy.copy[i],
                               busy.cpu_density[i] / std::max(1.0F, profile.most_threads)});
  }
  return profile;
}

void OverviewStrip::handle(TimelineState& state) {
  const Box& box = state.boxes.overview;
  hovered_ = false;
  if (box.height() < 1) return;
  update(state);
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::InvisibleButton("overview", {std::max(1.0F, box.width()), box.height()});
  const ImGuiIO& io = ImGui::GetIO();
  const double px = io.MousePos.x - box.left;
  const TimeSpan visible = span_of(state.navigation.target());
  hovered_ = ImGui::IsItemHovered();
  if (ImGui::IsItemActivated()) drag_.press(map_, visible, px, state.scale);
  if (drag_.active()) {
    const bool held = ImGui::IsItemActive();
    const OverviewDrag::Answer answer = held ? drag_.move(map_, px) : drag_.release(map_, px);
    if (answer.changed && held) state.navigation.show(whole_ns(answer.visible));
    if (answer.changed && !held) state.navigation.fit(whole_ns(answer.visible), 0);
  }
  if (!hovered_ && !drag_.active()) return;
  const BrushPart part = drag_.active() ? drag_.part() : brush_part_at(map_, visible, px, state.scale);
  if (part == BrushPart::left_handle || part == BrushPart::right_handle) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  } else if (part == BrushPart::inside) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  if (hovered_ && io.MouseWheel != 0)
    state.navigation.zoom_at(state.navigation.view().width_px / 2, std::pow(kWheelZoom, io.MouseWheel));
}

void OverviewStrip::draw_columns(ImDrawList& list, const TimelineState& state, const Theme& theme) {
  const Profile* profile = profile_.value();
  if (profile == nullptr || profile->columns.empty()) return;
  const Box& box = state.boxes.overview;
  const Bands bands = bands_of(box, state.scale);
  const float fine = 1 / std::max(1.0F, state.framebuffer_scale);
  const int gpu_px = static_cast<int>(std::lround((bands.gpu_bottom - bands.top) / fine));
  const int cpu_px = static_cast<int>(std::lround((bands.bottom - bands.cpu_top) / fine));
  if (heights_stale_ || gpu_px != gpu_px_ || cpu_px != cpu_px_) {
    heights_.clear();
    for (const OverviewColumn& column : profile->columns)
      heights_.push_back(heights_of(column, gpu_px, cpu_px));
    gpu_px_ = gpu_px;
    cpu_px_ = cpu_px;
    heights_stale_ = false;
  }
  // While a new width is computed, the old columns are scaled.
  const float column_px = box.width() / static_cast<float>(heights_.size());
  const auto part = [&](SliceKind kind, auto range) {
    draw_part(list, heights_, box.left, column_px, kind_color(kind, theme), range);
  };
  struct Rows {
    float top;
    float bottom;
  };
  const auto px = [fine](int framebuffer_px) { return static_cast<float>(framebuffer_px) * fine; };
  part(SliceKind::compute, [&](const OverviewHeights& h) {
    return Rows{bands.gpu_bottom - px(h.compute), bands.gpu_bottom};
  });
  part(SliceKind::communication, [&](const OverviewHeights& h) {
    const float bottom = bands.gpu_bottom - px(h.compute);
    return Rows{bottom - px(h.communication), bottom};
  });
  part(SliceKind::copy, [&](const OverviewHeights& h) {
    const float bottom = bands.gpu_bottom - px(h.compute + h.communication);
    return Rows{bottom - px(h.copy), bottom};
  });
  part(SliceKind::cpu_op, [&](const OverviewHeights& h) {
    return Rows{bands.cpu_top, bands.cpu_top + px(h.cpu)};
  });
}

void OverviewStrip::draw_brush(ImDrawList& list, const TimelineState& state, const Theme& theme) const {
  const Box& box = state.boxes.overview;
  const TimeSpan visible = span_of(state.navigation.view());
  const Brush brush = brush_of(map_, visible, state.scale);
  const float left = box.left + std::floor(static_cast<float>(brush.left_px));
  const float right = box.left + std::ceil(static_cast<float>(brush.right_px));
  const std::uint32_t veil = with_alpha(theme.window, theme.dark ? 0x98 : 0xa8);
  list.AddRectFilled({box.left, box.top}, {left, box.bottom}, veil);
  list.AddRectFilled({right, box.top}, {box.right, box.bottom}, veil);
  const float half = std::max(0.5F, std::round(state.scale) / 2);
  list.AddRect({left + half, box.top + half}, {right - half, box.bottom - half},
               with_alpha(theme.accent, 0xd0), 0, 0, 2 * half);
  const float width = state.px(3);
  const float height = std::round(box.height() * 0.4F);
  const float top = std::round(box.top + (box.height() - height) / 2);
  if (right - left >= 4 * width) {
    list.AddRectFilled({left, top}, {left + width, top + height}, theme.accent, width / 2);
    list.AddRectFilled({right - width, top}, {right, top + height}, theme.accent, width / 2);
  }
  if (drag_.marking()) {
    const TimeSpan marked = drag_.marked(map_, ImGui::GetIO().MousePos.x - box.left);
    const auto x = [&](double ns) { return box.left + static_cast<float>(map_.px_from_ns(ns)); };
    list.AddRectFilled({x(marked.begin_ns), box.top}, {x(marked.end_ns), box.bottom},
                       with_alpha(theme.accent, 0x50));
  }
}

void OverviewStrip::draw_legend(ImDrawList& list, const TimelineState& state, const Theme& theme) const {
  const Box& box = state.boxes.overview_corner;
  const float room = box.width() - 2 * state.px(kTextInset);
  const float text = ImGui::GetFontSize();
  const float gap = std::max(0.0F, (box.height() - 2 * text) / 3);
  const float square = state.px(8);
  struct Entry {
    SliceKind kind;
    int line;
  };
  constexpr std::array kEntries{Entry{SliceKind::compute, 0}, Entry{SliceKind::communication, 0},
                                Entry{SliceKind::copy, 1}, Entry{SliceKind::cpu_op, 1}};
  std::array<float, 2> used{};
  for (const Entry& entry : kEntries) {
    float& at = used[static_cast<std::size_t>(entry.line)];
    const std::string name = entry.kind == SliceKind::cpu_op ? std::string(tr(Text::overview_cpu_threads))
                                                             : in_language(shown_name(entry.kind));
    const float width = square + state.px(5) + std::ceil(text_width(name));
    if (at + width > room) continue;
    const float x = box.left + state.px(kTextInset) + at;
    const float y = std::floor(box.top + gap + static_cast<float>(entry.line) * (text + gap));
    const float square_y = std::floor(y + (text - square) / 2);
    list.AddRectFilled({x, square_y}, {x + square, square_y + square}, kind_color(entry.kind, theme),
                       state.px(2));
    draw_elided(list, {x + square + state.px(5), y}, width, theme.text_dim, name);
    at += width + state.px(10);
  }
}

void OverviewStrip::draw_mark(ImDrawList& list, const TimelineState& state, const Mark& mark) const {
  constexpr std::uint32_t kFillAlpha = 0x50;
  constexpr float kLeastPx = 3;
  const Box& box = state.boxes.overview;
  const auto x_of = [&](std::int64_t time_ns) {
    return box.left + static_cast<float>(std::clamp(map_.px_from_ns(static_cast<double>(time_ns)), 0.0,
                                                    static_cast<double>(box.width())));
  };
  const float left = std::floor(x_of(mark.range.begin_ns));
  const float right = std::max(std::ceil(x_of(mark.range.end_ns)), left + state.px(kLeastPx));
  list.AddRectFilled({left, box.top}, {right, box.bottom}, with_alpha(mark.color, kFillAlpha));
  list.AddRectFilled({left, box.top}, {right, box.top + state.px(3)}, mark.color);
}

void OverviewStrip::draw_tooltip(const TimelineState& state, const std::optional<Mark>& mark,
                                 const Theme& theme) const {
  if (!hovered_ || drag_.active()) return;
  const double px = ImGui::GetIO().MousePos.x - state.boxes.overview.left;
  ImGui::BeginTooltip();
  colored_text(theme.text, exact_time_text(std::llround(map_.ns_from_px(px))));
  const Profile* profile = profile_.value();
  if (profile != nullptr && !profile->columns.empty()) {
    const auto count = static_cast<double>(profile->columns.size());
    const auto i = static_cast<std::size_t>(std::clamp(px / map_.width_px * count, 0.0, count - 1));
    const OverviewColumn& column = profile->columns[i];
    const auto line = [&](SliceKind kind, Text text, float share) {
      if (share <= 0) return;
      colored_text(kind_color(kind, theme),
                   with_device_word(filled(text, {percent(share)}), device_word(*trace_)));
    };
    line(SliceKind::compute, Text::overview_gpu_compute, column.compute);
    line(SliceKind::communication, Text::overview_gpu_communication, column.communication);
    line(SliceKind::copy, Text::overview_gpu_copy, column.copy);
    std::array<char, 32> threads{};
    std::snprintf(threads.data(), threads.size(), "%.1f",
                  static_cast<double>(column.cpu * std::max(1.0F, profile->most_threads)));
    colored_text(kind_color(SliceKind::cpu_op, theme), filled(Text::overview_threads_busy, {threads.data()}));
  }
  const std::int64_t time_ns = std::llround(map_.ns_from_px(px));
  if (mark && time_ns >= mark->range.begin_ns && time_ns < mark->range.end_ns)
    colored_text(mark->color, mark->text);
  colored_text(theme.text_dim, tr(Text::overview_hint));
  ImGui::EndTooltip();
}

void OverviewStrip::draw(ImDrawList& list, const TimelineState& state, std::span<const TimeRange> steps,
                         std::span<const std::uint32_t> hits, const std::optional<Mark>& mark,
                         const Theme& theme) {
  const Box& box = state.boxes.overview;
  if (box.height() < 1) return;
  const Box& corner = state.boxes.overview_corner;
  list.AddRectFilled({corner.left, corner.top}, {box.right, box.bottom}, theme.panel);
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.track_area);
  list.PushClipRect({box.left, box.top}, {box.right, box.bottom}, true);
  draw_columns(list, state, theme);
  if (mark) draw_mark(list, state, *mark);
  float last = box.left - 2;
  for (const TimeRange& step : steps) {
    const float x =
        box.left + std::floor(static_cast<float>(map_.px_from_ns(static_cast<double>(step.begin_ns)))) + 0.5F;
    if (x < last + 2) continue;  // closer ticks would merge into a bar
    list.AddLine({x, box.top}, {x, box.top + state.px(kTickPx) + 1}, theme.text_dim);
    last = x;
  }
  draw_brush(list, state, theme);
  draw_hits(list, state, hits, theme);
  list.PopClipRect();
  draw_legend(list, state, theme);
  const float y = box.bottom - 0.5F;
  list.AddLine({corner.left, y}, {box.right, y}, theme.border);
  list.AddLine({box.left - 0.5F, box.top}, {box.left - 0.5F, box.bottom}, theme.border);
  draw_tooltip(state, mark, theme);
}

}  // namespace kino
