#include "app/pages/layers/folded_lane.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/layers/layer_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/saturating.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kMostStreams = 4;  // further streams share the last line of a row

std::string duration_with_sign(std::int64_t ns) {
  return ns < 0 ? "-" + text_from_duration(saturating_subtract(0, ns)) : "+" + text_from_duration(ns);
}

class FoldedLane {
 public:
  FoldedLane(ImDrawList& list, LayersState& state) : list_(list), state_(state), view_(state.view()) {
    const Box& box = state.boxes.lane;
    const float em = ImGui::GetFontSize();
    name_ = box.left + state.px(14);
    left_ = name_ + std::min(12 * em, box.width() * 0.3F);
    right_ = std::max(left_ + 1, box.right - state.px(20));
    top_ = box.top + 2.2F * em;
    legend_ = box.bottom - 1.9F * em;
    std::size_t rows = 0;
    for (std::size_t i = 0; i < view_.grids.size(); ++i) rows += 1 + compared_rows(i).size();
    const float axes = static_cast<float>(view_.grids.size()) * kAxisEm * em;
    const float room = (legend_ - top_ - axes) / static_cast<float>(std::max<std::size_t>(1, rows));
    row_ = std::floor(std::clamp(room, 1.6F * em, 3.6F * em));
  }

  void draw() {
    const Box& box = state_.boxes.lane;
    list_.PushClipRect({box.left, box.top}, {box.right, legend_}, true);
    float y = top_;
    for (std::size_t i = 0; i < view_.grids.size(); ++i) y = draw_group(i, y);
    list_.PopClipRect();
    draw_legend();
  }

 private:
  static constexpr float kAxisEm = 2;

  /// Number of kernels, without copies, memsets and collectives, as in the table.
  std::uint64_t kernels_of(const LayerBody& body) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(body.kernels, [&](const BodyKernel& kernel) {
      const SliceKind kind = state_.trace().kind(kernel.longest);
      return kind != SliceKind::copy && kind != SliceKind::communication;
    }));
  }

  /// Indices into LayersState::compared of the rows that the grid has.
  std::vector<std::size_t> compared_rows(std::size_t i) const {
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < state_.compared.size(); ++k) {
      if (!state_.compared[k].bodies[i].kernels.empty()) rows.push_back(k);
    }
    return rows;
  }

  float x_of(std::int64_t ns) const {
    const double share = static_cast<double>(ns) / static_cast<double>(length_ns_);
    return left_ + static_cast<float>(share) * (right_ - left_);
  }

  /// Draws the axis and the rows of one phase; returns the end of the group.
  float draw_group(std::size_t i, float y) {
    const float em = ImGui::GetFontSize();
    const std::vector<std::size_t> rows = compared_rows(i);
    length_ns_ = std::max<std::int64_t>(1, view_.bodies[i].length_ns());
    for (const std::size_t row : rows)
      length_ns_ = std::max(length_ns_, state_.compared[row].bodies[i].length_ns());
    draw_axis(y, y + kAxisEm * em + row_ * static_cast<float>(1 + rows.size()));
    y += 1.4F * em;
    const LayerBody& body = view_.bodies[i];
    draw_name(y, phase_text(view_.grids[i].phase()),
              filled(state_.fold().operators ? Text::layers_operators_of_body : Text::layers_kernels_of_body,
                     {text_from_duration(body.work_ns), grouped(kernels_of(body))}),
              state_.theme.text);
    draw_kernels(i, body, nullptr, y);
    draw_whiskers(body, y);
    y += row_;
    for (const std::size_t row : rows) {
      const ComparedLayer& compared = state_.compared[row];
      draw_name(y, title_of(i, compared), excess_of(i, compared), excess_color(state_.theme));
      draw_kernels(i, compared.bodies[i], &body, y);
      y += row_;
    }
    return y + 0.6F * em;
  }

  void draw_axis(float y, float bottom) {
    const float em = ImGui::GetFontSize();
    const TimeView view{.begin_ns = 0,
                        .ns_per_px = static_cast<double>(length_ns_) / static_cast<double>(right_ - left_),
                        .width_px = static_cast<double>(right_ - left_)};
    const RulerScale scale = ruler_scale(view, 6.0 * static_cast<double>(em));
    for (std::int64_t at = 0; at <= length_ns_; at += scale.step_ns) {
      const float x = std::floor(x_of(at)) + 0.5F;
      list_.AddLine({x, y + 1.1F * em}, {x, bottom}, state_.theme.grid);
      const std::string words = tick_text(scale, at);
      const float half = at == 0 ? 0 : text_width(words) / 2;
      if (x - half + text_width(words) < right_ + state_.px(16))
        list_.AddText({std::floor(x - half), y}, state_.theme.text_dim, words.c_str());
    }
  }

  void draw_name(float y, const std::string& title, const std::string& note, std::uint32_t color) {
    const float em = ImGui::GetFontSize();
    const float room = left_ - name_ - state_.px(8);
    const bool two = row_ > 2.5F * em;
    const float text_y = std::floor(y + (row_ - (two ? 2.2F : 1.0F) * em) / 2);
    draw_elided(list_, {name_, text_y}, room, color, two ? title : title + "  " + note);
    if (two) draw_elided(list_, {name_, text_y + 1.15F * em}, room, state_.theme.text_dim, note);
  }

  std::string title_of(std::size_t i, const ComparedLayer& row) const {
    const LayerChoice& choice = row.choice;
    std::string layer = layer_text(state_, choice.layer);
    if (!choice.pass) return layer;
    const auto pass = matching_pass(state_.fold(), view_.grids[choice.grid], *choice.pass, view_.grids[i]);
    return pass ? layer + " \u00b7 " + pass_text(state_.stack_of(view_.grids[i]), *pass) : layer;
  }

  /// "+12.1 %, median over 24 passes".
  std::string excess_of(std::size_t i, const ComparedLayer& row) const {
    const LayerBody& body = view_.bodies[i];
    const LayerBody& shown = row.bodies[i];
    if (body.work_ns <= 0) return text_from_duration(shown.work_ns);
    const double share = static_cast<double>(shown.work_ns) / static_cast<double>(body.work_ns) - 1;
    const std::string excess = deviation_text(static_cast<std::int64_t>(std::llround(share * 1000)));
    return row.choice.pass ? filled(Text::layers_once, {excess})
                           : filled(Text::layers_in_passes, {excess, grouped(shown.copies)});
  }

  Box box_of(const LayerBody& body, const BodyKernel& kernel, float y, float from, float to) const {
    const std::uint32_t lanes = std::min(std::max(1U, body.lanes), kMostStreams);
    const std::uint32_t lane = std::min(kernel.lane, lanes - 1);
    const float inset = std::floor(row_ * 0.12F);
    const float height = (row_ * 0.78F - inset) / static_cast<float>(lanes);
    const float top = std::floor(y + inset + height * static_cast<float>(lane));
    return {from, top, std::max(from + 1, to),
            std::max(top + 1, std::floor(top + height) - (lanes > 1 ? 1 : 0))};
  }

  /// Draws the kernels of a row. `typical`: marks the time beyond the medians of this layer.
  void draw_kernels(std::size_t i, const LayerBody& body, const LayerBody* typical, float y) {
    const bool comparable = typical != nullptr && typical->kernels.size() == body.kernels.size();
    float drawn = -1e9F;  // end of the last kernel, to draw at most one per pixel
    std::uint32_t lane = 0;
    for (std::size_t k = 0; k < body.kernels.size(); ++k) {
      const BodyKernel& kernel = body.kernels[k];
      const float from = std::floor(x_of(kernel.offset_ns));
      const float to = std::floor(x_of(saturating_add(kernel.offset_ns, kernel.median_ns)));
      if (kernel.lane == lane && to <= drawn) continue;
      drawn = std::max(to, from + 1);
      lane = kernel.lane;
      const Box box = box_of(body, kernel, y, from, to);
      const BodyKind kind = state_.content->kinds[index_of(state_.trace().name(kernel.longest))];
      list_.AddRectFilled(left_top(box), {std::max(box.left + 1, box.right - 1), box.bottom},
                          body_color(kind, state_.theme));
      if (comparable && kernel.median_ns > typical->kernels[k].median_ns) {
        const std::int64_t normal_ns = saturating_add(kernel.offset_ns, typical->kernels[k].median_ns);
        const float beyond = std::floor(x_of(normal_ns));
        if (beyond < box.right - 1)
          list_.AddRectFilled({beyond, box.top}, {box.right - 1, box.bottom}, excess_color(state_.theme));
      }
      draw_label(kernel, box);
      handle_mouse(i, body, k, comparable ? typical : nullptr, box);
    }
  }

  void draw_label(const BodyKernel& kernel, const Box& box) {
    const float em = ImGui::GetFontSize();
    if (box.width() < 2.5F * em || box.height() < em) return;
    draw_elided(list_, {box.left + state_.px(4), std::floor((box.top + box.bottom - em) / 2)},
                box.width() - state_.px(8), state_.theme.text_on_slice,
                escaped(short_name(state_.trace().name_of(kernel.longest))));
  }

  /// Draws a line from p10 to p90 of the end of each kernel, with a tick at both ends.
  void draw_whiskers(const LayerBody& body, float y) {
    const float center = std::floor(y + row_ * 0.89F) + 0.5F;
    const float half = std::max(1.0F, std::floor(row_ * 0.07F));
    float drawn = -1e9F;
    for (const BodyKernel& kernel : body.kernels) {
      const float from = std::floor(x_of(kernel.end_p10_ns)) + 0.5F;
      const float to = std::max(from, std::floor(x_of(kernel.end_p90_ns)) + 0.5F);
      if (to <= drawn) continue;
      drawn = to;
      list_.AddLine({from, center}, {to + 1, center}, state_.theme.text);
      for (const float x : {from, to})
        list_.AddLine({x, center - half}, {x, center + half}, state_.theme.text);
    }
  }

  void handle_mouse(std::size_t i, const LayerBody& body, std::size_t k, const LayerBody* typical,
                    const Box& box) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!box.contains(mouse.x, mouse.y) || mouse.y >= legend_ || !ImGui::IsWindowHovered()) return;
    const BodyKernel& kernel = body.kernels[k];
    std::string words = escaped(head_of(state_.trace().name_of(kernel.longest), 400));
    const auto line = [&](const std::string& more) { words += "\n" + more; };
    if (body.copies > 1) {
      line(filled(Text::layers_percentiles,
                  {text_from_duration(kernel.median_ns), text_from_duration(kernel.p10_ns),
                   text_from_duration(kernel.p90_ns), grouped(body.copies)}));
    } else {
      line(filled(Text::layers_duration, {text_from_duration(kernel.median_ns)}));
    }
    if (typical != nullptr) {
      const std::int64_t difference_ns = saturating_subtract(kernel.median_ns, typical->kernels[k].median_ns);
      line(filled(Text::layers_beyond_median, {duration_with_sign(difference_ns)}));
    }
    line(filled(Text::layers_starts_at,
                {text_from_duration(kernel.offset_ns), phase_text(view_.grids[i].phase())}));
    wrapped_tooltip(words);
  }

  void draw_legend() {
    constexpr std::array<std::pair<BodyKind, Text>, kBodyKinds> kLegend{
        std::pair{BodyKind::matrix, Text::layers_matrix},
        {BodyKind::attention, Text::layers_attention},
        {BodyKind::memory, Text::layers_memory_bound},
        {BodyKind::communication, Text::layers_communication},
        {BodyKind::other, Text::layers_other}};
    std::array<bool, kBodyKinds> present{};
    for (const LayerBody& body : view_.bodies) {
      for (const BodyKernel& kernel : body.kernels) {
        const BodyKind kind = state_.content->kinds[index_of(state_.trace().name(kernel.longest))];
        present[static_cast<std::size_t>(kind)] = true;
      }
    }
    float x = left_;
    for (const auto& [kind, title] : kLegend) {
      if (present[static_cast<std::size_t>(kind)]) draw_entry(x, body_color(kind, state_.theme), tr(title));
    }
    if (!state_.compared.empty()) draw_entry(x, excess_color(state_.theme), tr(Text::layers_beyond));
  }

  void draw_entry(float& x, std::uint32_t color, const char* words) {
    const float em = ImGui::GetFontSize();
    const float y = std::floor(legend_ + 0.4F * em);
    const float side = std::floor(0.7F * em);
    if (x + side + 3 * em > right_) return;
    list_.AddRectFilled({x, y + std::floor((em - side) / 2)}, {x + side, y + std::floor((em + side) / 2)},
                        color);
    x += side + state_.px(6);
    x += draw_elided(list_, {x, y}, right_ - x, state_.theme.text_dim, words) + 1.4F * em;
  }

  ImDrawList& list_;
  LayersState& state_;
  const LayerView& view_;
  float name_ = 0;
  float left_ = 0;
  float right_ = 1;
  float top_ = 0;
  float legend_ = 0;  // top of the legend
  float row_ = 1;
  std::int64_t length_ns_ = 1;  // of the axis of the current group
};

}  // namespace

void draw_folded_lane(ImDrawList& list, LayersState& state) {
  const std::string title =
      filled(state.alike_text(Text::layers_lane_title, Text::layers_alike_lane_title),
             {grouped(state.view().bodies.empty() ? 0 : state.view().bodies.front().copies)});
  draw_part_title(state, state.boxes.lane, title.c_str(), tr(Text::layers_lane_note),
                  tr(Text::layers_lane_hint));
  FoldedLane(list, state).draw();
}

}  // namespace kino
