#include "app/ui/widgets/details_widgets.hpp"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

float& copied_at(ImGuiID id) { return *ImGui::GetStateStorage()->GetFloatRef(id ^ 0x5bd1e995U, -10); }

}  // namespace

bool copied_lately(ImGuiID id) {
  return static_cast<float>(ImGui::GetTime()) - copied_at(id) < kCopiedSeconds;
}

void note_copied(ImGuiID id) { copied_at(id) = static_cast<float>(ImGui::GetTime()); }

void section_title(std::string_view title, bool first, const Theme& theme, float ui_scale) {
  if (!first) ImGui::Dummy({0, std::round(4 * ui_scale)});
  colored_text(theme.text_dim, title);
}

void fact_key(std::string_view key, const Theme& theme) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  colored_text(theme.text_dim, key);
  ImGui::TableNextColumn();
}

void fact_value(std::string_view value, std::string_view exact, const Theme& theme, float ui_scale) {
  const float gap = std::round(12 * ui_scale);
  const float room = ImGui::GetContentRegionAvail().x;
  wrapped_text(theme.text, value);
  if (exact.empty()) return;
  if (text_width(value) + gap + text_width(exact) <= room) ImGui::SameLine(0, gap);
  wrapped_text(theme.text_dim, exact);
}

bool link_text(std::string_view words, float max_width, std::string_view hint, const Theme& theme) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(1.0F, std::min(std::ceil(text_width(words)), max_width));
  const float height = ImGui::GetTextLineHeight();
  const bool clicked = ImGui::InvisibleButton("link", {width, height});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float used = draw_elided(list, at, width + 1, theme.accent, words);
  if (!ImGui::IsItemHovered()) return clicked;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  list.AddLine({at.x, at.y + height}, {at.x + used, at.y + height}, theme.accent);
  if (!hint.empty()) {
    constexpr std::size_t kMostBytes = 400;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 32);
    colored_text(theme.text, cut_text(hint, kMostBytes));
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  return clicked;
}

void copy_button(Text label, std::string_view text) {
  ImGui::PushID(name_of(label));
  const ImGuiID id = ImGui::GetID("copy");
  // Wide enough for both labels.
  const float width = std::max(ImGui::CalcTextSize(tr(label)).x, ImGui::CalcTextSize(tr(Text::copied)).x) +
                      2 * ImGui::GetStyle().FramePadding.x;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ImGui::GetStyle().FramePadding.x, 0});
  if (ImGui::Button(with_id(copied_lately(id) ? Text::copied : label, "copy").c_str(), {width, 0})) {
    ImGui::SetClipboardText(std::string(text).c_str());
    note_copied(id);
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
}

}  // namespace kino
