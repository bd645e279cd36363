#include "app/pages/comparison/comparison_charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/pages/comparison/comparison_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/compare/comparison_tables.hpp"
#include "core/tables/compare/statistics.hpp"

namespace kino {
namespace {

constexpr float kTitlePx = 30;

void draw_title(ImDrawList& list, const ComparisonState& state, const Box& box, const std::string& title,
                const std::string& note) {
  const float y = std::floor(box.top + state.px(9));
  const float left = box.left + state.px(14);
  const float right = box.right - state.px(14);
  const float width = text_width(note);
  const float used = draw_elided(list, {left, y}, right - left, state.theme.text, title);
  if (left + used + state.px(16) + width < right)
    list.AddText({right - width, y}, state.theme.text_dim, note.c_str());
  list.AddLine({box.right - 0.5F, box.top + state.px(8)}, {box.right - 0.5F, box.bottom - state.px(8)},
               state.theme.border);
}

/// Draws a filled rectangle, hatched if the direction is slower.
void fill_change(ImDrawList& list, const ComparisonState& state, ImVec2 from, ImVec2 to,
                 Direction direction) {
  const std::uint32_t color = color_of(direction, state.theme);
  if (direction == Direction::slower) {
    list.AddRectFilled(from, to, mixed(state.theme.panel, color, 0.45));
    draw_hatching(list, from, to, color, state.scale);
  } else {
    list.AddRectFilled(from, to, color);
  }
}

void tooltip(const std::string& words) { ImGui::SetTooltip("%s", words.c_str()); }

// ---- Dots ----

std::array<std::vector<std::int64_t>, kSides> samples_of(const ComparisonState& state) {
  const RunComparison& comparison = state.picture->comparison;
  if (!state.row) return {comparison.steps_a, comparison.steps_b};
  const ComparedRow& row = comparison.rows[*state.row];
  return {dense_ns(row.cells_a, comparison.steps_a.size()), dense_ns(row.cells_b, comparison.steps_b.size())};
}

double mean_of(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// ---- Waterfall ----

/// Horizontal screen positions of the columns. Texts end at `a`, `b`, `change` and `p`; the bars extend from
/// `bars` to `bars_end`.
struct WaterfallColumns {
  float name = 0;
  float a = 0;
  float b = 0;
  float change = 0;
  float bars = 0;
  float bars_end = 0;
  float p = 0;
};

WaterfallColumns columns_of(const ComparisonState& state) {
  const Box& box = state.boxes.waterfall;
  const float em = ImGui::GetFontSize();
  WaterfallColumns columns;
  columns.name = box.left + state.px(14);
  columns.p = box.right - state.px(14);
  // In a narrow window the name shrinks first, then the figures; the bars get what remains.
  const float room = columns.p - 3.4F * em - columns.name - em;
  const float figure = std::clamp((room - 5 * em) / 3, 3.2F * em, 5.2F * em);
  const float free = room - 3 * figure;
  const float name = std::clamp(free - state.px(70), std::clamp(free, 0.0F, 5 * em), 11 * em);
  columns.a = columns.name + name + figure;
  columns.b = columns.a + figure;
  columns.change = columns.b + figure;
  columns.bars = columns.change + em;
  columns.bars_end = std::max(columns.bars, columns.p - 3.4F * em);
  return columns;
}

void text_to(ImDrawList& list, float right, float y, std::uint32_t color, const std::string& words) {
  list.AddText({std::floor(right - text_width(words)), y}, color, words.c_str());
}

/// Maps [low, high] to [left, right].
struct ChartScale {
  double low = 0;
  double high = 1;
  float left = 0;
  float right = 1;
  float x_of(double ns) const {
    return left + static_cast<float>((ns - low) / (high - low)) * (right - left);
  }
};

ChartScale dots_scale(const std::array<std::vector<std::int64_t>, kSides>& samples) {
  ChartScale scale;
  scale.low = 1e300;
  scale.high = 0;
  for (const auto& side : samples) {
    for (const std::int64_t ns : side) {
      scale.low = std::min(scale.low, static_cast<double>(ns));
      scale.high = std::max(scale.high, static_cast<double>(ns));
    }
  }
  const double margin = std::max({(scale.high - scale.low) * 0.08, scale.high * 0.01, 1.0});
  scale.low = std::max(0.0, scale.low - margin);
  scale.high += margin;
  return scale;
}

/// Draws the mean of one side as a vertical line with its duration as text.
void draw_dots_mean(ImDrawList& list, const ComparisonState& state, const ChartScale& scale, double mean,
                    float middle, float lane) {
  const float x = std::floor(scale.x_of(mean)) + 0.5F;
  list.AddLine({x, middle - lane * 0.34F}, {x, middle + lane * 0.34F}, state.theme.text, state.px(2));
  const std::string words = text_from_duration(std::llround(mean));
  const float width = text_width(words);
  list.AddText({std::floor(std::clamp(x - width / 2, scale.left - state.px(20), scale.right - width)),
                std::floor(middle - lane * 0.34F - ImGui::GetFontSize() - state.px(1))},
               state.theme.text, words.c_str());
}

/// Draws one dot per step. The dots are spread over several heights, so that fewer of them overlap.
void draw_dots(ImDrawList& list, const ComparisonState& state, const ChartScale& scale, std::size_t side,
               std::span<const std::int64_t> samples, float middle, float lane) {
  constexpr std::size_t kLanesOfDots = 5;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float width = scale.right - scale.left;
  // At most one dot per position is drawn, because there can be thousands of steps.
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(std::max(1.0F, width) + 1) * kLanesOfDots);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const float spread = (static_cast<float>(i % kLanesOfDots) / (kLanesOfDots - 1) - 0.5F) * lane * 0.5F;
    const ImVec2 at{scale.x_of(static_cast<double>(samples[i])), middle + spread};
    const auto place = static_cast<std::size_t>(std::clamp(at.x - scale.left, 0.0F, width)) * kLanesOfDots +
                       i % kLanesOfDots;
    if (std::exchange(taken[std::min(place, taken.size() - 1)], std::uint8_t{1}) != 0) continue;
    const float radius = state.px(4);
    if (side == 0) {
      list.AddCircle(at, radius, state.theme.text, 0, state.px(1.5F));
    } else {
      list.AddCircleFilled(at, radius, state.theme.text);
    }
    const float dx = mouse.x - at.x;
    const float dy = mouse.y - at.y;
    if (dx * dx + dy * dy <= 2 * radius * radius && ImGui::IsWindowHovered()) {
      const std::string& name = state.picture->runs->records[side].windows[i].name;
      tooltip((name.empty() ? std::string() : filled(Text::runs_step, {name}) + ": ") +
              text_from_duration(samples[i]));
    }
  }
}

/// Draws the causes of the change one below the other, between the totals of A and B.
class Waterfall {
 public:
  Waterfall(ImDrawList& list, ComparisonState& state)
      : list_(list), state_(state), comparison_(state.picture->comparison), columns_(columns_of(state)) {
    for (const ComparedCause& cause : comparison_.fine_causes()) {
      if (cause.sum_a != 0 || cause.sum_b != 0) causes_.push_back(cause);
    }
    std::ranges::stable_sort(causes_, {}, &ComparedCause::change);
    const Box& box = state.boxes.waterfall;
    const float top = box.top + state.px(kTitlePx);
    row_ = std::floor(
        std::min(state.px(25), (box.bottom - state.px(6) - top) / static_cast<float>(causes_.size() + 3)));
    y_ = top;
    bars_ = columns_.bars_end - columns_.bars > state.px(30);
    scale_bars();
  }

  void draw() {
    draw_heads();
    y_ += row_;
    draw_total("A", mean_a_, columns_.a);
    double running = mean_a_;
    for (const ComparedCause& cause : causes_) {
      y_ += row_;
      draw_cause(cause, running);
      running += mean_change(comparison_, cause.change);
    }
    y_ += row_;
    draw_total("B", mean_b_, columns_.b);
  }

 private:
  /// Scales the axis to the range of the change instead of the whole step.
  void scale_bars() {
    mean_a_ = mean_of(comparison_.steps_a);
    mean_b_ = mean_of(comparison_.steps_b);
    scale_.low = std::min(mean_a_, mean_b_);
    scale_.high = std::max(mean_a_, mean_b_);
    double running = mean_a_;
    for (const ComparedCause& cause : causes_) {
      running += mean_change(comparison_, cause.change);
      scale_.low = std::min(scale_.low, running);
      scale_.high = std::max(scale_.high, running);
    }
    const double span = std::max(scale_.high - scale_.low, scale_.high * 1e-6 + 1);
    scale_.low = std::max(0.0, scale_.low - span * 0.35);
    scale_.left = columns_.bars;
    scale_.right = columns_.bars_end;
  }

  float text_y() const { return std::floor(y_ + (row_ - ImGui::GetFontSize()) / 2); }
  float px(float length) const { return state_.px(length); }

  void draw_heads() {
    const std::uint32_t color = state_.theme.text_dim;
    text_to(list_, columns_.a, text_y(), color, "A");
    text_to(list_, columns_.b, text_y(), color, "B");
    text_to(list_, columns_.change, text_y(), color, tr(Text::runs_change));
    if (shows_p()) text_to(list_, columns_.p, text_y(), color, "p");
  }

  void draw_total(const char* letter, double ns, float column) {
    const Theme& theme = state_.theme;
    list_.AddText({columns_.name, text_y()}, theme.text, letter);
    text_to(list_, column, text_y(), theme.text, text_from_duration(std::llround(ns)));
    if (!bars_) return;
    const std::uint32_t color = mixed(theme.panel, theme.text_dim, 0.6);
    const float bottom = y_ + row_ - px(6);
    list_.AddRectFilled({columns_.bars, y_ + px(6)}, {scale_.x_of(ns), bottom}, color);
    if (scale_.low <= 0) return;
    // The bar has a gap, because its axis does not start at 0.
    const float x = columns_.bars + px(12);
    list_.AddQuadFilled({x, y_ + px(5)}, {x + px(4), y_ + px(5)}, {x, bottom + 1}, {x - px(4), bottom + 1},
                        theme.panel);
  }

  void draw_cause(const ComparedCause& cause, double running) {
    const Theme& theme = state_.theme;
    const bool told = cause.p < kSignificant;
    const Direction direction = direction_of(cause_change(cause), told);
    const std::uint32_t color = told ? theme.text : theme.text_dim;
    handle_cause(cause);
    const float swatch = px(10);
    const float middle = std::floor(y_ + (row_ - swatch) / 2);
    list_.AddRectFilled({columns_.name, middle}, {columns_.name + swatch, middle + swatch},
                        cause_color(cause.cause, theme));
    const float name = columns_.name + px(18);
    const auto mean_text = [](std::int64_t sum, std::size_t steps) {
      return text_from_duration(std::llround(static_cast<double>(sum) / static_cast<double>(steps)));
    };
    const std::string of_a = mean_text(cause.sum_a, comparison_.steps_a.size());
    draw_elided(list_, {name, text_y()}, columns_.a - text_width(of_a) - px(6) - name, color,
                cause_name(cause.cause, cause.host));
    text_to(list_, columns_.a, text_y(), color, of_a);
    text_to(list_, columns_.b, text_y(), color, mean_text(cause.sum_b, comparison_.steps_b.size()));
    text_to(list_, columns_.change, text_y(), told ? color_of(direction, theme) : theme.text_dim,
            signed_duration(cause_change(cause)));
    if (shows_p() && std::isfinite(cause.p))
      text_to(list_, columns_.p, text_y(), theme.text_dim, formatted("%.3f", cause.p));
    if (bars_) draw_bar(running, running + cause_change(cause), told, direction);
  }

  /// Whether a test can be significant: with fewer samples, p has a large minimum and says nothing.
  bool shows_p() const { return comparison_.verdict != RunVerdict::cannot_tell; }
  double cause_change(const ComparedCause& cause) const { return mean_change(comparison_, cause.change); }

  /// Highlights the cause under the mouse and the selected cause. A click selects a cause, or clears the
  /// selection if it is already selected.
  void handle_cause(const ComparedCause& cause) {
    const Box& box = state_.boxes.waterfall;
    ImGui::PushID(&cause);
    place_button("cause", {box.left + px(6), y_, box.right - px(6), y_ + row_});
    const bool over = ImGui::IsItemHovered();
    if (ImGui::IsItemClicked()) state_.choose_cause(cause.cause);
    ImGui::PopID();
    if (over || state_.cause == cause.cause) {
      list_.AddRectFilled({box.left + px(6), y_}, {box.right - px(6), y_ + row_},
                          with_alpha(state_.theme.selection, over ? 24 : 40), px(3));
    }
    if (over) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }

  void draw_bar(double from_ns, double to_ns, bool told, Direction direction) {
    const float from = scale_.x_of(from_ns);
    const float to = scale_.x_of(to_ns);
    const ImVec2 least{std::min(from, to), y_ + px(5)};
    const ImVec2 most{std::max(std::max(from, to), std::min(from, to) + 1), y_ + row_ - px(5)};
    if (told) {
      fill_change(list_, state_, least, most, direction);
    } else {
      list_.AddRect(least, most, state_.theme.text_dim);
    }
    list_.AddLine({std::floor(to) + 0.5F, y_ + row_ - px(5)}, {std::floor(to) + 0.5F, y_ + row_ + px(5)},
                  state_.theme.text_dim);
  }

  ImDrawList& list_;
  ComparisonState& state_;
  const RunComparison& comparison_;
  WaterfallColumns columns_;
  std::vector<ComparedCause> causes_;
  ChartScale scale_;
  double mean_a_ = 0;
  double mean_b_ = 0;
  float row_ = 0;
  float y_ = 0;  // top of the row being drawn
  bool bars_ = false;
};

struct IcicleTexts {
  std::string name;
  std::string figures;
};

IcicleTexts icicle_texts(const IcicleNode& node, const RunComparison& comparison) {
  std::string name = node.name;
  if (name.empty() && node.cause) name = cause_name(*node.cause);
  if (node.depth == 0) name = tr(Text::runs_whole);
  const std::string figures =
      text_from_duration(
          std::llround(static_cast<double>(node.sum_a) / static_cast<double>(comparison.steps_a.size()))) +
      " · " + signed_duration(node.change_ns);
  return {std::move(name), figures};
}

void draw_icicle_node(ImDrawList& list, const ComparisonState& state, const IcicleNode& node, const Box& box,
                      float row, const IcicleTexts& texts) {
  const Theme& theme = state.theme;
  const ImVec2 least{box.left, box.top};
  const ImVec2 most{box.right, box.bottom};
  const float size = ImGui::GetFontSize();
  const bool two_lines = row >= 2 * size + state.px(6);
  const Direction direction = direction_of(node.change_ns, node.told);
  if (node.depth == 0) {
    list.AddRectFilled(least, most, mixed(theme.panel, theme.accent, 0.35));
  } else if (direction == Direction::none) {
    list.AddRectFilled(least, most, mixed(theme.panel, theme.text_dim, 0.28));
  } else {
    fill_change(list, state, least, most, direction);
  }
  const bool chosen = (state.row && node.row == *state.row) ||
                      (state.cause && node.row == kNoRow && node.cause == state.cause);
  if (chosen) list.AddRect(least, most, theme.selection, 0, 0, state.px(2));
  const std::uint32_t color =
      direction == Direction::faster && node.depth > 0 ? theme.text_on_slice : theme.text;
  const float room = box.width() - state.px(8);
  const float text_top = box.top + std::floor((two_lines ? row - 2 * size - state.px(2) : row - size) / 2);
  if (room > state.px(24)) {
    if (two_lines) {
      draw_elided(list, {box.left + state.px(5), text_top}, room, color, escaped(texts.name));
      draw_elided(list, {box.left + state.px(5), text_top + size + state.px(2)}, room, color, texts.figures);
    } else {
      draw_elided(list, {box.left + state.px(5), text_top}, room, color,
                  escaped(texts.name) + "  " + texts.figures);
    }
  }
}

void draw_icicle_legend(ImDrawList& list, const ComparisonState& state, const Box& box) {
  float x = box.left;
  const auto key = [&](Direction direction, Text text) {
    const float side = state.px(11);
    const float y = std::floor(box.top + state.px(4));
    fill_change(list, state, {x, y}, {x + side, y + side}, direction);
    x += side + state.px(6);
    x += draw_elided(list, {x, std::floor(y + (side - ImGui::GetFontSize()) / 2)}, box.right - x,
                     state.theme.text_dim, tr(text)) +
         state.px(16);
  };
  key(Direction::faster, Text::runs_key_faster);
  key(Direction::slower, Text::runs_key_slower);
  key(Direction::none, Text::runs_key_noise);
  if (!state.picture->by_module) {
    const std::string words = tr(Text::runs_no_modules);
    const float words_px = text_width(words);
    if (x + words_px < box.right) {
      list.AddText({box.right - words_px,
                    std::floor(box.top + state.px(4) + (state.px(11) - ImGui::GetFontSize()) / 2)},
                   state.theme.text_dim, words.c_str());
    }
  }
}

}  // namespace

void draw_step_dots(ImDrawList& list, const ComparisonState& state) {
  const Box& box = state.boxes.steps;
  const RunComparison& comparison = state.picture->comparison;
  const std::string title =
      state.row ? escaped(comparison.rows[*state.row].key) : std::string(tr(Text::runs_step_durations));
  draw_title(list, state, box, title, {});
  const auto samples = samples_of(state);
  if (samples[0].empty() || samples[1].empty()) return;
  ChartScale scale = dots_scale(samples);
  scale.left = box.left + state.px(44);
  scale.right = box.right - state.px(20);
  const float top = box.top + state.px(kTitlePx);
  const float axis = box.bottom - state.px(26);
  const float lane = (axis - top) / 2;
  const Theme& theme = state.theme;
  for (std::size_t side = 0; side < kSides; ++side) {
    const float middle = top + lane * (static_cast<float>(side) + 0.55F);
    list.AddText({box.left + state.px(16), std::floor(middle - ImGui::GetFontSize() / 2)},
                 side == 0 ? theme.text_dim : theme.text, side == 0 ? "A" : "B");
    draw_dots_mean(list, state, scale, mean_of(samples[side]), middle, lane);
    draw_dots(list, state, scale, side, samples[side], middle, lane);
  }
  list.AddLine({scale.left, axis + 0.5F}, {scale.right, axis + 0.5F}, theme.border);
  const double tenth = (scale.high - scale.low) * 0.1;
  for (const double ns : {scale.low + tenth, (scale.low + scale.high) / 2, scale.high - tenth}) {
    const std::string words = text_from_duration(std::llround(ns));
    list.AddText({std::floor(scale.x_of(ns) - text_width(words) / 2), axis + state.px(5)}, theme.text_dim,
                 words.c_str());
  }
}

void draw_waterfall(ImDrawList& list, ComparisonState& state) {
  const RunComparison& comparison = state.picture->comparison;
  draw_title(list, state, state.boxes.waterfall, tr(Text::runs_waterfall),
             filled(Text::runs_sums_to, {signed_duration(mean_change(comparison, comparison.step_change))}));
  Waterfall(list, state).draw();
}

void draw_icicle(ImDrawList& list, ComparisonState& state) {
  const ComparisonPicture& picture = *state.picture;
  const RunComparison& comparison = picture.comparison;
  const Box& box = state.boxes.icicle;
  draw_title(list, state, box, tr(Text::runs_step_breakdown), tr(Text::runs_step_breakdown_note));
  const float left = box.left + state.px(14);
  const float width = box.width() - state.px(28);
  const float top = box.top + state.px(kTitlePx);
  const float legend = box.bottom - state.px(24);
  const float size = ImGui::GetFontSize();
  int depth = 1;
  for (const IcicleNode& node : picture.icicle) depth = std::max(depth, node.depth + 1);
  // Levels without room for text are not drawn; the table by module contains them.
  const auto fitting = static_cast<int>((legend - state.px(6) - top) / (size + state.px(4)));
  depth = std::clamp(depth, 1, std::max(1, fitting));
  const float row =
      std::floor(std::min(state.px(52), (legend - state.px(6) - top) / static_cast<float>(depth)));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  place_button("icicle", {left, top, left + width, top + row * static_cast<float>(depth)});
  const bool over = ImGui::IsItemHovered();
  const bool clicked = ImGui::IsItemClicked();
  list.PushClipRect({left, top}, {left + width, legend}, true);
  for (const IcicleNode& node : picture.icicle) {
    if (node.depth >= depth) continue;
    const float from = left + std::floor(static_cast<float>(node.left) * width);
    const float to =
        std::max(from + 1, left + std::floor(static_cast<float>(node.left + node.width) * width) - 1);
    const float y = top + row * static_cast<float>(node.depth);
    const IcicleTexts texts = icicle_texts(node, comparison);
    draw_icicle_node(list, state, node, {from, y, to, y + row - 1}, row, texts);
    if (!over || mouse.x < from || mouse.x >= to + 1 || mouse.y < y || mouse.y >= y + row) continue;
    tooltip(escaped(texts.name) + "\n" + texts.figures + (node.told ? "" : " ~"));
    if (clicked && node.row != kNoRow) {
      state.select_row(node.row);
    } else if (clicked && node.cause) {
      state.choose_cause(node.cause);
    }
  }
  list.PopClipRect();
  draw_icicle_legend(list, state, {left, legend, left + width, box.bottom});
}

void draw_checks(ImDrawList& list, const ComparisonState& state) {
  const Theme& theme = state.theme;
  const Box box{state.boxes.steps.left, state.boxes.steps.top, state.boxes.icicle.right,
                state.boxes.steps.bottom};
  draw_title(list, state, box, tr(Text::runs_checks), tr(Text::runs_checks_note));
  std::vector<RunCheck> checks = state.picture->comparison.checks;
  std::ranges::stable_sort(checks, std::ranges::greater{}, &RunCheck::result);
  const float size = ImGui::GetFontSize();
  const float row = std::round(size * 1.55F);
  const float width = box.width() - state.px(60);
  const std::array<float, 4> lefts{box.left + state.px(40), box.left + state.px(40) + width * 0.16F,
                                   box.left + state.px(40) + width * 0.38F,
                                   box.left + state.px(40) + width * 0.60F};
  float y = box.top + state.px(kTitlePx);
  const auto cell = [&](std::size_t column, std::uint32_t color, const std::string& words) {
    const float end = column + 1 < lefts.size() ? lefts[column + 1] - state.px(12) : box.right - state.px(14);
    draw_elided(list, {lefts[column], std::floor(y + (row - size) / 2)}, end - lefts[column], color, words);
  };
  cell(1, theme.text_dim, "A");
  cell(2, theme.text_dim, "B");
  cell(3, theme.text_dim, tr(Text::runs_check_result));
  for (const RunCheck& check : checks) {
    y += row;
    if (y + row > box.bottom) break;
    const std::uint32_t color = check.result == CheckResult::refuses ? theme.error
                                : check.result == CheckResult::warns ? theme.warning
                                                                     : theme.text_dim;
    const float middle = std::floor(y + row / 2);
    const float mark = state.px(5);
    const float x = box.left + state.px(24);
    if (check.result == CheckResult::refuses) {
      list.AddLine({x - mark, middle - mark}, {x + mark, middle + mark}, color, state.px(2));
      list.AddLine({x - mark, middle + mark}, {x + mark, middle - mark}, color, state.px(2));
    } else if (check.result == CheckResult::warns) {
      list.AddTriangleFilled({x - mark, middle + mark}, {x, middle - mark}, {x + mark, middle + mark}, color);
    } else {
      list.AddCircleFilled({x, middle}, state.px(2), color);
    }
    cell(0, theme.text, in_language(check.what));
    cell(1, theme.text, escaped(check.a.str(language())));
    cell(2, theme.text, escaped(check.b.str(language())));
    cell(3, color, in_language(check.outcome));
  }
}

}  // namespace kino
