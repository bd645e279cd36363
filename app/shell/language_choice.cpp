#include "app/shell/language_choice.hpp"

#include <imgui.h>

#include "app/shell/toast.hpp"
#include "app/ui/widgets/font_atlas.hpp"
#include "app/ui/widgets/widgets.hpp"

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
  const float em = ImGui::GetFontSize();
  if (begin_line_below("language_note")) {
    ImGui::AlignTextToFramePadding();
    colored_text(theme.warning, tr(*note_));
    ImGui::SameLine(0, em);
    if (ImGui::Button(tr(Text::close))) note_.reset();
  }
  ImGui::End();
}

}  // namespace kino
