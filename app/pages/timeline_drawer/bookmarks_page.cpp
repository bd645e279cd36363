#include "app/pages/timeline_drawer/bookmarks_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "app/ui/bookmarks/bookmark_table.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/figure_list.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr TableInfo kBookmarkTable{.name = "bookmarks", .title = msg::nothing, .about = msg::nothing};
constexpr std::array kBookmarkKinds{&kBookmarkTable};

}  // namespace

/// Draws the cells that are not plain text: colors, note fields, problems, and delete buttons.
class BookmarksPage::RowCells : public RowStyle {
 public:
  RowCells(const BookmarksPage& page, const DrawContext& look, std::array<char, kMostNoteBytes + 1>& text,
           Edits& edits)
      : page_(page), look_(look), text_(text), edits_(edits) {}

  /// Returns the bookmark of a row; null if it has just been deleted.
  const PlacedBookmark* placed(const Table& table, std::uint32_t row) const {
    const auto& numbers = std::get<TableColumn::Integers>(table.columns.front().values);
    return page_.bookmarks_.numbered(static_cast<std::uint32_t>(numbers[row]));
  }
  std::optional<std::uint32_t> color_of(const Table& table, std::uint32_t row) const override {
    const PlacedBookmark* const bookmark = placed(table, row);
    return bookmark == nullptr ? std::nullopt
                               : std::optional(bookmark_color(bookmark->mark.color, look_.theme));
  }
  std::optional<std::string> text_of_cell(const Table& table, std::size_t column,
                                          std::uint32_t row) const override {
    if (column != static_cast<std::size_t>(BookmarkColumn::time)) return std::nullopt;
    return exact_time_text(std::get<TableColumn::Integers>(table.columns[column].values)[row],
                           ruler_unit_ns(page_.state_.trace->content.end_ns));
  }
  bool is_marked(const Table& table, std::uint32_t row) const override {
    const PlacedBookmark* const bookmark = placed(table, row);
    return bookmark != nullptr && bookmark->mark.id == page_.flags_.current();
  }
  bool draw_cell(ImDrawList& list, const Table& table, std::size_t column, std::uint32_t row, ImVec2 from,
                 ImVec2 to) const override {
    const PlacedBookmark* const bookmark = placed(table, row);
    if (bookmark == nullptr) return false;
    switch (static_cast<BookmarkColumn>(column)) {
      case BookmarkColumn::number: {
        const float side = std::round(10 * look_.scale);
        const float top = std::floor((from.y + to.y - side) / 2);
        list.AddRectFilled({from.x, top}, {from.x + side, top + side},
                           bookmark_color(bookmark->mark.color, look_.theme), side * 0.25F);
        return false;
      }
      case BookmarkColumn::text:
        draw_note(*bookmark);
        return true;
      case BookmarkColumn::what:
        draw_subject(list, *bookmark, from, to);
        return true;
      default:
        return false;
    }
  }

 private:
  void draw_note(const PlacedBookmark& bookmark) const {
    text_.fill('\0');
    std::memcpy(text_.data(), bookmark.mark.text.data(), std::min(bookmark.mark.text.size(), kMostNoteBytes));
    ImGui::PushID(static_cast<int>(bookmark.mark.number));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {std::round(4 * look_.scale), 0});
    ImGui::SetNextItemWidth(-1);
    // ImGui keeps its own copy of a text that is being edited. The text is stored when the field loses focus.
    ImGui::InputTextWithHint("##text", tr(Text::bookmarks_note_empty), text_.data(), text_.size());
    ImGui::PopStyleVar();
    if (ImGui::IsItemActive()) page_.bookmarks_.add_glyphs(text_.data());
    if (ImGui::IsItemDeactivatedAfterEdit()) {
      edits_.id = bookmark.mark.id;
      edits_.text = text_.data();
    }
    ImGui::PopID();
  }

  void draw_subject(ImDrawList& list, const PlacedBookmark& bookmark, ImVec2 from, ImVec2 to) const {
    const float gap = std::round(8 * look_.scale);
    const float button = flat_button_width(tr(Text::bookmark_delete));
    const float room = std::max(0.0F, to.x - from.x - button - gap);
    float used = 0;
    if (const char* const problem = problem_text(bookmark))
      used = draw_cell_text(list, from, room, look_.theme.warning, problem) + gap;
    draw_cell_text(list, {from.x + used, from.y}, room - used, look_.theme.text_dim,
                   subject_text(*page_.state_.trace, bookmark));
    ImGui::SetCursorScreenPos({from.x + room + gap, from.y});
    ImGui::PushID(static_cast<int>(bookmark.mark.number));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {std::round(4 * look_.scale), 0});
    if (flat_button(with_id(Text::bookmark_delete, "delete").c_str(),
                    hint_with_key(Text::bookmarks_row_delete_hint, CommandId::restore_bookmark).c_str())) {
      edits_.removed = bookmark.mark.id;
    }
    ImGui::PopStyleVar();
    ImGui::PopID();
  }

  const BookmarksPage& page_;
  const DrawContext& look_;
  std::array<char, kMostNoteBytes + 1>& text_;
  Edits& edits_;
};

BookmarksPage::BookmarksPage(const TimelineHost& host, Bookmarks& bookmarks, const BookmarkFlags& flags)
    : state_(host.state),
      page_requests_(host.page_requests),
      bookmarks_(bookmarks),
      flags_(flags),
      tab_(kBookmarkKinds, {}, host.file, host.pool, host.wake) {}

std::string BookmarksPage::note() const {
  return bookmarks_.all().empty() ? std::string() : grouped(bookmarks_.all().size());
}

// The key is handled here, because command() would set DrawerChoice::refused: a drawer that this key closes
// opens again on the next selection.
void BookmarksPage::handle_keys(bool shown) {
  tab_.handle_keys(shown);
  if (!command_pressed(CommandId::list_bookmarks)) return;
  state_.drawer.show(id());
  state_.drawer.open = !shown;
}

void BookmarksPage::update(bool shown) {
  const std::pair<std::uint64_t, int> now{bookmarks_.generation(), static_cast<int>(language())};
  if (shown && std::exchange(computed_for_, now) != now) {
    // The table is computed on this thread: it has at most kMostBookmarks rows, and its texts depend on the
    // window's language.
    tab_.set_compute([table = bookmark_table(*state_.trace, bookmarks_.all())](
                         const TableResultQuery&, const std::stop_token&) -> Result<Table> { return table; },
                     OldRows::keep);
  }
  tab_.update(shown, TableResultQuery());
}

void BookmarksPage::write_test_state(nlohmann::ordered_json& panel) const {
  panel["bookmark_table"] = table_state(tab_);
}

void BookmarksPage::draw_tools(const DrawContext& look) {
  const float gap = std::round(6 * look.scale);
  const auto button = [&](Text label, const char* button_id, Text hint, CommandId command) {
    const bool clicked = flat_button(with_id(label, button_id).c_str(), hint_with_key(hint, command).c_str());
    ImGui::SameLine(0, gap);
    return clicked;
  };
  page_requests_.set_bookmark =
      button(Text::bookmarks_set, "set", Text::bookmarks_set_hint, CommandId::set_bookmark);
  page_requests_.save_note =
      button(Text::bookmarks_export, "save", Text::bookmarks_export_hint, CommandId::export_bookmarks);
  page_requests_.import_bookmarks =
      button(Text::bookmarks_import, "import", Text::bookmarks_import_hint, CommandId::import_bookmarks);
  if (!bookmarks_.all().empty()) {
    tab_.draw_filter(look.scale);
    tab_.draw_columns();
    tab_.draw_export(look.keyboard);
  }
  draw_message(look);
}

void BookmarksPage::draw_message(const DrawContext& look) {
  ImGui::AlignTextToFramePadding();
  const std::string message = bookmarks_.message();
  if (bookmarks_.removed()) {
    colored_text(look.theme.text,
                 filled(Text::bookmarks_deleted, {std::to_string(bookmarks_.removed()->number)}));
    ImGui::SameLine();
    if (flat_button(with_id(Text::bookmarks_undo, "undo").c_str(),
                    hint_with_key(Text::bookmarks_undo_hint, CommandId::restore_bookmark).c_str())) {
      bookmarks_.restore();
    }
  } else if (!message.empty()) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y}, width,
                bookmarks_.message_is_problem() ? look.theme.warning : look.theme.text, message,
                Elide::middle);
    ImGui::Dummy({std::max(1.0F, width), ImGui::GetFrameHeight()});
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", message.c_str());
  } else {
    tab_.draw_status(look.theme);
  }
}

void BookmarksPage::draw(ImVec2 size, const DrawContext& look) {
  begin_page("bookmarks", size, look);
  tab_.begin_alone(ImGui::GetContentRegionAvail());
  draw_tools(look);
  Edits edits;
  if (bookmarks_.all().empty()) {
    const std::string key = key_text(CommandId::set_bookmark);
    wrapped_text(look.theme.text_dim,
                 filled(Text::bookmarks_none, {key.empty() ? tr(Text::bookmarks_set) : key.c_str()}));
  } else {
    const RowCells cells(*this, look, text_, edits);
    const TableGrid::Actions done =
        tab_.draw_rows(ImGui::GetContentRegionAvail(), cells, look.theme, look.scale);
    const PlacedBookmark* const chosen =
        done.go_to ? cells.placed(tab_.matching_rows()->answer->table, *done.go_to) : nullptr;
    page_requests_.go_to_bookmark = chosen != nullptr ? chosen->mark.id : 0;
  }
  TableTab::end();
  ImGui::EndChild();
  if (edits.id != 0) bookmarks_.set_text(edits.id, edits.text);
  if (edits.removed != 0) bookmarks_.remove(edits.removed);
}

}  // namespace kino
