#include "app/pages/job/step_heat.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/pages/job/job_texts.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr float kNamesPx = 108;
constexpr float kNarrowestPx = 8;
constexpr float kWidestPx = 40;
constexpr double kGamma = 0.4;  // exponent that makes a tenth of the maximum visible

/// Horizontal position of a step's number; zero if it is not drawn.
struct StepTitle {
  float left = 0;
  float right = 0;
};

}  // namespace

StepHeat::StepHeat(const JobState& state) : state_(state) {
  if (state.picture == nullptr || state.figure == RankFigure::sums || state.picture->steps.empty()) return;
  const JobPicture& picture = *state.picture;
  steps_ = picture.steps.size();
  left_ = state.boxes.labels.left + state.px(kNamesPx);
  const float room = state.boxes.labels.right - state.px(10) - left_;
  if (room < state.px(kNarrowestPx)) return;
  cells_ = std::min(steps_, static_cast<std::size_t>(room / state.px(kNarrowestPx)));
  width_ = std::min(std::floor(room / static_cast<float>(cells_)), state.px(kWidestPx));
  bool any = false;
  for (std::size_t step = 0; step < steps_; ++step) {
    for (std::uint32_t rank = 0; rank < picture.ranks.size(); ++rank) {
      const std::optional<std::int64_t> cell_ns = value(rank, step);
      if (!cell_ns) continue;
      least_ = any ? std::min(least_, *cell_ns) : *cell_ns;
      most_ = any ? std::max(most_, *cell_ns) : *cell_ns;
      any = true;
    }
  }
  // The color scale of durations starts at their minimum, and that of other figures at 0.
  if (state.figure != RankFigure::step_time) least_ = 0;
}

std::optional<std::int64_t> StepHeat::value(std::uint32_t rank, std::size_t step) const {
  const StepWaits& waits = state_.picture->steps[step].ranks[rank];
  switch (state_.figure) {
    case RankFigure::late:
      return waits.root_ns;
    case RankFigure::waiting:
      return waits.waiting_ns;
    case RankFigure::moving:
      return waits.transfer_sum_ns;
    case RankFigure::step_time:
      return waits.length_ns;
    case RankFigure::sums:
      break;
  }
  return std::nullopt;
}

std::size_t StepHeat::step_with_most(std::uint32_t rank, std::size_t cell) const {
  std::size_t most = first_step(cell);
  for (std::size_t step = most + 1; step < first_step(cell + 1); ++step) {
    if (value(rank, step).value_or(-1) > value(rank, most).value_or(-1)) most = step;
  }
  return most;
}

void StepHeat::draw_titles(ImDrawList& list) const {
  const Box& box = state_.boxes.titles;
  const float y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  const auto title = [&](std::size_t step, std::uint32_t color, float from, float to) {
    const std::string number = std::to_string(state_.picture->steps[step].number);
    const float width = text_width(number);
    const float x = std::floor(left_ + (static_cast<float>(cell_of(step)) + 0.5F) * width_ - width / 2);
    if (x < from || x + width > to) return StepTitle{};
    list.AddText({x, y}, color, number.c_str());
    return StepTitle{x, x + width};
  };
  // The number of the selected step takes precedence over the others.
  const StepTitle chosen =
      state_.step ? title(*state_.step, state_.theme.text, box.left, box.right) : StepTitle{};
  const float gap = state_.px(6);
  float free = left_;
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    const bool before = left_ + (static_cast<float>(cell) + 0.5F) * width_ < chosen.left;
    const float end = before ? chosen.left - gap : box.right;
    const float begin = before || chosen.right == 0 ? free : std::max(free, chosen.right + gap);
    const StepTitle drawn = title(first_step(cell), state_.theme.text_dim, begin, end);
    if (drawn.right > 0) free = drawn.right + gap;
  }
}

std::uint32_t StepHeat::hottest() const {
  return state_.figure == RankFigure::late ? kind_color(SliceKind::communication, state_.theme)
                                           : state_.theme.accent;
}

double StepHeat::strength(std::uint32_t rank, std::size_t cell) const {
  const std::int64_t of_cell = value(rank, step_with_most(rank, cell)).value_or(0);
  if (of_cell - least_ < kNegligibleNs && state_.figure != RankFigure::step_time) return 0;
  if (of_cell == 0 || most_ == least_) return 0;
  const double share = static_cast<double>(of_cell - least_) / static_cast<double>(most_ - least_);
  return std::pow(std::clamp(share, 0.0, 1.0), kGamma);
}

std::string StepHeat::number_in(std::uint32_t rank, std::size_t step) const {
  // The unit is ms, as the menu above the cells shows.
  const double ms = static_cast<double>(value(rank, step).value_or(0)) / 1e6;
  return fixed(ms, ms < 10 ? 1 : 0);
}

bool StepHeat::has_room(const std::string& number, float top, float bottom) const {
  return bottom - top >= ImGui::GetFontSize() && text_width(number) + state_.px(4) <= width_;
}

std::size_t StepHeat::cell_of(std::size_t step) const {
  std::size_t cell = step * cells_ / steps_;
  while (cell + 1 < cells_ && first_step(cell + 1) <= step) ++cell;
  return cell;
}

void StepHeat::draw_column(ImDrawList& list, std::size_t step, float top, float bottom) const {
  const float x = std::floor(left_ + static_cast<float>(cell_of(step)) * width_);
  list.AddRect({x - 1, top - 1}, {std::floor(x + width_), bottom}, state_.theme.accent, 0, 0,
               std::max(1.0F, state_.px(1)));
}

void StepHeat::draw_chosen(ImDrawList& list, std::uint32_t rank, std::size_t step, float top,
                           float bottom) const {
  const float x = std::floor(left_ + static_cast<float>(cell_of(step)) * width_);
  const float right = std::floor(x + width_);
  const float grown = std::max(0.0F, state_.px(4) - (bottom - top)) / 2;
  list.AddRect({x - 1, top - grown}, {right, bottom + grown}, state_.theme.selection, 0, 0,
               std::max(1.0F, state_.px(1.5F)));
  const std::string number = number_in(rank, step);
  if (!value(rank, step) || has_room(number, top + 1, bottom - 1)) return;
  const std::string words = number + " ms";
  const float pad = state_.px(4);
  const float width = text_width(words) + 2 * pad;
  const float size = ImGui::GetFontSize();
  const bool beside = right + state_.px(3) + width <= state_.boxes.labels.right;
  const float from = beside ? right + state_.px(3) : x - state_.px(3) - width;
  const float y = std::floor((top + bottom - size) / 2);
  list.AddRectFilled({from, y - 1}, {from + width, y + size + 1}, state_.theme.panel, state_.px(3));
  list.AddText({from + pad, y}, state_.theme.text, words.c_str());
}

void StepHeat::draw(ImDrawList& list, std::uint32_t rank, float top, float bottom) const {
  const float size = ImGui::GetFontSize();
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    const double strong = strength(rank, cell);
    if (strong <= 0) continue;
    const float x = left_ + static_cast<float>(cell) * width_;
    const float gap = width_ >= state_.px(12) ? 1.0F : 0.0F;
    list.AddRectFilled({x, top + 1}, {x + width_ - gap, bottom - 1},
                       mixed(state_.theme.track_area, hottest(), strong));
    if (bottom - top < size) continue;
    const std::string words = number_in(rank, step_with_most(rank, cell));
    if (!has_room(words, top, bottom)) continue;
    const float width = text_width(words);
    list.AddText({std::floor(x + (width_ - width) / 2), std::floor((top + bottom - size) / 2)},
                 strong > 0.5 ? state_.theme.text_on_slice : state_.theme.text, words.c_str());
  }
}

std::optional<std::size_t> StepHeat::step_at(std::uint32_t rank, float x) const {
  if (!shown() || x < left_) return std::nullopt;
  const auto cell = static_cast<std::size_t>((x - left_) / width_);
  if (cell >= cells_) return std::nullopt;
  return step_with_most(rank, cell);
}

void StepHeat::draw_card(std::uint32_t rank, std::size_t step) const {
  const JobStep& of_all = state_.picture->steps[step];
  const StepWaits& waits = of_all.ranks[rank];
  ImGui::BeginTooltip();
  colored_text(state_.theme.text,
               filled(Text::job_cell_title, {rank_name(*state_.job(), rank), std::to_string(of_all.number)}));
  const auto line = [&](Text text, std::int64_t ns) {
    colored_text(state_.theme.text_dim, filled(text, {text_from_duration(ns)}));
  };
  if (waits.length_ns) line(Text::job_cell_duration, *waits.length_ns);
  line(Text::job_cell_waits, waits.waiting_ns);
  line(Text::job_cell_transfer, waits.transfer_sum_ns);
  line(Text::job_cell_delay_caused, waits.root_ns);
  if (waits.root_collective != KernelWait::kUnmatched)
    colored_text(state_.theme.text_dim, cause_text(*state_.job(), waits.root_collective));
  ImGui::EndTooltip();
}

}  // namespace kino
