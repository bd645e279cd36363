#include "app/pages/snapshot_set/snapshot_set_pages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "app/pages/snapshot_set/set_curves.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/figure_list.hpp"
#include "app/ui/drawer/top_list.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_set/snapshot_set_tables.hpp"

namespace kino {
namespace {

constexpr std::array kTabs{TabbedTable{"snapshots"}, TabbedTable{"snapshot-differences"}};

std::string signed_words(std::int64_t bytes) {
  return (bytes < 0   ? "−"
          : bytes > 0 ? "+"
                      : "") +
         shown_bytes_text(static_cast<std::uint64_t>(std::abs(bytes)));
}

/// Style of tables. In the table of snapshots, a row has the color of its snapshot's curve.
class MemberRowLook : public RowStyle {
 public:
  explicit MemberRowLook(const SetState& state) : state_(state) {}
  std::optional<std::uint32_t> color_of(const Table& table, std::uint32_t row) const override {
    const RowLink* const link = table.links_of(row).empty() ? nullptr : table.links_of(row).data();
    if (table.name != "snapshots" || link == nullptr || state_.set() == nullptr ||
        link->recording() >= state_.set()->members.size())
      return std::nullopt;
    return SetCurves::color_of(state_, link->recording());
  }

 private:
  const SetState& state_;
};

}  // namespace

SnapshotSetTablesPage::SnapshotSetTablesPage(SetState& state, const std::filesystem::path& file,
                                             WorkerPool& pool, const std::function<void()>& wake)
    : state_(state), tab_(snapshot_set_table_kinds(), {}, file, pool, wake) {
  tab_.set_drawer_tabs(kTabs);
  tab_.count_rows(true);
}

void SnapshotSetTablesPage::handle_keys(bool shown) {
  const int step =
      (command_pressed(CommandId::next_table) ? 1 : 0) - (command_pressed(CommandId::previous_table) ? 1 : 0);
  if (step != 0) {
    tab_.step_kind(step);
    state_.drawer.show(id());
  }
  if (picture_ != nullptr && command_pressed(CommandId::save_all_tables))
    tab_.save_all([](const TableInfo&) { return TableResultQuery(); });
  tab_.handle_keys(shown);
}

void SnapshotSetTablesPage::update(bool shown) {
  if (state_.picture != nullptr && (state_.picture != picture_ || state_.batch != batch_)) {
    tab_.set_compute([picture = state_.picture, batch = state_.batch](
                         const TableResultQuery& question, const std::stop_token& stop) -> Result<Table> {
      return snapshot_set_table(picture->set, *question.kind,
                                {.group = question.group, .units = question.units}, batch, stop);
    });
  }
  picture_ = state_.picture;
  batch_ = state_.batch;
  tab_.update(shown,
              picture_ != nullptr ? std::optional<TableResultQuery>(TableResultQuery()) : std::nullopt);
}

void SnapshotSetTablesPage::draw(ImVec2 size, const DrawContext& look) {
  const TableGrid::Actions done =
      tab_.draw_page(size, MemberRowLook(state_), look.theme, look.scale, look.keyboard);
  if (done.go_to) follow(*done.go_to);
}

void SnapshotSetTablesPage::follow(std::uint32_t row) {
  const bool twice = ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] >= 2;
  for (const RowLink& link : tab_.matching_rows()->answer->table.links_of(row)) {
    if (link.kind() != RowLink::Kind::recording || state_.set() == nullptr ||
        link.recording() >= state_.set()->members.size())
      continue;
    if (state_.selected != link.recording()) state_.select(link.recording());
    if (twice) state_.request_open(link.recording());
  }
}

void SnapshotSetTablesPage::write_test_state(nlohmann::ordered_json& panel) const {
  panel["tables"] = table_state(tab_);
}

namespace {

void draw_side_head(SetState& state, const SnapshotSet& set, std::uint32_t member) {
  const SnapshotSums& sums = set.members[member].sums;
  const Theme& theme = state.theme;
  colored_text(SetCurves::color_of(state, member),
               fitted_in_middle(escaped(in_language(set.names[member])), ImGui::GetContentRegionAvail().x));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", escaped(set.members[member].file).c_str());
  const bool is_median = member == set.median;
  const Text is_base = set.typical ? Text::set_is_median : Text::set_is_reference;
  const Text peak = set.typical ? Text::set_peak : Text::set_peak_reference;
  wrapped_text(theme.text, is_median ? filled(is_base, {shown_bytes_text(sums.peak_bytes)})
                                     : filled(peak, {shown_bytes_text(sums.peak_bytes),
                                                     signed_words(set.difference(member)),
                                                     escaped(in_language(set.names[set.median]))}));
  if (sums.out_of_memory) {
    wrapped_text(theme.error, filled(Text::set_failed, {shown_bytes_text(sums.out_of_memory->asked),
                                                        shown_bytes_text(sums.out_of_memory->device_free)}));
  }
}

/// Draws the members with their peaks, outliers first, while none is selected. A click selects a member.
void draw_members(SetState& state, const SnapshotSet& set, bool keyboard) {
  constexpr std::size_t kMostMembers = 200;
  wrapped_text(state.theme.text_dim, tr(Text::set_none_selected));
  const auto highest = static_cast<double>(std::max<std::uint64_t>(1, set.highest_peak));
  std::optional<std::uint32_t> clicked;
  for (const std::uint32_t i : std::span(set.order).first(std::min(set.order.size(), kMostMembers))) {
    const std::uint64_t peak = set.members[i].sums.peak_bytes;
    ImGui::PushID(static_cast<int>(i));
    if (draw_top_row({escaped(in_language(set.names[i])), shown_bytes_text(peak),
                      static_cast<double>(peak) / highest, SetCurves::color_of(state, i)},
                     {state.theme, state.scale, keyboard}))
      clicked = i;
    ImGui::PopID();
  }
  if (set.order.size() > kMostMembers)
    wrapped_text(state.theme.text_dim, filled(Text::and_more, {grouped(set.order.size() - kMostMembers)}));
  if (clicked) state.select(clicked);
}

void draw_group_choice(SetState& state) {
  const auto& groups = kind_named(snapshot_set_table_kinds(), "snapshot-differences")->groups;
  const auto now = static_cast<std::size_t>(state.by);
  ImGui::SetNextItemWidth(state.px(170));
  if (ImGui::BeginCombo("##by", in_language(groups[now].title).c_str())) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (ImGui::Selectable(in_language(groups[i].title).c_str(), i == now)) state.group_by(sums_by(i));
    }
    ImGui::EndCombo();
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", hint_with_key(Text::command_set_group, CommandId::set_group).c_str());
}

void draw_difference_rows(const SetState& state, bool keyboard) {
  const SnapshotSet* const set = state.set();
  const bool typical = set == nullptr || set->typical;
  const std::array titles{tr(Text::set_column_place), tr(Text::set_column_difference),
                          tr(Text::set_column_selected),
                          tr(typical ? Text::set_column_median : Text::set_column_reference)};
  if (!begin_figure_list("differences", titles, ImGui::GetContentRegionAvail(),
                         {state.theme, state.scale, keyboard}))
    return;
  std::int64_t most = 1;
  for (const SumDifference& row : state.differences) most = std::max(most, std::abs(row.difference()));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(state.differences.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const SumDifference& row = state.differences[static_cast<std::size_t>(i)];
      const std::string name = escaped(in_language(row.name));
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float width = ImGui::GetContentRegionAvail().x;
      colored_text(state.theme.text, fitted_in_middle(name, width));
      if (ImGui::IsItemHovered())
        ImGui::SetTooltip("%s", escaped(row.key == row.name ? in_language(row.name) : row.key).c_str());
      // The bar is red for more and blue for less memory. Its length is relative to the largest difference.
      const double share = static_cast<double>(std::abs(row.difference())) / static_cast<double>(most);
      const float bottom = at.y + ImGui::GetTextLineHeight() + state.px(2);
      ImGui::GetWindowDrawList()->AddRectFilled(
          {at.x, bottom - state.px(2)}, {at.x + std::max(1.0F, width * static_cast<float>(share)), bottom},
          row.difference() > 0 ? state.theme.error : state.theme.accent);
      ImGui::TableNextColumn();
      right_aligned_text(row.difference() > 0 ? state.theme.error : state.theme.accent,
                         signed_words(row.difference()));
      ImGui::TableNextColumn();
      right_aligned_text(state.theme.text, shown_bytes_text(row.bytes));
      ImGui::TableNextColumn();
      right_aligned_text(state.theme.text_dim, shown_bytes_text(row.median_bytes));
    }
  }
  ImGui::EndTable();
}

}  // namespace

void draw_differences(SetState& state, bool keyboard) {
  const Box& box = state.boxes.side;
  if (box.width() < state.px(80) || box.height() < state.px(60)) return;
  ImGui::SetCursorScreenPos(left_top(box));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, state.theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * state.scale, 8 * state.scale});
  ImGui::BeginChild("side", {box.width(), box.height()}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  const SnapshotSet* const set = state.set();
  if (set != nullptr && !state.selected) draw_members(state, *set, keyboard);
  if (set != nullptr && state.selected) {
    draw_side_head(state, *set, *state.selected);
    draw_group_choice(state);
    ImGui::SameLine();
    if (flat_button(tr(Text::open),
                    hint_with_key(Text::command_open_set_member, CommandId::open_set_member).c_str()))
      state.request_open(*state.selected);
    if (*state.selected == set->median) {
      wrapped_text(state.theme.text_dim, tr(Text::set_median_hint));
    } else if (state.differences.empty()) {
      wrapped_text(state.theme.text_dim, tr(Text::set_no_difference));
    } else {
      draw_difference_rows(state, keyboard);
    }
  }
  ImGui::EndChild();
}

}  // namespace kino
