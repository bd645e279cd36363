#include "app/pages/snapshot_drawer/category_sheet.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <imgui.h>

#include "app/ui/text/core_sentences.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

std::string share_text(std::uint64_t part, std::uint64_t all) {
  return text_from_share(all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all));
}

std::uint64_t total_of(const std::array<std::uint64_t, kSurenessCount>& sure) {
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : sure) sum += bytes;
  return sum;
}

/// "certain", or "certain 99.2 %, likely 0.8 %".
std::string sureness_words(const std::array<std::uint64_t, kSurenessCount>& sure) {
  const std::uint64_t all = total_of(sure);
  std::string words;
  for (std::size_t i = 0; i < kSurenessCount; ++i) {
    if (sure[i] == 0) continue;
    words += (words.empty() ? "" : " · ") + in_language(text_of(static_cast<Sureness>(i)));
    if (sure[i] != all) words += " " + share_text(sure[i], all);
  }
  return words;
}

}  // namespace

CategorySheet::Sums CategorySheet::sums_of(const Snapshot& snapshot, std::size_t device, EventIndex at,
                                           const AllocationCategories& categories) {
  Sums sums;
  sums.notes = categories.notes;
  for (std::size_t i = 0; i < categories.names.size(); ++i)
    sums.rows.push_back({categories.names[i], 0, 0, paint_of_category(categories, i), {}, {}});
  std::vector<std::map<std::uint16_t, std::uint64_t>> whys(sums.rows.size());
  const AllocationHistory& history = snapshot.devices[device].history;
  for (const AllocationId id : live_at(history, at)) {
    const auto i = static_cast<std::size_t>(id);
    const std::uint64_t bytes = history.allocations.size[i];
    const auto sure = static_cast<std::size_t>(categories.sure[i]);
    Sum& sum = sums.rows[categories.of_allocation[i]];
    sum.bytes += bytes;
    sum.sure[sure] += bytes;
    sums.sure[sure] += bytes;
    ++sum.count;
    whys[categories.of_allocation[i]][categories.why[i]] += bytes;
  }
  for (std::size_t row = 0; row < sums.rows.size(); ++row) {
    const auto most = std::ranges::max_element(whys[row], {}, [](const auto& pair) { return pair.second; });
    if (most != whys[row].end()) sums.rows[row].why = categories.whys[most->first];
  }
  std::ranges::stable_sort(sums.rows, std::greater<>(), &Sum::bytes);
  return sums;
}

void CategorySheet::update(bool shown, const SnapshotState& state,
                           const std::shared_ptr<SnapshotCategories>& categories) {
  if (shown && (asked_ != categories || asked_device_ != state.device_index() || asked_at_ != state.cursor)) {
    asked_ = categories;
    asked_device_ = state.device_index();
    asked_at_ = state.cursor;
    sums_.start(pool_, wake_,
                [snapshot = snapshot_, categories, device = asked_device_,
                 at = asked_at_](const std::stop_token& stop) {
                  Message problem;
                  const auto known = categories->of(device, stop, &problem);
                  Sums sums = known == nullptr ? Sums{} : sums_of(*snapshot, device, at, *known);
                  sums.problem = problem;
                  return sums;
                });
  }
  sums_.poll();
}

void CategorySheet::draw_head(const CategoryRules& rules, const Theme& theme, Actions& actions) const {
  wrapped_text(theme.text_dim, tr(rules.built_in ? Text::category_built_in : Text::category_from_file));
  actions.edit = flat_button(with_id(Text::category_edit, "edit").c_str(), tr(Text::category_edit_hint));
  ImGui::SameLine();
  actions.read_again =
      flat_button(with_id(Text::category_read_again, "again").c_str(), tr(Text::category_read_again_hint));
  if (!rules.problem.empty()) wrapped_text(theme.error, rules.problem);
  const Sums* sums = sums_.value();
  if (sums == nullptr) return;
  if (!sums->problem.empty()) wrapped_text(theme.error, in_language(sums->problem));
  const std::uint64_t all = total_of(sums->sure);
  if (all > 0) {
    wrapped_text(theme.text, filled(Text::category_sums,
                                    {share_text(sums->sure[0], all), share_text(sums->sure[1], all),
                                     share_text(sums->sure[2], all), share_text(sums->sure[3], all)}));
  }
  for (const Message& note : sums->notes) wrapped_text(theme.text_dim, in_language(note));
}

void CategorySheet::draw_sum(const SnapshotState& state, const Sum& sum, std::uint32_t color,
                             const Theme& theme) const {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float square = std::round(9 * state.scale);
  const float top = at.y + std::floor((ImGui::GetTextLineHeight() - square) / 2);
  list.AddRectFilled({at.x, top}, {at.x + square, top + square}, color, 2 * state.scale);
  ImGui::SetCursorScreenPos({at.x + square + state.px(6), at.y});
  fitted_text(theme.text, in_language(sum.name));
  ImGui::TableNextColumn();
  right_aligned_text(theme.text, text_from_bytes(static_cast<double>(sum.bytes)));
  ImGui::TableNextColumn();
  right_aligned_text(theme.text_dim, grouped(sum.count));
  ImGui::TableNextColumn();
  fitted_text(theme.text_dim, sureness_words(sum.sure));
  ImGui::TableNextColumn();
  fitted_text(theme.text_dim, in_language(sum.why));
}

CategorySheet::Actions CategorySheet::draw(const SnapshotState& state, const SnapshotCategories& categories,
                                           const std::function<std::uint32_t(std::uint8_t)>& color_of,
                                           const Theme& theme) {
  Actions actions;
  const CategoryRules& rules = categories.rules();
  draw_head(rules, theme, actions);
  int id = 0;
  if (!rules.rules.rules.empty() && rules.rules.extends_default)
    wrapped_text(theme.text_dim, tr(Text::category_own_rules));
  for (const CategoryRule& rule : rules.rules.rules) {
    ImGui::PushID(id++);
    if (link_text(rule.category + ": " + rule.query, ImGui::GetContentRegionAvail().x,
                  tr(Text::category_rule_hint), theme))
      actions.find = rule.query;
    ImGui::PopID();
  }
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("categories", 5, kFlags)) return actions;
  ImGui::TableSetupScrollFreeze(0, 1);
  constexpr ImGuiTableColumnFlags kFixed = ImGuiTableColumnFlags_WidthFixed;
  ImGui::TableSetupColumn(with_id(Text::snapshot_category, "category").c_str(), kFixed, state.px(190));
  ImGui::TableSetupColumn(with_id(Text::category_live, "bytes").c_str(), kFixed, state.px(90));
  ImGui::TableSetupColumn(with_id(Text::snapshot_count, "count").c_str(), kFixed, state.px(70));
  ImGui::TableSetupColumn(with_id(Text::category_sure, "sure").c_str(), kFixed, state.px(190));
  ImGui::TableSetupColumn(with_id(Text::category_because, "why").c_str(), ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  if (const Sums* sums = sums_.value(); sums != nullptr) {
    for (const Sum& sum : sums->rows)
      if (sum.count > 0) draw_sum(state, sum, color_of(sum.paint), theme);
  }
  ImGui::EndTable();
  return actions;
}

}  // namespace kino
