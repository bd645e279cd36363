#include "app/tables/summary_view.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "app/tables/split_bar.hpp"
#include "app/text/core_sentences.hpp"
#include "app/text/texts.hpp"
#include "app/widgets/text_drawing.hpp"
#include "app/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr float kWidest = 680;                    // of a column, at scale 1: longer lines are hard to follow
constexpr std::string_view kFinding = "finding";  // as core/analysis/trace_summary.cpp writes them
constexpr std::string_view kTime = "time";
constexpr std::string_view kBase = "base";

/// Rows of the table of figures: the others have a place of their own.
bool is_figure(const std::string& item) { return item != kFinding && item != kTime && item != kBase; }

std::string with_spaces(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

void heading(Text text, const Theme& theme, float ui_scale) {
  colored_text(theme.text_dim, tr(text));
  ImGui::Dummy({0, std::round(2 * ui_scale)});
}

}  // namespace

SliceId SummaryView::draw_findings(const Table& table, const Figures& figures, const Theme& theme,
                                   float ui_scale) {
  SliceId clicked = kNoSlice;
  bool any = false;
  heading(Text::table_findings, theme, ui_scale);
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    if (figures.items[row] != kFinding) continue;
    any = true;
    const SliceId evidence = table.slice_of(row);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float indent = std::round(14 * ui_scale);
    const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x - indent);
    const std::string sentence = in_language(figures.texts[row]);
    const ImVec2 size = ImGui::CalcTextSize(sentence.data(), sentence.data() + sentence.size(), false, width);
    ImGui::PushID(static_cast<int>(row));
    const bool pressed = ImGui::InvisibleButton("finding", {indent + width, size.y});
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered() && evidence != kNoSlice;
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (pressed) clicked = evidence;
    if (evidence != kNoSlice) links_.emplace_back(at.x + indent * 2, at.y + ImGui::GetTextLineHeight() / 2);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddCircleFilled({at.x + std::round(4 * ui_scale), at.y + std::floor(ImGui::GetTextLineHeight() / 2)},
                         std::round(3 * ui_scale), theme.warning);
    list.AddText(nullptr, 0, {at.x + indent, at.y}, hovered ? theme.accent : theme.text, sentence.data(),
                 sentence.data() + sentence.size(), width);
    ImGui::Dummy({0, std::round(2 * ui_scale)});
  }
  if (!any) colored_text(theme.text, tr(Text::table_no_findings));
  return clicked;
}

void SummaryView::draw_split(const Figures& figures, const Theme& theme, float ui_scale) {
  heading(Text::table_time_split, theme, ui_scale);
  for (std::size_t row = 0; row < figures.items.size(); ++row) {
    if (figures.items[row] != kBase) continue;
    wrapped_text(theme.text, in_language(figures.texts[row]));
    ImGui::Dummy({0, std::round(2 * ui_scale)});
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x);
  const float height = std::round(16 * ui_scale);
  ImGui::Dummy({width, height});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  double before = 0;
  const auto x_of = [&](double share) { return at.x + std::round(width * static_cast<float>(share)); };
  for (std::size_t row = 0; row < figures.items.size(); ++row) {
    if (figures.items[row] != kTime || !(figures.values[row] > 0)) continue;
    const double after = std::min(1.0, before + figures.values[row]);
    list.AddRectFilled({x_of(before), at.y}, {x_of(after), at.y + height},
                       role_color(figures.subjects[row], theme));
    before = after;
  }
  const float gap = std::round(14 * ui_scale);
  const float square = std::round(9 * ui_scale);
  const float right = at.x + width;
  bool first = true;
  for (std::size_t row = 0; row < figures.items.size(); ++row) {
    if (figures.items[row] != kTime || !(figures.values[row] >= 0.0005)) continue;
    const std::string label = in_language(with_spaces(figures.subjects[row]));
    const std::string& share = figures.texts[row];
    const float needed = square + 2 * std::round(5 * ui_scale) + text_width(label) + text_width(share);
    if (!first && ImGui::GetItemRectMax().x + gap + needed <= right) ImGui::SameLine(0, gap);
    first = false;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float top = corner.y + std::floor((ImGui::GetTextLineHeight() - square) / 2);
    list.AddRectFilled({corner.x, top}, {corner.x + square, top + square},
                       role_color(figures.subjects[row], theme));
    ImGui::Dummy({square, ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, std::round(5 * ui_scale));
    colored_text(theme.text_dim, label);
    ImGui::SameLine(0, std::round(5 * ui_scale));
    colored_text(theme.text, share);
  }
  ImGui::Dummy({0, std::round(4 * ui_scale)});
}

void SummaryView::draw_subject(const std::string& subject, const std::string& base, const Theme& theme,
                               float ui_scale) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const float gap = subject.empty() ? 0 : std::round(12 * ui_scale);
  const float beside = base.empty() ? 0 : gap + text_width(base);
  const bool both = beside > 0 && room - beside >= std::min(text_width(subject), room / 2);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float subject_room = both ? room - beside : room;
  draw_elided(list, at, subject_room, theme.text, subject, Elide::middle);
  if (!both) return;
  const float width = std::min(subject_room, text_width(subject));
  list.AddText({std::floor(at.x + width + gap), at.y}, theme.text_dim, base.c_str());
}

SliceId SummaryView::draw_figures(const Table& table, const Figures& figures, const Theme& theme,
                                  float ui_scale) {
  SliceId clicked = kNoSlice;
  heading(Text::table_figures, theme, ui_scale);
  if (!ImGui::BeginTable("figures", 3, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerH))
    return clicked;
  float item_width = 0;
  float text_room = 0;
  for (std::size_t row = 0; row < figures.items.size(); ++row) {
    if (!is_figure(figures.items[row])) continue;
    item_width = std::max(item_width, text_width(in_language(figures.items[row])));
    text_room = std::max(text_room, text_width(in_language(figures.texts[row])));
  }
  ImGui::TableSetupColumn("item", ImGuiTableColumnFlags_WidthFixed, item_width);
  ImGui::TableSetupColumn("of", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthFixed, text_room);
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    if (!is_figure(figures.items[row])) continue;
    const SliceId example = table.slice_of(row);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (example != kNoSlice) {
      ImGui::PushID(static_cast<int>(row));
      if (ImGui::Selectable("##figure", false, ImGuiSelectableFlags_SpanAllColumns)) clicked = example;
      if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      ImGui::PopID();
      ImGui::SetCursorScreenPos(at);
    }
    colored_text(theme.text_dim, in_language(figures.items[row]));
    ImGui::TableNextColumn();
    draw_subject(in_language(figures.subjects[row]), in_language(figures.bases[row]), theme, ui_scale);
    ImGui::TableNextColumn();
    right_aligned_text(theme.text, in_language(figures.texts[row]));
  }
  ImGui::EndTable();
  return clicked;
}

SliceId SummaryView::draw(const Table& table, ImVec2 size, const Theme& theme, float ui_scale) {
  links_.clear();
  const auto texts = [&](std::string_view key) {
    const TableColumn* column = table.find(key);
    return column != nullptr ? std::get_if<TableColumn::Texts>(&column->values) : nullptr;
  };
  const TableColumn* values = table.find("value");
  const auto* numbers = values != nullptr ? std::get_if<TableColumn::Numbers>(&values->values) : nullptr;
  const auto* items = texts("item");
  const auto* subjects = texts("of");
  const auto* bases = texts("share_of");
  const auto* sentences = texts("text");
  if (items == nullptr || subjects == nullptr || bases == nullptr || sentences == nullptr ||
      numbers == nullptr) {
    return kNoSlice;
  }
  const Figures figures{*items, *subjects, *numbers, *bases, *sentences};
  SliceId clicked = kNoSlice;
  const auto take = [&](SliceId slice) {
    if (slice != kNoSlice) clicked = slice;
  };
  const float gap = std::round(24 * ui_scale);
  const bool wide = size.x >= std::round(820 * ui_scale);
  const float half = std::min(std::floor((size.x - gap) / 2), std::round(kWidest * ui_scale));
  ImGui::BeginChild("summary", {wide ? half : size.x, size.y});
  take(draw_findings(table, figures, theme, ui_scale));
  if (wide) {
    ImGui::EndChild();
    ImGui::SameLine(0, gap);
    ImGui::BeginChild("figures", {half, size.y});
  } else {
    ImGui::Dummy({0, std::round(6 * ui_scale)});
  }
  draw_split(figures, theme, ui_scale);
  take(draw_figures(table, figures, theme, ui_scale));
  ImGui::EndChild();
  return clicked;
}

}  // namespace kino
