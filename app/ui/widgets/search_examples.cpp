#include "app/ui/widgets/search_examples.hpp"

#include "app/ui/widgets/widgets.hpp"

namespace kino {

void draw_search_examples(ImVec2 at, Text about, std::span<const SearchExample> examples, const Theme& theme,
                          float ui_scale) {
  ImGui::SetNextWindowPos(at);
  ImGui::BeginTooltip();
  colored_text(theme.text, tr(about));
  ImGui::Dummy({0, 2 * ui_scale});
  if (ImGui::BeginTable("examples", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (const SearchExample& example : examples) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      colored_text(theme.accent, example.text);
      ImGui::TableNextColumn();
      colored_text(theme.text_dim, tr(example.what));
    }
    ImGui::EndTable();
  }
  ImGui::EndTooltip();
}

}  // namespace kino
