#include "app/pages/summary/finding_cards.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/pages/summary/step_charts.hpp"
#include "app/pages/timeline_drawer/trace_verdict.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/summary/step_groups.hpp"

namespace kino {
namespace {

constexpr float kPaddingPx = 14;
constexpr float kPicturePx = 200;
constexpr float kGpuLanePx = 20;
constexpr float kThreadLanePx = 14;

std::string shown(const Message& message) { return escaped(in_language(message)); }

/// Returns the words before and after the time of a finding. In English, "at most" or "at least" precedes the
/// time. Empty if the time is not a bound.
std::pair<std::string, std::string> words_around_time(const Finding& finding) {
  if (finding.bound == WonBound::neither) return {};
  constexpr std::string_view kTime = "\n";
  const Text text = finding.bound == WonBound::at_most ? Text::summary_at_most : Text::summary_at_least;
  const std::string words = filled(text, {kTime});
  const std::size_t time = words.find(kTime);
  return {words.substr(0, time), words.substr(time + 1)};
}

/// Returns the step that contains the start of the range; null if there is none.
const FindingBase::Part* step_of(const FindingBase& base, TimeRange range) {
  const auto part = std::ranges::find_if(base.all, [&](const FindingBase::Part& each) {
    return !each.name.empty() && each.range.begin_ns <= range.begin_ns && range.begin_ns < each.range.end_ns;
  });
  return part != base.all.end() ? &*part : nullptr;
}

class Card {
 public:
  Card(PageColumn& column, const TraceOverview& overview, std::size_t index, const SliceStyle& style)
      : column_(column),
        overview_(overview),
        finding_(overview.summary.findings.list[index]),
        picture_(overview.pictures[index]),
        index_(index),
        style_(style),
        color_(finding_color(finding_.kind, column.theme())) {}

  std::optional<FindingClick> draw() {
    ImGui::PushID(static_cast<int>(index_));
    ImDrawList& list = column_.list();
    const float top = column_.y();
    // The background is drawn below the content, whose height is known afterwards.
    list.ChannelsSplit(2);
    list.ChannelsSetCurrent(1);
    draw_content();
    list.ChannelsSetCurrent(0);
    const ImVec2 from{column_.left(), top};
    const ImVec2 to{column_.right(), column_.y()};
    const float rounding = column_.px(6);
    list.AddRectFilled(from, to, mixed(column_.theme().panel, column_.theme().group_header, 0.5), rounding);
    list.AddRect(from, to, column_.theme().border, rounding);
    list.AddRectFilled({from.x, from.y + rounding}, {from.x + column_.px(3), to.y - rounding}, color_);
    list.ChannelsMerge();
    ImGui::PopID();
    return click_;
  }

 private:
  void draw_content() {
    const float padding = column_.px(kPaddingPx);
    const float right = column_.right() - padding;
    const bool wide = column_.width() >= column_.px(460);
    const float beside = wide ? right - column_.px(kPicturePx) : right;
    const float top = column_.y() + padding;
    const float amount_bottom = draw_amount({beside + (wide ? column_.px(14) : 0), top, right, top});
    const float text_right = wide ? beside - column_.px(8) : right;
    PageColumn text(column_.frame(), column_.left() + padding, top, text_right - column_.left() - padding);
    draw_head(text, wide ? text.right() : right - amount_px_ - column_.px(10));
    if (!wide) text.move_to(std::max(text.y(), amount_bottom));
    text.text(text.theme().text, shown(finding_.sentence));
    if (!finding_.fix.empty()) {
      text.space(3);
      text.text(text.theme().text_dim, shown(finding_.fix));
    }
    if (!finding_.code.empty()) {
      text.space(8);
      text.code(("finding_" + std::to_string(index_)).c_str(), finding_.code);
    }
    text.space(8);
    draw_links(text);
    float bottom = text.y();
    if (!picture_.lanes.empty()) {
      const float left = wide ? beside + column_.px(14) : text.left();
      const float picture_top = wide ? amount_bottom + column_.px(8) : text.y() + column_.px(8);
      bottom = std::max(bottom, draw_picture({left, picture_top, right, picture_top}));
    }
    column_.move_to(std::max(bottom, amount_bottom) + padding);
  }

  /// Draws the number, the name and the effort.
  void draw_head(PageColumn& text, float right) const {
    const std::string name = std::to_string(index_ + 1) + "  " + shown(text_of(finding_.kind));
    const std::string effort = shown(text_of(finding_.effort));
    const float room = std::max(1.0F, right - text.left());
    const float used = draw_elided(text.list(), {text.left(), text.y()}, room, text.theme().text, name);
    const float pill = text_width(effort) + text.px(14);
    const bool fits = used + text.px(10) + pill <= room;
    if (!fits) text.move_to(text.y() + text.line_height() + text.px(4));
    const float left = fits ? text.left() + used + text.px(10) : text.left();
    text.list().AddRect({left, text.y() - 1}, {left + pill, text.y() + text.line_height() + 1},
                        text.theme().border, text.px(8));
    text.list().AddText({left + text.px(7), text.y()}, text.theme().text_dim, effort.c_str());
    text.move_to(text.y() + text.line_height());
    text.space(6);
  }

  /// Draws the time, its share and the bars of the steps at the right end of the box. Returns their bottom.
  float draw_amount(const Box& box) {
    const Theme& theme = column_.theme();
    // The font of headings may lack the characters of the words.
    const std::string time = text_from_duration(*finding_.won_ns);
    const auto [before, after] = words_around_time(finding_);
    const float after_px = text_width(after);
    ImGui::PushFont(heading_font());
    const float time_px = text_width(time);
    const float heading = ImGui::GetFontSize();
    column_.right_text(box.right - after_px, box.top, theme.text, time);
    ImGui::PopFont();
    const float words_y = box.top + heading - column_.line_height();
    column_.right_text(box.right, words_y, theme.text_dim, after);
    column_.right_text(box.right - after_px - time_px, words_y, theme.text_dim, before);
    amount_px_ = text_width(before) + time_px + after_px;
    const bool of_step = overview_.summary.findings.base.kind == FindingBase::Kind::steps;
    const std::string share =
        filled(of_step ? Text::summary_of_step : Text::summary_of_window, {text_from_share(finding_.share)});
    const float y = box.top + heading + column_.px(2);
    column_.right_text(box.right, y, theme.text_dim, share);
    amount_px_ = std::max(amount_px_, text_width(share));
    const float bottom = y + column_.line_height();
    const float bars_right = box.right - amount_px_ - column_.px(12);
    if (bars_right - box.left >= column_.px(24)) {
      draw_step_bars(column_, {box.left, box.top + column_.px(2), bars_right, bottom},
                     overview_.summary.findings.base, finding_, color_);
    }
    return bottom;
  }

  void draw_links(PageColumn& text) {
    const std::string id = "finding_" + std::to_string(index_) + "_";
    std::vector<PageColumn::Link> links;
    std::vector<FindingClick::Link> kinds;
    const auto add = [&](FindingClick::Link kind, const char* name, Text label, Text hint) {
      links.push_back({id + name, tr(label), hint == label ? std::string() : std::string(tr(hint))});
      kinds.push_back(kind);
    };
    if (!finding_.examples.empty())
      add(FindingClick::Link::worst, "worst", Text::summary_worst, Text::summary_worst_hint);
    if (overview_.of_gpu && ledger_row_of(finding_.kind))
      add(FindingClick::Link::ledger, "ledger", Text::summary_ledger_row, Text::summary_ledger_row);
    if (!finding_.table.empty())
      add(FindingClick::Link::table, "table", Text::summary_table, Text::summary_table);
    if (const int clicked = text.links(links); clicked >= 0)
      click_ = {index_, kinds[static_cast<std::size_t>(clicked)]};
  }

  /// Draws the picture of the worst example, with its label, from the top of the box. Returns their bottom.
  float draw_picture(Box box) {
    const Theme& theme = column_.theme();
    float y = box.top;
    float gpu_bottom = box.top;
    for (const PictureLane& lane : picture_.lanes) {
      const float height = column_.px(lane.gpu ? kGpuLanePx : kThreadLanePx);
      column_.list().AddRectFilled({box.left, y}, {box.right, y + height}, theme.track_area);
      draw_lane(lane, {box.left, y, box.right, y + height});
      y += height + 1;
      if (lane.gpu) gpu_bottom = y - 1;
    }
    if (gpu_bottom > box.top && (is_idle_finding() || picture_.to - picture_.from > 0))
      draw_example({box.left, box.top, box.right, gpu_bottom});
    box.bottom = y;
    column_.list().AddRect({box.left - 1, box.top - 1}, {box.right + 1, y}, theme.border);
    place_button("picture", box);
    column_.frame().places.emplace_back("finding_" + std::to_string(index_) + "_picture", item_center());
    if (ImGui::IsItemClicked()) click_ = {index_, FindingClick::Link::worst};
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const FindingBase::Part* const step = step_of(overview_.summary.findings.base, picture_.example);
    const std::string length = text_from_duration(picture_.example.length_ns());
    const std::string label = step != nullptr
                                  ? filled(Text::summary_example_of_step, {length, escaped(step->name)})
                                  : filled(Text::summary_example, {length});
    PageColumn below(column_.frame(), box.left, y + column_.px(3), box.width());
    below.text(theme.text_dim, label);
    return below.y();
  }

  bool is_idle_finding() const { return finding_.kind <= FindingKind::garbage_collection; }

  void draw_lane(const PictureLane& lane, const Box& box) const {
    const Trace& trace = style_.trace();
    for (const PictureLane::Piece& piece : lane.pieces) {
      const float left = box.left + std::floor(box.width() * piece.from);
      const float right = std::max(left + 1, box.left + std::floor(box.width() * piece.to));
      const std::uint32_t color = style_.color_of(piece.slice);
      column_.list().AddRectFilled({left, box.top}, {right, box.bottom}, color);
      if (lane.gpu || right - left < column_.px(40)) continue;
      const std::string name = escaped(SliceStyle::short_text(trace.name_of(piece.slice)));
      const float y = std::floor((box.top + box.bottom - ImGui::GetFontSize()) / 2);
      column_.list().PushClipRect({left, box.top}, {right, box.bottom}, true);
      draw_elided(column_.list(), {left + column_.px(3), y}, right - left - column_.px(4),
                  text_on(color, column_.theme()), name);
      column_.list().PopClipRect();
    }
  }

  /// Marks the example over the streams. Idle time is hatched, with its length if it fits. Work is framed.
  void draw_example(const Box& box) const {
    const Theme& theme = column_.theme();
    const Box part{box.left + std::floor(box.width() * picture_.from), box.top,
                   box.left + std::ceil(box.width() * picture_.to), box.bottom};
    if (!is_idle_finding()) {
      column_.list().AddRect(left_top(part), right_bottom(part), theme.selection);
      return;
    }
    column_.list().AddRectFilled(left_top(part), right_bottom(part), with_alpha(theme.idle, 40));
    add_hatching(column_.list(), left_top(part), right_bottom(part), with_alpha(theme.idle, 120),
                 column_.frame().scale);
    const std::string length = text_from_duration(picture_.example.length_ns());
    const float needed = text_width(length) + column_.px(8);
    if (needed > part.width() || part.height() < column_.line_height()) return;
    const float x = std::floor((part.left + part.right - needed) / 2);
    const float y = std::floor((part.top + part.bottom - column_.line_height()) / 2);
    column_.list().AddRectFilled({x, y}, {x + needed, y + column_.line_height()},
                                 with_alpha(theme.track_area, 200), column_.px(3));
    column_.list().AddText({x + column_.px(4), y}, theme.text, length.c_str());
  }

  PageColumn& column_;
  const TraceOverview& overview_;
  const Finding& finding_;
  const ExamplePicture& picture_;
  std::size_t index_;
  const SliceStyle& style_;
  std::uint32_t color_;
  float amount_px_ = 0;
  std::optional<FindingClick> click_;
};

/// Draws a finding that has no time.
std::optional<FindingClick> draw_untimed(PageColumn& column, const Finding& finding, std::size_t index) {
  PageColumn text(column.frame(), column.left() + column.px(16), column.y(), column.width() - column.px(16));
  const float middle = text.y() + column.line_height() / 2;
  column.list().AddCircleFilled({column.left() + column.px(5), middle}, column.px(4),
                                finding_color(finding.kind, column.theme()));
  text.text(text.theme().text, shown(finding.sentence));
  text.text(text.theme().text_dim, shown(finding.fix));
  if (!finding.code.empty()) {
    text.space(6);
    text.code(("finding_" + std::to_string(index)).c_str(), finding.code);
  }
  text.space(4);
  std::vector<PageColumn::Link> links;
  const std::string id = "finding_" + std::to_string(index) + "_";
  if (!finding.table.empty()) links.push_back({id + "table", tr(Text::summary_table), {}});
  if (!finding.examples.empty())
    links.push_back({id + "worst", tr(Text::summary_worst), tr(Text::summary_worst_hint)});
  const int clicked = text.links(links);
  column.move_to(text.y());
  column.space(10);
  if (clicked < 0) return std::nullopt;
  const bool table = links[static_cast<std::size_t>(clicked)].id == id + "table";
  return FindingClick{index, table ? FindingClick::Link::table : FindingClick::Link::worst};
}

/// Draws the checks that need GPU work, and how to record it if the trace has no device.
void draw_not_checked(PageColumn& column, const Trace& trace) {
  column.text(column.theme().text_dim, device_text(Text::summary_not_checked, trace));
  column.space(6);
  if (std::ranges::any_of(trace.processes, &Process::gpu)) return;
  column.text(column.theme().text_dim, tr(Text::record_gpu_work));
  column.space(4);
  column.code("record_gpu", kRecordGpuWork);
  column.space(4);
  column.text(column.theme().text_dim, tr(Text::record_other_devices));
  column.space(12);
}

}  // namespace

std::optional<FindingClick> draw_findings(PageColumn& column, const TraceOverview& overview,
                                          const SliceStyle& style) {
  const Findings& findings = overview.summary.findings;
  const bool of_steps = findings.base.kind == FindingBase::Kind::steps;
  std::optional<FindingClick> click;
  const auto take = [&](const std::optional<FindingClick>& clicked) {
    if (clicked) click = clicked;
  };
  const auto untimed = std::ranges::find_if(findings.list, [](const Finding& each) { return !each.won_ns; });
  if (untimed == findings.list.begin()) {
    column.heading(tr(Text::summary_fix));
    column.text(column.theme().text_dim,
                tr(overview.of_gpu ? Text::summary_no_findings : Text::summary_no_cpu_findings));
    column.space(12);
  } else {
    column.heading(tr(Text::summary_fix),
                   tr(of_steps ? Text::summary_fix_note : Text::summary_fix_note_window));
  }
  for (std::size_t i = 0; i < findings.list.size(); ++i) {
    const auto at = findings.list.begin() + static_cast<std::ptrdiff_t>(i);
    if (at == untimed) column.heading(tr(Text::finding_not_estimated));
    if (at->won_ns) {
      take(Card(column, overview, i, style).draw());
      column.space(12);
    } else {
      take(draw_untimed(column, *at, i));
    }
  }
  if (!overview.of_gpu) draw_not_checked(column, style.trace());
  return click;
}

}  // namespace kino
