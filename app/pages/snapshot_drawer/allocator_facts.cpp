#include "app/pages/snapshot_drawer/allocator_facts.hpp"

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {

std::string settings_line(const Snapshot& snapshot) {
  const AllocatorSettings settings = allocator_settings(snapshot);
  const std::string words = !settings.recorded      ? tr(Text::settings_not_recorded)
                            : settings.conf.empty() ? filled(Text::settings_not_set, {settings.variable})
                                                    : settings.variable + "=" + escaped(settings.conf);
  return filled(Text::settings_line, {words});
}

void draw_settings(const Snapshot& snapshot, const Theme& theme, float ui_scale) {
  if (!has_settings(snapshot.source)) return;
  section_title(tr(Text::settings_title), false, theme, ui_scale);
  if (snapshot.settings.empty()) {
    wrapped_text(theme.text, tr(Text::settings_none));
  } else if (ImGui::BeginTable("settings", 2,
                               ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings)) {
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    for (const auto& [name, value] : snapshot.settings) {
      fact_key(escaped(name), theme);
      wrapped_text(value.empty() ? theme.text_dim : theme.text,
                   value.empty() ? "\"\"" : escaped(setting_text(value)));
    }
    ImGui::EndTable();
  }
  // The entries show whether expandable segments were used. This covers old files without recorded settings,
  // and settings that changed during the run.
  const AllocatorSettings settings = allocator_settings(snapshot);
  if (settings.expandable_segments != settings.stated_expandable)
    wrapped_text(theme.text, tr(Text::settings_seen));
}

std::optional<ImVec2> draw_setting(const OomSetting& setting, const Theme& theme) {
  if (setting.expandable_segments == SettingState::on) {
    wrapped_text(theme.text, tr(Text::oom_setting_on));
    return std::nullopt;
  }
  const bool off = setting.expandable_segments == SettingState::off;
  wrapped_text(theme.text, tr(off ? Text::oom_setting_off : Text::oom_setting_unknown));
  copy_button(Text::snapshot_copy_address, setting.line);
  const ImVec2 center = item_center();
  ImGui::SameLine();
  ImGui::PushFont(mono_font());
  wrapped_text(theme.text, escaped(setting.line));
  ImGui::PopFont();
  return center;
}

}  // namespace kino
