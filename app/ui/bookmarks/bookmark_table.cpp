#include "app/ui/bookmarks/bookmark_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/view/slice_look.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

std::string_view name_of(const PlacedBookmark& placed) {
  return placed.mark.slice ? std::string_view(placed.mark.slice->name) : std::string_view();
}

/// "aten::mm · thread 4242 (python)", and what is to be said about finding it.
std::string what_text(const Trace& trace, const PlacedBookmark& placed) {
  if (!placed.mark.slice)
    return tr(placed.range.length_ns() > 0 ? Text::bookmarks_range : Text::bookmarks_point);
  std::string name = SliceLook::short_text(placed.mark.slice->name);
  if (placed.found.slice == kNoSlice) return name;
  const Row& row = trace.row(trace.row_of(placed.found.slice));
  return name + " · " + name_text(trace, index_of(row.track));
}

const char* warning_of(const PlacedBookmark& placed) {
  if (placed.found.match == SliceMatch::nearest) return tr(Text::bookmarks_nearest);
  if (!placed.inside) return tr(Text::bookmarks_outside);
  return placed.found.match == SliceMatch::lost ? tr(Text::bookmarks_not_found) : nullptr;
}

}  // namespace

std::vector<std::uint32_t> ordered_bookmarks(std::span<const PlacedBookmark> bookmarks, BookmarkColumn column,
                                             bool ascending) {
  std::vector<std::uint32_t> rows(bookmarks.size());
  std::iota(rows.begin(), rows.end(), 0U);
  const auto before = [&](const PlacedBookmark& a, const PlacedBookmark& b) {
    switch (column) {
      case BookmarkColumn::number:
        break;
      case BookmarkColumn::text:
        return a.mark.text < b.mark.text;
      case BookmarkColumn::time:
        return a.range.begin_ns < b.range.begin_ns;
      case BookmarkColumn::duration:
        return a.range.length_ns() < b.range.length_ns();
      case BookmarkColumn::what:
        return name_of(a) < name_of(b);
    }
    return a.mark.number < b.mark.number;
  };
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    return ascending ? before(bookmarks[a], bookmarks[b]) : before(bookmarks[b], bookmarks[a]);
  });
  return rows;
}

BookmarkTable::Actions BookmarkTable::draw(const Trace& trace, Bookmarks& bookmarks, std::uint64_t current,
                                           ImVec2 size, const Theme& theme, float ui_scale) {
  Actions actions;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * ui_scale, 8 * ui_scale});
  ImGui::BeginChild("bookmarks", size, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  draw_tools(bookmarks, theme, ui_scale, actions);
  if (bookmarks.all().empty()) {
    const std::string key = key_text(CommandId::set_bookmark);
    wrapped_text(theme.text_dim,
                 filled(Text::bookmarks_none, {key.empty() ? tr(Text::bookmarks_set) : key.c_str()}));
  } else {
    draw_table(trace, bookmarks, current, theme, ui_scale, actions);
  }
  ImGui::EndChild();
  if (deleted_ != 0) bookmarks.remove(std::exchange(deleted_, 0));
  return actions;
}

void BookmarkTable::draw_tools(Bookmarks& bookmarks, const Theme& theme, float ui_scale, Actions& actions) {
  const float gap = std::round(6 * ui_scale);
  actions.set = flat_button(with_id(Text::bookmarks_set, "set").c_str(),
                            hint_with_key(Text::bookmarks_set_hint, CommandId::set_bookmark).c_str());
  ImGui::SameLine(0, gap);
  if (flat_button(with_id(Text::bookmarks_export, "export").c_str(),
                  hint_with_key(Text::bookmarks_export_hint, CommandId::export_bookmarks).c_str())) {
    actions.save = true;
  }
  ImGui::SameLine(0, gap);
  actions.import =
      flat_button(with_id(Text::bookmarks_import, "import").c_str(),
                  hint_with_key(Text::bookmarks_import_hint, CommandId::import_bookmarks).c_str());
  ImGui::SameLine(0, 2 * gap);
  ImGui::AlignTextToFramePadding();
  if (bookmarks.removed()) {
    colored_text(theme.text, filled(Text::bookmarks_deleted, {std::to_string(bookmarks.removed()->number)}));
    ImGui::SameLine(0, gap);
    if (flat_button(with_id(Text::bookmarks_undo, "undo").c_str(),
                    hint_with_key(Text::bookmarks_undo_hint, CommandId::restore_bookmark).c_str())) {
      bookmarks.restore();
    }
  } else if (const std::string message = bookmarks.message(); !message.empty()) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y}, width,
                bookmarks.message_is_problem() ? theme.warning : theme.text, message, Elide::middle);
    ImGui::Dummy({std::max(1.0F, width), ImGui::GetFrameHeight()});
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", message.c_str());
  } else {
    ImGui::NewLine();
  }
}

void BookmarkTable::draw_row(const Trace& trace, Bookmarks& bookmarks, const PlacedBookmark& placed,
                             bool current, const Theme& theme, float ui_scale, Actions& actions) {
  const std::uint64_t id = placed.mark.id;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(placed.mark.number));
  const ImVec2 start = ImGui::GetCursorPos();
  constexpr ImGuiSelectableFlags kFlags =
      ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap;
  if (ImGui::Selectable("##row", current, kFlags, {0, line})) actions.go_to = id;
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImGui::SetCursorPos(start);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = std::round(10 * ui_scale);
  const float top = std::floor(at.y + (line - side) / 2);
  list.AddRectFilled({at.x, top}, {at.x + side, top + side}, bookmark_color(placed.mark.color, theme),
                     side * 0.25F);
  right_aligned_text(theme.text, std::to_string(placed.mark.number));

  ImGui::TableNextColumn();
  text_.fill('\0');
  std::memcpy(text_.data(), placed.mark.text.data(), std::min(placed.mark.text.size(), kMostNoteBytes));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {std::round(4 * ui_scale), 0});
  ImGui::SetNextItemWidth(-1);
  // While it is typed in, the field has its own copy; the text comes back here when it is left.
  ImGui::InputTextWithHint("##text", tr(Text::bookmarks_note_empty), text_.data(), text_.size());
  ImGui::PopStyleVar();
  if (ImGui::IsItemActive()) bookmarks.add_glyphs(text_.data());
  const bool edited = ImGui::IsItemDeactivatedAfterEdit();

  ImGui::TableNextColumn();
  right_aligned_text(theme.text_dim, seconds_text(placed.range.begin_ns));
  ImGui::TableNextColumn();
  right_aligned_text(theme.text,
                     placed.range.length_ns() > 0 ? text_from_duration(placed.range.length_ns()) : "");

  ImGui::TableNextColumn();
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 what = ImGui::GetCursorScreenPos();
  float used = 0;
  if (const char* warning = warning_of(placed)) {
    used = draw_cell_text(list, what, width, theme.warning, warning) + std::round(8 * ui_scale);
  }
  draw_cell_text(list, {what.x + used, what.y}, width - used, theme.text_dim, what_text(trace, placed));
  ImGui::Dummy({std::max(1.0F, width), line});

  ImGui::TableNextColumn();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {std::round(4 * ui_scale), 0});
  if (flat_button(with_id(Text::bookmark_delete, "delete").c_str(),
                  hint_with_key(Text::bookmarks_row_delete_hint, CommandId::restore_bookmark).c_str())) {
    deleted_ = id;
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  if (edited) bookmarks.set_text(id, text_.data());  // last: `placed` is another one then
}

void BookmarkTable::draw_table(const Trace& trace, Bookmarks& bookmarks, std::uint64_t current,
                               const Theme& theme, float ui_scale, Actions& actions) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_Resizable |
                                     ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Sortable;
  if (!ImGui::BeginTable("bookmarks", 6, kFlags)) return;
  const auto column = [](Text title, float weight, BookmarkColumn id) {
    ImGui::TableSetupColumn(with_id(title, name_of(title)).c_str(), 0, weight, static_cast<ImGuiID>(id));
  };
  const ImGuiTableColumnFlags fixed = ImGuiTableColumnFlags_WidthFixed;
  ImGui::TableSetupScrollFreeze(0, 1);
  const float sort_arrow = std::round(20 * ui_scale);
  ImGui::TableSetupColumn(with_id(Text::bookmarks_column_number, "number").c_str(), fixed,
                          std::max(56 * ui_scale, text_width(tr(Text::bookmarks_column_number)) + sort_arrow),
                          static_cast<ImGuiID>(BookmarkColumn::number));
  column(Text::bookmarks_column_note, 4, BookmarkColumn::text);
  column(Text::drawer_time, 1.5F, BookmarkColumn::time);
  column(Text::drawer_duration, 1, BookmarkColumn::duration);
  column(Text::bookmarks_column_what, 4, BookmarkColumn::what);
  ImGui::TableSetupColumn(
      "##delete", fixed | ImGuiTableColumnFlags_NoSort,
      std::max(60 * ui_scale, text_width(tr(Text::bookmark_delete)) + std::round(8 * ui_scale)));
  ImGui::TableHeadersRow();
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  const bool stale = generation_ != bookmarks.generation() || rows_.size() != bookmarks.all().size();
  if (specs != nullptr && (specs->SpecsDirty || stale)) {
    const bool given = specs->SpecsCount > 0;
    rows_ = ordered_bookmarks(
        bookmarks.all(),
        given ? static_cast<BookmarkColumn>(specs->Specs[0].ColumnUserID) : BookmarkColumn::number,
        !given || specs->Specs[0].SortDirection != ImGuiSortDirection_Descending);
    generation_ = bookmarks.generation();
    specs->SpecsDirty = false;
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows_.size()));
  const std::uint64_t generation = bookmarks.generation();
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      if (bookmarks.generation() != generation) continue;  // edited: the rest is drawn in the next frame
      const PlacedBookmark& placed = bookmarks.all()[rows_[static_cast<std::size_t>(i)]];
      draw_row(trace, bookmarks, placed, placed.mark.id == current, theme, ui_scale, actions);
    }
  }
  ImGui::EndTable();
}

}  // namespace kino
