#include "app/ui/commands/view_menu.hpp"

#include <array>
#include <optional>
#include <span>

#include <imgui.h>

#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

/// A part of the menu: a submenu if it has a title, else entries after a separator.
struct Section {
  std::optional<Text> title;
  MenuPart part{};
};

constexpr std::array kSections = {
    Section{Text::view_tracks, MenuPart::tracks},     Section{Text::view_color_by, MenuPart::colors},
    Section{Text::help_snapshot, MenuPart::snapshot}, Section{Text::view_layout, MenuPart::layouts},
    Section{std::nullopt, MenuPart::names},           Section{std::nullopt, MenuPart::panels},
    Section{std::nullopt, MenuPart::split},           Section{Text::view_scale, MenuPart::scale},
    Section{Text::view_units, MenuPart::units},       Section{Text::view_language, MenuPart::languages},
    Section{std::nullopt, MenuPart::window}};
static_assert(kSections.size() + 1 == kMenuPartCount);

void draw_items(Commands& commands, std::span<const CommandId> ids) {
  for (const CommandId id : ids) {
    const std::string key = commands.keymap().first_key_text(id);
    if (ImGui::MenuItem(tr(info_of(id).title), key.c_str(), commands.checked(id), commands.available(id)))
      commands.run(id);
  }
}

}  // namespace

void draw_view_menu(Commands& commands) {
  if (!ImGui::BeginPopup(kViewMenu)) return;
  if (popup_closed_by_escape()) return;
  bool first = true;
  for (const Section& section : kSections) {
    if (section.title) {
      if (ImGui::BeginMenu(with_id(*section.title, name_of(*section.title)).c_str())) {
        draw_items(commands, menu_commands(section.part));
        ImGui::EndMenu();
      }
    } else {
      if (!first) ImGui::Separator();
      draw_items(commands, menu_commands(section.part));
    }
    first = false;
  }
  ImGui::EndPopup();
}

}  // namespace kino
