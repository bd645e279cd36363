#include "app/shell/language_choice.hpp"

#include <imgui.h>

#include "app/widgets/font_atlas.hpp"
#include "app/widgets/widgets.hpp"

namespace kino {

void LanguageChoice::choose(std::optional<Language> wanted) {
  wanted_ = wanted;
  note_.reset();
  Language chosen = wanted.value_or(system_language());
  if (chosen == Language::japanese && !installed_font_has("表示ひらカナ")) {
    note_ = Text::language_no_japanese_font;
    chosen = Language::english;
  } else if (chosen == Language::chinese && !installed_font_has("显示简体轨道")) {
    note_ = Text::language_no_chinese_font;
    chosen = Language::english;
  }
  set_language(chosen);
}

void LanguageChoice::draw_note(const Theme& theme) {
  if (!note_) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y - em), ImGuiCond_Always, ImVec2(0.5F, 1));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
  if (ImGui::Begin("language_note", nullptr, kFlags)) {
    ImGui::AlignTextToFramePadding();
    colored_text(theme.warning, tr(*note_));
    ImGui::SameLine(0, em);
    if (ImGui::Button(tr(Text::close))) note_.reset();
  }
  ImGui::End();
}

}  // namespace kino
