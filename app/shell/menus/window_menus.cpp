#include "app/shell/menus/window_menus.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr float kWidthEm = 34;
constexpr float kFewestCards = 2.5F;

float clear_height(const RecentFiles& recent) {
  return recent.files().empty() ? 0 : ImGui::GetFrameHeightWithSpacing();
}

CommandId command_of(Menu menu) {
  if (menu == Menu::share) return CommandId::share_menu;
  return menu == Menu::open ? CommandId::recent_files : CommandId::main_menu;
}

}  // namespace

void WindowMenus::open_recent() {
  view_.open(Menu::open, true);
  view_.choose_extra(0);
}

bool WindowMenus::draw_recent(const Box& box, std::optional<std::size_t> chosen, const RecentFiles& recent,
                              const Theme& theme, float scale, RecentActions& actions) {
  const float em = ImGui::GetFontSize();
  const float pad = std::floor(em * 0.5F);
  const float width = box.width() - 2 * pad;
  ImGui::GetWindowDrawList()->AddLine({box.left + pad, box.top + 0.5F}, {box.right - pad, box.top + 0.5F},
                                      theme.border);
  ImGui::SetCursorScreenPos({box.left + pad, box.top + pad});
  if (recent.files().empty()) {
    ImGui::PushTextWrapPos(box.right - pad);
    wrapped_text(theme.text_dim, tr(Text::recent_none));
    ImGui::PopTextWrapPos();
    return false;
  }
  const float clear = clear_height(recent);
  const float room = std::max(1.0F, box.height() - 2 * pad - clear);
  const float card = recent_card_height(scale);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::BeginChild("recent", {width, room});
  if (chosen) {
    const float y = static_cast<float>(*chosen) * card;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + y}, {at.x + width, at.y + y + card},
                                              theme.group_header, em * 0.25F);
    ImGui::SetScrollY(std::clamp(ImGui::GetScrollY(), y + card - room, y));
  }
  const float inner = ImGui::GetContentRegionAvail().x;
  const RecentActions done =
      draw_recent_cards(recent, RecentFiles::kMost, inner, theme, scale, recent_places_);
  ImGui::EndChild();
  ImGui::PopStyleColor();
  if (done.open || done.reveal || done.copy_path || done.remove) actions = done;
  ImGui::SetCursorScreenPos({box.left + pad, box.bottom - pad - clear});
  if (flat_button(with_id(Text::recent_clear, "clear").c_str(), nullptr)) actions.clear = true;
  return actions.open || actions.reveal || actions.clear;
}

MenuExtra WindowMenus::recent_rows(const RecentFiles& recent, float top, const Theme& theme, float scale,
                                   RecentActions& actions) {
  const float em = ImGui::GetFontSize();
  const float card = recent_card_height(scale);
  const std::size_t rows = recent.files().size();
  const float above =
      top + static_cast<float>(items_of(Menu::open).size() + 1) * ImGui::GetFrameHeight() + em;
  const float fit = (ImGui::GetIO().DisplaySize.y - above - 3 * em - clear_height(recent)) / card;
  const float cards = rows == 0 ? 1 : std::min(static_cast<float>(rows), std::max(kFewestCards, fit));
  return {
      .rows = rows,
      .width = kWidthEm * em,
      .height = std::ceil(cards * card + clear_height(recent) + em),
      .draw = [this, &recent, &theme, scale, &actions](const Box& box, std::optional<std::size_t> chosen) {
        return draw_recent(box, chosen, recent, theme, scale, actions);
      }};
}

RecentActions WindowMenus::draw(const Places& places, const RecentFiles& recent, Commands& commands,
                                const MenuSubject& subject, const Theme& theme, float scale) {
  RecentActions actions;
  recent_places_.clear();
  const Menu menu = view_.root();
  const MenuView::Place place = menu == Menu::share  ? places.share
                                : menu == Menu::open ? places.open
                                                     : places.main;
  const MenuExtra extra =
      menu == Menu::open ? recent_rows(recent, place.corner.y, theme, scale, actions) : MenuExtra();
  const MenuView::Result taken = view_.draw(place, command_of(menu), extra, commands, subject, theme);
  if (taken.extra && *taken.extra < recent.files().size()) actions.open = recent.files()[*taken.extra];
  if (taken.command) commands.run(*taken.command);
  return actions;
}

}  // namespace kino
