#include "app/pages/inspector/in_view.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

#include "app/pages/inspector/key_hints.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostTipBytes = 400;
constexpr float kSharePx = 56;   // width of a share, at scale 1
constexpr float kAmountPx = 74;  // width of a time

float rounded(float at_scale_1, const DrawContext& look) { return std::round(at_scale_1 * look.scale); }

void draw_part(ImDrawList& list, ImVec2 from, ImVec2 to, const TimePart& part, const DrawContext& look) {
  const std::uint32_t color = part.color(look.theme);
  if (!part.is_idle()) return list.AddRectFilled(from, to, color);
  list.AddRectFilled(from, to, mixed(look.theme.panel, color | 0xff000000U, 0.3));
  draw_hatching(list, from, to, color, look.scale);
}

// Draws a time and its share at the right end of a line. Returns the room that remains to the left of them.
float draw_amounts(ImDrawList& list, ImVec2 at, float width, std::int64_t ns, double share,
                   const Theme& theme, const DrawContext& look) {
  const std::string percent = text_from_share(share);
  const std::string amount = text_from_duration(ns);
  const float right = at.x + width;
  const float share_px = std::max(rounded(kSharePx, look), text_width(percent));
  list.AddText({std::floor(right - text_width(percent)), at.y}, theme.text_dim, percent.c_str());
  list.AddText({std::floor(right - share_px - text_width(amount)), at.y}, theme.text, amount.c_str());
  return width - share_px - std::max(rounded(kAmountPx, look), text_width(amount) + rounded(8, look));
}

}  // namespace

void InView::update(const TimeView& view, double delta_seconds) {
  base_.poll();
  sums_.poll();
  if (!started_) return;
  if (base() == nullptr) {
    if (base_.running() || base_.failed()) return;
    base_.start(pool_, wake_, [analyses = analyses_](const std::stop_token& stop) {
      return std::make_shared<const ViewBase>(view_base(*analyses, stop));
    });
    return;
  }
  if (!rest_.note(view, delta_seconds)) return;
  const TimeRange range = visible_range(analyses_->trace(), view);
  sums_.start(pool_, wake_, [analyses = analyses_, base = base(), range](const std::stop_token& stop) {
    return std::make_shared<const ViewSums>(view_sums(*analyses, *base, range, stop));
  });
}

std::string InView::note() const {
  if (sums() == nullptr) return {};
  std::string note = text_from_duration(sums()->range.length_ns());
  if (sums()->steps > 0)
    note.append(" \xC2\xB7 ").append(counted(Text::steps_one, Text::steps_several, sums()->steps));
  return note;
}

InView::Actions InView::draw(ImVec2 size, bool drag_selects, const DrawContext& look) {
  Actions actions;
  places_.clear();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float foot = std::min(size.y, key_hints_height(size.x, drag_selects, look));
  begin_panel("sums", {size.x, std::max(1.0F, size.y - foot)}, look.theme,
              {rounded(14, look), rounded(12, look)});
  if (sums() == nullptr) {
    const bool failed = base_.failed() || sums_.failed();
    wrapped_text(look.theme.text_dim, tr(failed     ? Text::not_enough_memory
                                         : started_ ? Text::verdict_pending
                                                    : Text::verdict_after_loading));
  } else {
    draw_split(*sums(), look);
    // A trace without GPU work has no kernels at all.
    if (sums()->of_gpu) draw_names(*sums(), true, look, actions);
    draw_names(*sums(), false, look, actions);
  }
  ImGui::EndChild();
  ImGui::SetCursorScreenPos({at.x, at.y + size.y - foot});
  draw_key_hints({size.x, foot}, drag_selects, look);
  return actions;
}

void InView::draw_split(const ViewSums& sums, const DrawContext& look) const {
  const Theme& theme = look.theme;
  section_title(
      device_text(sums.of_gpu ? Text::inspector_gpu_time : Text::inspector_cpu_time, analyses_->trace()),
      true, theme, look.scale);
  const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x);
  const float height = rounded(13, look);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::Dummy({width, height + rounded(2, look)});
  const auto length = static_cast<double>(std::max<std::int64_t>(1, sums.range.length_ns()));
  std::int64_t before_ns = 0;
  for (const TimePart& part : sums.parts) {
    const auto x_of = [&](std::int64_t ns) {
      return at.x + std::round(width * static_cast<float>(static_cast<double>(ns) / length));
    };
    const float from = x_of(before_ns);
    before_ns += part.ns;
    if (const float to = x_of(before_ns); to > from)
      draw_part(list, {from, at.y}, {to, at.y + height}, part, look);
  }
  const float line = ImGui::GetTextLineHeight();
  const float square = rounded(9, look);
  for (const TimePart& part : sums.parts) {
    const ImVec2 row = ImGui::GetCursorScreenPos();
    ImGui::Dummy({width, line});
    const float room =
        draw_amounts(list, row, width, part.ns, static_cast<double>(part.ns) / length, theme, look);
    const float top = row.y + std::floor((line - square) / 2);
    draw_part(list, {row.x, top}, {row.x + square, top + square}, part, look);
    const float indent = square + rounded(7, look);
    const std::string label = part.label();
    draw_elided(list, {row.x + indent, row.y}, room - indent, theme.text, label);
    if (!ImGui::IsItemHovered()) continue;
    const std::string hint = with_device_word(part.hint(), device_word(analyses_->trace()));
    if (!hint.empty()) {
      wrapped_tooltip(std::string(label).append("\n").append(hint));
    } else if (text_width(label) > room - indent) {
      wrapped_tooltip(label);
    }
  }
  wrapped_text(theme.text_dim,
               filled(sums.steps > 0 && sums.of_gpu ? Text::inspector_base_of_steps : Text::inspector_base,
                      {text_from_duration(sums.range.length_ns())}));
}

void InView::draw_link(const char* id, std::size_t count, const Theme& theme, bool& clicked) {
  const std::string label = filled(Text::inspector_all, {grouped(count)});
  const float width = std::ceil(text_width(label));
  const float gap = ImGui::GetContentRegionMax().x - width;
  ImGui::SameLine(std::max(0.0F, gap));
  ImGui::PushID(id);
  clicked = link_text(label, width, tr(Text::inspector_all_hint), theme);
  ImGui::PopID();
  places_.emplace_back(id, item_center());
}

void InView::draw_names(const ViewSums& sums, bool kernels, const DrawContext& look, Actions& actions) {
  const Theme& theme = look.theme;
  const TopNames* const top = kernels ? &sums.kernels : sums.operators ? &*sums.operators : nullptr;
  ImGui::Dummy({0, rounded(4, look)});
  const Text title = kernels       ? Text::inspector_kernels
                     : sums.of_gpu ? Text::inspector_operators_gpu
                                   : Text::inspector_operators_cpu;
  const std::string device = device_word(analyses_->trace());
  section_title(with_device_word(tr(title), device), true, theme, look.scale);
  bool clicked = false;
  const char* const table = kernels ? "kernels" : "operators";
  const std::size_t all = top != nullptr ? top->all : 0;
  if (top == nullptr || all > 0) draw_link(table, all, theme, clicked);
  if (clicked) actions.table = table;
  if (top == nullptr)
    return wrapped_text(theme.text_dim, filled(Text::inspector_not_summed, {grouped(kMostSlicesSummed)}));
  if (top->names.empty()) {
    return wrapped_text(
        theme.text_dim,
        with_device_word(tr(kernels ? Text::inspector_no_kernels : Text::inspector_no_operators), device));
  }
  const Text base = kernels       ? Text::inspector_share_kernels
                    : sums.of_gpu ? Text::inspector_share_launched
                                  : Text::inspector_share_cpu;
  const auto longest = static_cast<double>(top->names.front().total_ns);
  places_.emplace_back(kernels ? "kernel" : "operator", ImGui::GetCursorScreenPos());
  std::vector<std::string_view> names;
  names.reserve(top->names.size());
  for (const TopName& row : top->names) names.push_back(analyses_->trace().name_text(row.name));
  const std::vector<std::string> shown = look_.name_texts(names);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const TopName& row = top->names[i];
    draw_name(row, shown[i], longest, with_device_word(filled(base, {text_from_share(row.share)}), device),
              look, actions);
  }
}

void InView::draw_name(const TopName& row, const std::string& shown, double longest, const std::string& base,
                       const DrawContext& look, Actions& actions) {
  const Theme& theme = look.theme;
  const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x);
  const float line = ImGui::GetTextLineHeight();
  const float bar = rounded(4, look);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string_view name = analyses_->trace().name_text(row.name);
  ImGui::PushID(static_cast<int>(row.longest));
  const bool clicked = ImGui::InvisibleButton("row", {width, line + bar + rounded(3, look)});
  ImGui::PopID();
  if (clicked) actions.select = row.longest;
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    wrapped_tooltip(std::string(cut_text(name, kMostTipBytes)) + "\n" + base + "\n" +
                    tr(Text::inspector_row_hint));
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float room = draw_amounts(list, at, width, row.total_ns, row.share, theme, look);
  draw_elided(list, at, room, hovered ? theme.accent : theme.text, shown, Elide::middle);
  const float top = at.y + line + rounded(1, look);
  const float reach = std::round(width * static_cast<float>(static_cast<double>(row.total_ns) / longest));
  list.AddRectFilled({at.x, top}, {at.x + width, top + bar}, theme.group_header, bar / 2);
  list.AddRectFilled({at.x, top}, {at.x + std::max(bar, reach), top + bar},
                     look_.color_of(row.name, row.kind, theme), bar / 2);
}

void InView::write_test_state(nlohmann::ordered_json& json) const {
  using Json = nlohmann::ordered_json;
  json["places"] = places_json(places_);
  if (sums() == nullptr) return;
  const auto names = [&](const std::vector<TopName>& rows) {
    Json list = Json::array();
    for (const TopName& row : rows)
      list.push_back({head_json(analyses_->trace().name_text(row.name)), row.total_ns});
    return list;
  };
  Json parts = Json::object();
  for (const TimePart& part : sums()->parts) parts[part.label()] = part.ns;
  json["range"] = {sums()->range.begin_ns, sums()->range.end_ns};
  json["steps"] = sums()->steps;
  json["parts"] = std::move(parts);
  json["kernels"] = names(sums()->kernels.names);
  json["operators"] = sums()->operators ? names(sums()->operators->names) : Json();
}

}  // namespace kino
