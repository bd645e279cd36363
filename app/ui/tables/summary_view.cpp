#include "app/ui/tables/summary_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "app/ui/commands/commands.hpp"
#include "app/ui/tables/split_bar.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/step_breakdown.hpp"

namespace kino {
namespace {

constexpr float kWidest = 680;                    // column width at scale 1: longer lines are hard to read
constexpr std::string_view kFinding = "finding";  // these keys are written by trace_summary.cpp
constexpr std::string_view kTime = "time";
constexpr std::string_view kBase = "base";
constexpr std::string_view kVerdict = "verdict";
constexpr std::string_view kOrder = "order";

/// Whether rows of this item belong to the table of figures.
bool is_figure(const std::string& item) {
  return item != kFinding && item != kTime && item != kBase && item != kVerdict && item != kOrder;
}

/// Returns the name of the role with this key, in the language in use.
std::string role_text(std::string_view key) {
  for (std::size_t i = 0; i < kStepRoleCount; ++i) {
    const auto role = static_cast<StepRole>(i);
    if (text_of(role) == key) return in_language(shown_name(role));
  }
  return std::string(key);
}

void heading(Text text, const Theme& theme, float ui_scale) {
  colored_text(theme.text_dim, tr(text));
  ImGui::Dummy({0, std::round(2 * ui_scale)});
}

}  // namespace

bool SummaryView::draw_finding(const Figures& figures, std::uint32_t row, bool leads, const Theme& theme,
                               float ui_scale) {
  const float line = ImGui::GetTextLineHeight();
  const float indent = std::round(14 * ui_scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x - indent);
  const auto height_of = [&](const std::string& text) { return wrapped_height(text, width); };
  std::string head = figures.subjects[row];
  if (figures.won_ns[row] != kNoInteger) head = text_from_duration(figures.won_ns[row]) + " \xC2\xB7 " + head;
  const std::string effort = figures.efforts[row];
  const std::string sentence = figures.texts[row];
  const std::string fix = figures.fixes[row];
  const float sentence_height = height_of(sentence);
  const float height = line + sentence_height + height_of(fix);
  ImGui::PushID(static_cast<int>(row));
  const bool pressed = ImGui::InvisibleButton("finding", {indent + width, height}) && leads;
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered() && leads;
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::SetTooltip("%s", hint_with_key(Text::finding_hint, CommandId::next_slice).c_str());
  }
  if (leads) links_.emplace_back(at.x + indent * 2, at.y + line / 2);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddCircleFilled({at.x + std::round(4 * ui_scale), at.y + std::floor(line / 2)},
                       std::round(3 * ui_scale), theme.warning);
  draw_elided(list, {at.x + indent, at.y}, width - text_width(effort) - indent,
              hovered ? theme.accent : theme.text, head, Elide::end);
  list.AddText({std::floor(at.x + indent + width - text_width(effort)), at.y}, theme.text_dim,
               effort.c_str());
  draw_wrapped(list, {at.x + indent, at.y + line}, width, theme.text, sentence);
  draw_wrapped(list, {at.x + indent, at.y + line + sentence_height}, width, theme.text_dim, fix);
  ImGui::Dummy({0, std::round(4 * ui_scale)});
  return pressed;
}

std::optional<std::uint32_t> SummaryView::draw_findings(const Table& table, const Figures& figures,
                                                        const Theme& theme, float ui_scale) {
  std::optional<std::uint32_t> clicked;
  bool timed = true;
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    if (figures.items.key(row) == kVerdict) {
      wrapped_text(theme.text, figures.texts[row]);
      ImGui::Dummy({0, std::round(4 * ui_scale)});
    }
    if (figures.items.key(row) == kOrder) {
      heading(Text::table_findings, theme, ui_scale);
      wrapped_text(theme.text_dim, figures.texts[row]);
      ImGui::Dummy({0, std::round(4 * ui_scale)});
    }
    if (figures.items.key(row) != kFinding) continue;
    if (timed && figures.won_ns[row] == kNoInteger) {
      timed = false;
      heading(Text::finding_not_estimated, theme, ui_scale);
    }
    const std::span<const RowLink> links = table.links_of(row);
    const bool leads = links.size() > 1 && links[1].kind() == RowLink::Kind::range;
    if (draw_finding(figures, row, leads, theme, ui_scale)) clicked = row;
  }
  return clicked;
}

void SummaryView::draw_split(const Table& table, const Figures& figures, const Theme& theme, float ui_scale) {
  heading(Text::table_time_breakdown, theme, ui_scale);
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (figures.items.key(row) != kBase) continue;
    wrapped_text(theme.text, figures.texts[row]);
    for (const Message& note : table.notes) wrapped_text(theme.text_dim, in_language(note));
    ImGui::Dummy({0, std::round(2 * ui_scale)});
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x);
  const float height = std::round(16 * ui_scale);
  ImGui::Dummy({width, height});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  double before = 0;
  const auto x_of = [&](double share) { return at.x + std::round(width * static_cast<float>(share)); };
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (figures.items.key(row) != kTime || !(figures.values[row] > 0)) continue;
    const double after = std::min(1.0, before + figures.values[row]);
    list.AddRectFilled({x_of(before), at.y}, {x_of(after), at.y + height},
                       role_color(figures.subjects.key(row), theme));
    before = after;
  }
  const float gap = std::round(14 * ui_scale);
  const float square = std::round(9 * ui_scale);
  const float right = at.x + width;
  bool first = true;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (figures.items.key(row) != kTime || !(figures.values[row] >= 0.0005)) continue;
    const std::string label = role_text(figures.subjects.key(row));
    const std::string share = figures.texts[row];
    const float needed = square + 2 * std::round(5 * ui_scale) + text_width(label) + text_width(share);
    if (!first && ImGui::GetItemRectMax().x + gap + needed <= right) ImGui::SameLine(0, gap);
    first = false;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float top = corner.y + std::floor((ImGui::GetTextLineHeight() - square) / 2);
    list.AddRectFilled({corner.x, top}, {corner.x + square, top + square},
                       role_color(figures.subjects.key(row), theme));
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
  draw_cell_text(list, at, subject_room, theme.text, subject, Elide::middle);
  if (!both) return;
  const float width = std::min(subject_room, text_width(subject));
  list.AddText({std::floor(at.x + width + gap), at.y}, theme.text_dim, base.c_str());
}

SliceId SummaryView::draw_figures(const Table& table, const Figures& figures, const Theme& theme,
                                  float ui_scale) {
  SliceId clicked = kNoSlice;
  constexpr float kMostForText = 0.42F;
  heading(Text::table_figures, theme, ui_scale);
  const float room = ImGui::GetContentRegionAvail().x;
  if (!ImGui::BeginTable("figures", 3, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerH))
    return clicked;
  float item_width = 0;
  float text_room = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (!is_figure(figures.items.key(row))) continue;
    item_width = std::max(item_width, text_width(figures.items[row]));
    text_room = std::max(text_room, text_width(figures.texts[row]));
  }
  text_room = std::min(text_room, std::floor(kMostForText * room));
  ImGui::TableSetupColumn("item", ImGuiTableColumnFlags_WidthFixed, item_width);
  ImGui::TableSetupColumn("of", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthFixed, text_room);
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    if (!is_figure(figures.items.key(row))) continue;
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
    fitted_text(theme.text_dim, figures.items[row]);
    ImGui::TableNextColumn();
    draw_subject(figures.subjects[row], figures.bases[row], theme, ui_scale);
    ImGui::TableNextColumn();
    const std::string text = figures.texts[row];
    if (text_width(text) > text_room) {
      wrapped_text(theme.text, text);
    } else {
      right_aligned_text(theme.text, text);
    }
  }
  ImGui::EndTable();
  return clicked;
}

SummaryView::Actions SummaryView::draw(const Table& table, ImVec2 size, const Theme& theme, float ui_scale) {
  links_.clear();
  const auto texts = [&](std::string_view key) {
    const TableColumn* column = table.find(key);
    return column != nullptr && column->is_text() ? column : nullptr;
  };
  const std::array columns{texts("item"), texts("of"),  texts("share_of"),
                           texts("text"), texts("fix"), texts("effort")};
  const TableColumn* const values = table.find("value");
  const auto* numbers = values != nullptr ? std::get_if<TableColumn::Numbers>(&values->values) : nullptr;
  const TableColumn* const won = table.find("won_ns");
  const auto* won_ns = won != nullptr ? std::get_if<TableColumn::Integers>(&won->values) : nullptr;
  if (std::ranges::count(columns, nullptr) > 0 || numbers == nullptr || won_ns == nullptr) return {};
  const auto& [items, subjects, bases, sentences, fixes, efforts] = columns;
  const Figures figures{{*items},     {*subjects}, *numbers,   {*bases},
                        {*sentences}, {*fixes},    {*efforts}, *won_ns};
  Actions actions;
  const float gap = std::round(24 * ui_scale);
  const bool wide = size.x >= std::round(820 * ui_scale);
  const float half = std::min(std::floor((size.x - gap) / 2), std::round(kWidest * ui_scale));
  ImGui::BeginChild("summary", {wide ? half : size.x, size.y});
  actions.finding = draw_findings(table, figures, theme, ui_scale);
  if (wide) {
    ImGui::EndChild();
    ImGui::SameLine(0, gap);
    ImGui::BeginChild("figures", {half, size.y});
  } else {
    ImGui::Dummy({0, std::round(6 * ui_scale)});
  }
  draw_split(table, figures, theme, ui_scale);
  actions.go_to = draw_figures(table, figures, theme, ui_scale);
  ImGui::EndChild();
  return actions;
}

}  // namespace kino
