#include "app/ui/tables/table_export.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "app/ui/text/table_text.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/gpu/time_base.hpp"

namespace kino {
namespace {

std::string text_in(const Table& table, std::span<const std::uint32_t> rows, TableFormat format) {
  if (format == TableFormat::json) return table_json(table, rows);
  return format == TableFormat::markdown ? table_markdown(table, rows) : table_csv(table, rows);
}

const char* extension_of(TableFormat format) {
  if (format == TableFormat::json) return ".json";
  return format == TableFormat::markdown ? ".md" : ".csv";
}

std::string notes_text(const Table& table) {
  std::string text;
  for (const Message& note : table.notes) text += (text.empty() ? "" : "  ") + in_language(note);
  return text;
}

}  // namespace

void TableExport::draw_button(const TableResults::Rows* rows,
                              const std::function<void(const char*)>& record_position) {
  if (flat_button(with_id(Text::table_export, "export").c_str(), tr(Text::table_export_hint)))
    ImGui::OpenPopup("export_menu");
  record_position("export");
  place_popup_at_item();
  struct Item {
    Text title;
    TableFormat format;
    bool save;
    const char* id;
  };
  constexpr std::array kItems = {
      Item{Text::range_copy_csv, TableFormat::csv, false, "copy_csv"},
      Item{Text::table_copy_markdown, TableFormat::markdown, false, "copy_markdown"},
      Item{Text::table_copy_json, TableFormat::json, false, "copy_json"},
      Item{Text::table_save_csv, TableFormat::csv, true, "save_csv"},
      Item{Text::table_save_markdown, TableFormat::markdown, true, "save_markdown"},
      Item{Text::table_save_json, TableFormat::json, true, "save_json"}};
  if (!ImGui::BeginPopup("export_menu")) return;
  if (popup_closed_by_escape()) return;
  const bool any = rows != nullptr && rows->answer->problem.empty();
  for (const Item& item : kItems) {
    if (ImGui::MenuItem(with_id(item.title, item.id).c_str(), nullptr, false, any))
      start(*rows, item.format, item.save, rows->order);
    record_position(item.id);
  }
  ImGui::EndPopup();
}

void TableExport::start(const TableResults::Rows& shown, TableFormat format, bool save,
                        std::vector<std::uint32_t> rows) {
  TextExport::Make make = [answer = shown.answer, rows = std::move(rows), format](const std::stop_token&) {
    return text_in(answer->table, rows, format);
  };
  if (save) {
    text_.save(std::move(make), "." + shown.answer->table.name, extension_of(format));
  } else {
    text_.copy(std::move(make));
  }
}

float table_notes_height(const Table& table, ImVec2 page) {
  if (table.notes.empty()) return 0;
  const float line = ImGui::GetTextLineHeight();
  const float needed = wrapped_height(notes_text(table), page.x);
  const float most = line * std::max(1.0F, std::floor(0.4F * page.y / line));
  return std::min(needed, most) + ImGui::GetStyle().ItemSpacing.y;
}

void draw_table_notes(const Table& table, ImVec2 page, const Theme& theme, float ui_scale) {
  const float height = table_notes_height(table, page) - ImGui::GetStyle().ItemSpacing.y;
  if (height <= 0) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string text = notes_text(table);
  const ImVec4 clip{at.x, at.y, at.x + page.x, at.y + height};
  draw_wrapped(*ImGui::GetWindowDrawList(), at, page.x, theme.text_dim, text, &clip);
  ImGui::Dummy({page.x, height});
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 460 * ui_scale);
  colored_text(theme.text, with_device_word(in_language(table.definition), table.device));
  for (const Message& note : table.notes)
    colored_text(theme.text_dim, with_device_word(in_language(note), table.device));
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

std::optional<std::size_t> TableKindList::draw(std::span<const TableInfo* const> kinds, std::size_t shown,
                                               ImVec2 size, std::string_view device, const Theme& theme,
                                               float ui_scale) {
  std::optional<std::size_t> chosen;
  places_.clear();
  ImGui::BeginChild("kinds", size);
  const float padding = std::round(6 * ui_scale);
  const float indent = kinds.front()->heading == msg::nothing ? padding : std::round(16 * ui_scale);
  const float line = ImGui::GetTextLineHeight();
  const auto text = [&](ImVec2 at, std::uint32_t color, msg::Id message) {
    draw_elided(*ImGui::GetWindowDrawList(), at, size.x - (at.x - ImGui::GetWindowPos().x), color,
                with_device_word(in_language(message), device));
  };
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const TableInfo& kind = *kinds[i];
    if (kind.heading != msg::nothing && (i == 0 || kind.heading != kinds[i - 1]->heading)) {
      if (i > 0) ImGui::Dummy({0, std::round(3 * ui_scale)});
      const ImVec2 at = ImGui::GetCursorScreenPos();
      text({at.x + padding, at.y}, theme.text_dim, kind.heading);
      ImGui::Dummy({0, line});
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    places_.emplace_back(kind.name, ImVec2{at.x + indent, at.y + line / 2});
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable("##kind", i == shown)) chosen = i;
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (i == shown && std::exchange(reveal_, false)) ImGui::SetScrollHereY();
    ImGui::PopID();
    text({at.x + indent, at.y}, theme.text, kind.title);
  }
  ImGui::EndChild();
  return chosen;
}

}  // namespace kino
