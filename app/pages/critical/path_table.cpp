#include "app/pages/critical/path_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::array<Text, kPathTabs> kTabTitles{Text::critical_by_cause, Text::critical_by_name,
                                                 Text::critical_by_rank, Text::critical_by_step,
                                                 Text::critical_longest};

void draw_tabs(CriticalState& state) {
  const Box& box = state.boxes.table;
  const float em = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({box.left, box.top + 0.5F}, {box.right, box.top + 0.5F}, state.theme.border);
  const float height = std::floor(2 * em);
  float x = box.left + state.px(6);
  for (const PathTab tab : state.tabs()) {
    const char* const title = tr(kTabTitles[static_cast<std::size_t>(tab)]);
    const float width = std::ceil(text_width(title)) + state.px(16);
    if (x + width > box.right) break;
    const Box place{x, box.top + 1, x + width, box.top + height};
    place_button(tab_key(tab), place);
    if (ImGui::IsItemClicked()) state.tab = tab;
    const bool current = state.tab == tab;
    list.AddText({x + state.px(8), std::floor(box.top + (height - em) / 2)},
                 current || ImGui::IsItemHovered() ? state.theme.text : state.theme.text_dim, title);
    if (current) {
      list.AddRectFilled({x + state.px(4), place.bottom - state.px(2)},
                         {place.right - state.px(4), place.bottom}, state.theme.accent);
    }
    x += width;
  }
  const std::string sums =
      filled(Text::critical_sums,
             {grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, state.content->window_ns())))});
  const float left = box.right - state.px(14) - text_width(sums);
  if (left > x + em)
    list.AddText({left, std::floor(box.top + (height - em) / 2)}, state.theme.text_dim, sums.c_str());
}

class PathRows {
 public:
  explicit PathRows(CriticalState& state)
      : state_(state), table_(state.content->tables[static_cast<std::size_t>(state.tab)]) {}

  void draw() {
    const Box& box = state_.boxes.table;
    const float em = ImGui::GetFontSize();
    const bool left_out = table_.rows.size() < table_.all_rows;
    const float note = left_out ? 1.7F * em : 0;
    ImGui::SetCursorScreenPos({box.left + state_.px(8), box.top + 2.1F * em});
    const ImVec2 size{box.width() - state_.px(16), std::max(1.0F, box.height() - 2.4F * em - note)};
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY |
                                       ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerH |
                                       ImGuiTableFlags_SizingFixedFit;
    if (ImGui::BeginTable(tab_key(state_.tab), by_step() || lists_ranks() ? 6 : 5, kFlags, size)) {
      draw_headers(em);
      ImGuiListClipper clipper;
      clipper.Begin(static_cast<int>(table_.rows.size()));
      while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw_row(static_cast<std::size_t>(i));
      }
      ImGui::EndTable();
    }
    if (!left_out) return;
    draw_elided(*ImGui::GetWindowDrawList(), {box.left + state_.px(14), box.bottom - note},
                box.width() - state_.px(28), state_.theme.text_dim,
                filled(Text::critical_rows_left, {grouped(table_.rows.size()), grouped(table_.all_rows)}));
  }

 private:
  bool by_step() const { return state_.tab == PathTab::step; }
  bool by_rank() const { return state_.tab == PathTab::rank; }
  /// Whether there is a column with the rank beside the causes.
  bool lists_ranks() const { return state_.tab == PathTab::longest && state_.of_job(); }
  bool has_names() const { return state_.tab == PathTab::name || state_.tab == PathTab::longest; }

  void draw_headers(float em) const {
    const auto add = [](const std::string& title, float width) {
      ImGui::TableSetupColumn(
          title.c_str(), width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
          width);
    };
    ImGui::TableSetupScrollFreeze(0, 1);
    if (by_step()) add(in_language(msg::step), 5 * em);
    if (lists_ranks()) add(in_language(msg::rank), 5 * em);
    add(in_language(by_rank() ? msg::rank : msg::cause), 14 * em);
    add(in_language(msg::time), 7 * em);
    add(in_language(msg::share), 6 * em);
    add(in_language(msg::path_pieces), 6 * em);
    add(has_names() ? in_language(msg::name) : std::string(tr(Text::critical_column_longest)), 0);
    ImGui::TableHeadersRow();
  }

  void draw_row(std::size_t index) const {
    const PathRow& row = table_.rows[index];
    const Theme& theme = state_.theme;
    ImGui::TableNextRow();
    ImGui::PushID(static_cast<int>(index));
    ImGui::TableNextColumn();
    const bool selected = state_.tab == PathTab::longest && state_.piece == index;
    if (ImGui::Selectable("##row", selected, ImGuiSelectableFlags_SpanAllColumns)) {
      if (state_.tab == PathTab::longest) state_.piece = index;
      open(row, index);
    }
    ImGui::SameLine(0, 0);
    if (by_step() || lists_ranks()) {
      fitted_text(theme.text, by_step() ? escaped(row.step) : std::to_string(row.rank));
      ImGui::TableNextColumn();
    }
    if (by_rank()) {
      fitted_text(theme.text, std::to_string(row.rank));
    } else {
      draw_cause(row.cause);
    }
    ImGui::TableNextColumn();
    right_aligned_text(theme.text, text_from_duration(row.time_ns));
    ImGui::TableNextColumn();
    const auto window = static_cast<double>(std::max<std::int64_t>(1, row.window_ns));
    right_aligned_text(theme.text_dim, text_from_share(static_cast<double>(row.time_ns) / window));
    ImGui::TableNextColumn();
    right_aligned_text(theme.text_dim,
                       grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.pieces))));
    ImGui::TableNextColumn();
    fitted_text(theme.text_dim, escaped(has_names() ? row.name : table_.longest[index]));
    ImGui::PopID();
  }

  void draw_cause(PathCause cause) const {
    const float em = ImGui::GetFontSize();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float side = std::floor(0.7F * em);
    const float top = at.y + std::floor((em - side) / 2);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side},
                                              cause_color(cause, state_.theme));
    ImGui::SetCursorScreenPos({at.x + side + state_.px(6), at.y});
    fitted_text(state_.theme.text, in_language(title_of(cause)));
  }

  /// Shows the piece, or the event of the longest piece of the row.
  void open(const PathRow& row, std::size_t index) const {
    if (state_.tab == PathTab::longest) {
      state_.open_piece(state_.content->path.pieces[state_.content->longest[index]]);
    } else {
      state_.open_slice(row.longest, row.recording);
    }
  }

  CriticalState& state_;
  const PathTable& table_;
};

}  // namespace

void draw_path_table(CriticalState& state) {
  if (state.boxes.table.height() < 5 * ImGui::GetFontSize()) return;
  draw_tabs(state);
  PathRows(state).draw();
}

const char* tab_key(PathTab tab) {
  constexpr std::array<const char*, kPathTabs> kKeys{"cause", "name", "rank", "step", "longest"};
  return kKeys[static_cast<std::size_t>(tab)];
}

}  // namespace kino
