#include "app/pages/snapshot_drawer/snapshot_page.hpp"

#include "app/pages/snapshot_drawer/snapshot_tables.hpp"
#include "app/ui/tables/table_tab.hpp"

namespace kino {

void SnapshotPage::use_categories(TableTab& tab) {
  if (categories_ == colors_.categories()) return;
  categories_ = colors_.categories();
  tab.set_compute(tables_of(state_.snapshot, categories_));
}

void SnapshotPage::draw(ImVec2 size, const DrawContext& look) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, look.theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * look.scale, 8 * look.scale});
  ImGui::PushID(id().data(), id().data() + id().size());
  ImGui::BeginChild("tab", size, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding |
                        (scrolls() ? ImGuiWindowFlags_None : ImGuiWindowFlags_NoScrollbar));
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  if (shows_trace_line()) run_.draw_trace_line(state_, look.theme);
  draw_content(look);
  ImGui::EndChild();
  ImGui::PopID();
}

}  // namespace kino
