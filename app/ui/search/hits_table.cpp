#include "app/ui/search/hits_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/core_sentences.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/csv_text.hpp"

namespace kino {
namespace {

std::uint32_t track_of_slice(const Trace& trace, SliceId slice) { return index_of(trace.track_of(slice)); }

/// Cut where the column ends.
void elided(std::string_view text, std::uint32_t color, Elide elide) {
  const float width = ImGui::GetContentRegionAvail().x;
  draw_cell_text(*ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), width, color, text, elide);
}

}  // namespace

std::string csv_of(const Trace& trace, std::span<const SliceId> slices) {
  std::string csv = "name,kind,track,start_ns,duration_ns\r\n";
  for (const SliceId slice : slices) {
    const std::uint32_t i = index_of(slice);
    csv += csv_cell(trace.name_of(slice)) + ',' + std::string(text_of(trace.slices.kind[i])) + ',' +
           csv_cell(trace.tracks[track_of_slice(trace, slice)].name) + ',' +
           std::to_string(trace.slices.start_ns[i]) + ',' + std::to_string(trace.slices.duration_ns[i]) +
           "\r\n";
  }
  return csv;
}

void HitsTable::update(const std::shared_ptr<const SearchAnswer>& answer) {
  if (answer != answer_) {
    answer_ = answer;
    order_stale_ = true;
    followed_ = kNoSlice;
  }
  if (std::exchange(order_stale_, false)) {
    if (answer_ == nullptr || answer_->hits == nullptr || order_ == HitOrder{}) {
      sorted_.reset();
    } else {
      sorted_.start(
          pool_, wake_,
          [trace = look_.shared_trace(), answer = answer_, order = order_](const std::stop_token& stop) {
            return Sorted{answer,
                          ordered_hits(*trace, *answer->hits, order, SearchAnswer::kMostListed, stop)};
          });
    }
  }
  sorted_.poll();
}

std::span<const SliceId> HitsTable::rows() const {
  if (answer_ == nullptr) return {};
  const Sorted* sorted = sorted_.value();
  return sorted != nullptr && sorted->answer == answer_ ? sorted->rows : answer_->listed;
}

SliceId HitsTable::draw(SliceId selected, ImVec2 size, const Theme& theme, float ui_scale, bool keyboard) {
  SliceId clicked = kNoSlice;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * ui_scale, 8 * ui_scale});
  ImGui::BeginChild("hits", size, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  if (answer_ == nullptr) {
    const std::string key = key_text(CommandId::search);
    wrapped_text(theme.text_dim,
                 filled(Text::hits_none_yet, {key.empty() ? tr(Text::command_search) : key.c_str()}));
  } else if (!answer_->error.empty()) {
    wrapped_text(theme.error, in_language(answer_->error));
  } else if (answer_->listed.empty()) {
    wrapped_text(theme.text_dim, tr(Text::hits_none));
  } else {
    draw_tools(theme, keyboard);
    clicked = draw_rows(selected, theme, ui_scale);
  }
  ImGui::EndChild();
  return clicked;
}

void HitsTable::draw_tools(const Theme& theme, bool keyboard) {
  const bool copied = ImGui::GetTime() - copied_at_ < kCopiedSeconds;
  const ImGuiIO& io = ImGui::GetIO();
  const bool key = keyboard && !io.WantTextInput && io.KeyCtrl && !io.KeyShift && key_pressed('C');
  if (flat_button(with_id(copied ? Text::copied : Text::range_copy_csv, "copy").c_str(),
                  tr(Text::range_copy_csv_hint)) ||
      key) {
    ImGui::SetClipboardText(csv_of(look_.trace(), rows()).c_str());
    copied_at_ = ImGui::GetTime();
  }
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const std::size_t listed = rows().size();
  std::string note;
  if (sorted_.running()) {
    note = filled(Text::hits_sorting, {grouped(answer_->total)});
  } else if (listed < answer_->total) {
    note = filled(Text::hits_first, {grouped(listed), grouped(answer_->total)});
  } else {
    note = counted(Text::search_one_hit, Text::search_hits, listed);
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y}, room,
              theme.text_dim, note);
  ImGui::NewLine();
}

void HitsTable::take_order() {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty || specs->SpecsCount == 0) return;
  const HitOrder before = order_;
  order_.column = static_cast<HitColumn>(specs->Specs[0].ColumnIndex);
  order_.ascending = specs->Specs[0].SortDirection == ImGuiSortDirection_Ascending;
  specs->SpecsDirty = false;
  order_stale_ = order_stale_ || order_ != before;
}

/// Brings the selected hit into sight when it has become another one.
void HitsTable::follow(SliceId selected) {
  if (selected == followed_ || sorted_.running()) return;
  followed_ = selected;
  const std::span<const SliceId> shown = rows();
  const auto found = std::find(shown.begin(), shown.end(), selected);
  if (found == shown.end()) return;
  const float top = static_cast<float>(found - shown.begin()) * table_row_height();
  const float window = ImGui::GetWindowHeight() - 2 * table_row_height();
  if (top >= ImGui::GetScrollY() && top + table_row_height() <= ImGui::GetScrollY() + window) return;
  ImGui::SetScrollY(std::max(0.0F, top - window / 2));
}

SliceId HitsTable::draw_rows(SliceId selected, const Theme& theme, float ui_scale) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  SliceId clicked = kNoSlice;
  if (!ImGui::BeginTable("hits", 4, kFlags)) return clicked;
  constexpr ImGuiTableColumnFlags kFixed = ImGuiTableColumnFlags_WidthFixed;
  ImGui::TableSetupScrollFreeze(0, 1);
  const auto column = [](Text title, ImGuiTableColumnFlags flags, float width) {
    ImGui::TableSetupColumn(with_id(title, name_of(title)).c_str(), flags, width);
  };
  const float duration = std::max(text_width("1 234.5 ms"), text_width(tr(Text::drawer_duration)));
  column(Text::range_name, ImGuiTableColumnFlags_WidthStretch, 5);
  column(Text::drawer_track, ImGuiTableColumnFlags_WidthStretch, 2);
  column(Text::drawer_start, kFixed | ImGuiTableColumnFlags_DefaultSort, text_width("1 000.000 000 000 s"));
  column(Text::drawer_duration, kFixed | ImGuiTableColumnFlags_PreferSortDescending,
         duration + std::round(14 * ui_scale));
  ImGui::TableHeadersRow();
  take_order();
  follow(selected);
  const std::span<const SliceId> shown = rows();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown.size()), table_row_height());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const SliceId hit = shown[static_cast<std::size_t>(i)];
      if (draw_hit(hit, hit == selected, theme, ui_scale)) clicked = hit;
    }
  }
  clipper.End();
  ImGui::EndTable();
  if (clicked != kNoSlice) followed_ = clicked;
  return clicked;
}

bool HitsTable::draw_hit(SliceId hit, bool selected, const Theme& theme, float ui_scale) const {
  const Trace& trace = look_.trace();
  const std::uint32_t i = index_of(hit);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(i));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool clicked = ImGui::Selectable("##hit", selected, ImGuiSelectableFlags_SpanAllColumns);
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImGui::PopID();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float radius = std::round(4 * ui_scale);
  const float indent = 2 * radius + std::round(6 * ui_scale);
  list.AddCircleFilled({at.x + radius, std::floor(at.y + ImGui::GetTextLineHeight() / 2)}, radius,
                       look_.color_of(hit));
  draw_cell_text(list, {at.x + indent, at.y}, width - indent, theme.text, look_.name_text(trace.name_of(hit)),
                 Elide::middle);
  ImGui::TableNextColumn();
  elided(name_text(trace, track_of_slice(trace, hit)), theme.text_dim, Elide::middle);
  ImGui::TableNextColumn();
  right_aligned_text(theme.text_dim, seconds_text(trace.slices.start_ns[i]));
  ImGui::TableNextColumn();
  right_aligned_text(theme.text, text_from_duration(trace.slices.duration_ns[i]));
  return clicked;
}

}  // namespace kino
