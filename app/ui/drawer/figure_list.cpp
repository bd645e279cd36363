#include "app/ui/drawer/figure_list.hpp"

#include <cstddef>

#include "app/ui/widgets/widgets.hpp"

namespace kino {

void begin_page(const char* id, ImVec2 size, const DrawContext& look) {
  begin_panel(id, size, look.theme, {12 * look.scale, 8 * look.scale});
}

bool begin_figure_list(const char* id, std::span<const char* const> titles, ImVec2 size,
                       const DrawContext& look) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchSame;
  if (!ImGui::BeginTable(id, static_cast<int>(titles.size()), kFlags, size)) return false;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const char* const title : titles) ImGui::TableSetupColumn(title);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < titles.size(); ++i) {
    ImGui::TableNextColumn();
    if (i == 0) {
      fitted_text(look.theme.text_dim, titles[i]);
    } else {
      right_aligned_text(look.theme.text_dim, titles[i]);
    }
  }
  return true;
}

}  // namespace kino
