#include "app/snapshot_drawer/category_sheet.hpp"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/text/texts.hpp"
#include "app/widgets/text_drawing.hpp"
#include "app/widgets/widgets.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {

void CategorySheet::update(bool shown, const SnapshotState& state,
                           const std::shared_ptr<SnapshotCategories>& categories) {
  if (shown && (asked_ != categories || asked_device_ != state.device_index() || asked_at_ != state.cursor)) {
    asked_ = categories;
    asked_device_ = state.device_index();
    asked_at_ = state.cursor;
    sums_.start(pool_, wake_,
                [snapshot = snapshot_, categories, device = asked_device_,
                 at = asked_at_](const std::stop_token& stop) {
                  Sums sums;
                  const auto known = categories->of(device, stop, &sums.problem);
                  if (known == nullptr) return sums;
                  for (std::size_t i = 0; i < known->names.size(); ++i)
                    sums.rows.push_back({known->names[i], 0, 0, paint_of_category(*known, i)});
                  const AllocationHistory& history = snapshot->devices[device].history;
                  for (const AllocationId id : live_at(history, at)) {
                    Sum& sum = sums.rows[known->of_allocation[static_cast<std::size_t>(id)]];
                    sum.bytes += history.allocations.size[static_cast<std::size_t>(id)];
                    ++sum.count;
                  }
                  return sums;
                });
  }
  sums_.poll();
}

CategorySheet::Actions CategorySheet::draw(const SnapshotState& state, const SnapshotCategories& categories,
                                           const std::function<std::uint32_t(std::uint8_t)>& color_of,
                                           const Theme& theme) {
  Actions actions;
  const CategoryRules& rules = categories.rules();
  wrapped_text(theme.text_dim, tr(rules.built_in ? Text::category_built_in : Text::category_from_file));
  actions.edit = flat_button(with_id(Text::category_edit, "edit").c_str(), tr(Text::category_edit_hint));
  ImGui::SameLine();
  actions.read_again =
      flat_button(with_id(Text::category_read_again, "again").c_str(), tr(Text::category_read_again_hint));
  if (!rules.problem.empty()) wrapped_text(theme.error, rules.problem);
  const Sums* sums = sums_.value();
  if (sums != nullptr && !sums->problem.empty()) wrapped_text(theme.error, sums->problem);
  const auto sum_of = [&](const std::string& name) -> const Sum* {
    if (sums == nullptr) return nullptr;
    const auto found = std::ranges::find(sums->rows, name, &Sum::name);
    return found == sums->rows.end() ? nullptr : &*found;
  };
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("rules", 4, kFlags)) return actions;
  ImGui::TableSetupScrollFreeze(0, 1);
  constexpr ImGuiTableColumnFlags kFixed = ImGuiTableColumnFlags_WidthFixed;
  ImGui::TableSetupColumn(with_id(Text::snapshot_category, "category").c_str(), kFixed, state.px(190));
  ImGui::TableSetupColumn(with_id(Text::category_live, "bytes").c_str(), kFixed, state.px(110));
  ImGui::TableSetupColumn(with_id(Text::snapshot_count, "count").c_str(), kFixed, state.px(80));
  ImGui::TableSetupColumn(with_id(Text::category_rule, "rule").c_str(), ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::vector<std::string> told;  // a category of several rules has its sum in the first one
  const auto line = [&](const std::string& name, const std::string& query, int id) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const Sum* sum = sum_of(name);
    ImGui::PushID(id);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable("##rule", false, ImGuiSelectableFlags_SpanAllColumns)) actions.find = query;
    if (ImGui::IsItemHovered() && !query.empty()) ImGui::SetTooltip("%s", tr(Text::category_rule_hint));
    ImGui::PopID();
    const float square = std::round(9 * state.scale);
    const float top = at.y + std::floor((ImGui::GetTextLineHeight() - square) / 2);
    if (sum != nullptr)
      list.AddRectFilled({at.x, top}, {at.x + square, top + square}, color_of(sum->paint), 2 * state.scale);
    ImGui::SetCursorScreenPos({at.x + square + state.px(6), at.y});
    colored_text(theme.text, name);
    const bool first = std::ranges::find(told, name) == told.end();
    if (first) told.push_back(name);
    ImGui::TableNextColumn();
    if (first && sum != nullptr)
      right_aligned_text(theme.text, text_from_bytes(static_cast<double>(sum->bytes)));
    ImGui::TableNextColumn();
    if (first && sum != nullptr) right_aligned_text(theme.text_dim, grouped(sum->count));
    ImGui::TableNextColumn();
    draw_elided(list, ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail().x, theme.text_dim,
                query.empty() ? std::string_view(tr(Text::category_rest)) : std::string_view(query),
                Elide::middle);
  };
  int id = 0;
  for (const CategoryRule& rule : rules.rules) line(rule.category, rule.query, id++);
  if (sums != nullptr) {
    for (const Sum& sum : sums->rows) {
      const bool ruled =
          std::ranges::find(rules.rules, sum.name, &CategoryRule::category) != rules.rules.end();
      if (!ruled) line(sum.name, "", id++);
    }
  }
  ImGui::EndTable();
  return actions;
}

}  // namespace kino
