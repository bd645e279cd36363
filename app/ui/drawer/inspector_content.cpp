#include "app/ui/drawer/inspector_content.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {

std::string InspectorContent::copied() const {
  std::string out = title;
  const auto add = [&](const std::string& line) {
    if (!line.empty()) out += (out.empty() ? "" : "\n") + line;
  };
  for (const InspectorSection& section : sections) {
    add(section.title);
    add(section.text);
    add(section.code);
    for (const InspectorRow& row : section.rows)
      add(row.amount.empty() ? row.name : row.name + "\t" + row.amount);
  }
  return out;
}

std::optional<InspectorClick> InspectorSections::draw(const InspectorContent& content, ImVec2 size,
                                                      const DrawContext& look) {
  std::optional<InspectorClick> clicked;
  places_.clear();
  last_ = content;
  const auto rounded = [&](float at_scale_1) { return std::round(at_scale_1 * look.scale); };
  begin_panel("sections", size, look.theme, {rounded(14), rounded(12)});
  for (std::size_t i = 0; i < content.sections.size(); ++i) {
    const InspectorSection& section = content.sections[i];
    ImGui::PushID(static_cast<int>(i));
    if (!section.title.empty()) {
      section_title(section.title, i == 0, look.theme, look.scale);
    } else if (i > 0) {
      ImGui::Spacing();
    }
    if (!section.text.empty()) draw_copied(section.text, false, look);
    if (!section.code.empty()) draw_copied(section.code, true, look);
    for (std::size_t row = 0; row < section.rows.size(); ++row) {
      ImGui::PushID(static_cast<int>(row));
      if (draw_row(section.rows[row], look)) clicked = InspectorClick{i, row};
      ImGui::PopID();
    }
    ImGui::PopID();
  }
  ImGui::EndChild();
  return clicked;
}

void InspectorSections::draw_copied(const std::string& text, bool code, const DrawContext& look) {
  ImGui::PushID(code ? "code" : "text");
  if (code) ImGui::PushFont(mono_font());
  wrapped_text(look.theme.text, text);
  if (code) ImGui::PopFont();
  copy_button(Text::record_copy, text);
  places_.emplace_back(code ? "copy_command" : "copy", item_center());
  ImGui::PopID();
}

bool InspectorSections::draw_row(const InspectorRow& row, const DrawContext& look) {
  const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x);
  const float gap = std::round(10 * look.scale);
  const float amount = row.amount.empty() ? 0 : text_width(row.amount) + gap;
  const float room = std::max(width / 3, width - amount);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  bool clicked = false;
  if (row.link) {
    clicked = link_text(row.name, room, row.name, look.theme);
    places_.emplace_back(row.name, item_center());
  } else {
    ImGui::Dummy({room, ImGui::GetTextLineHeight()});
    draw_elided(*ImGui::GetWindowDrawList(), at, room, look.theme.text_dim, row.name);
    if (ImGui::IsItemHovered() && text_width(row.name) > room) wrapped_tooltip(row.name);
  }
  if (!row.amount.empty()) {
    const float left = std::floor(at.x + std::max(room + gap, width - text_width(row.amount)));
    ImGui::GetWindowDrawList()->AddText({left, at.y}, look.theme.text, row.amount.c_str());
  }
  return clicked;
}

void InspectorSections::write_test_state(nlohmann::ordered_json& json) const {
  json["title"] = last_.title;
  json["text"] = head_json(last_.copied());
  json["places"] = places_json(places_);
}

}  // namespace kino
