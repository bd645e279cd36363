#include "app/ui/tables/table_state.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/table_text.hpp"
#include "core/base/messages/message.hpp"

namespace kino {

using Json = nlohmann::ordered_json;

Json table_state(const TableTab& tab) {
  const TableGrid::Places& places = tab.grid().places();
  Json order = Json::array();
  Json names = Json::array();
  Json depths = Json::array();
  std::size_t count = 0;
  std::string problem;
  std::string notes;
  if (const TableResults::Rows* rows = tab.rows()) {
    constexpr std::size_t kNamed = 20;
    const Table& table = rows->answer->table;
    count = rows->order.size();
    problem = rows->answer->problem.str();
    for (const TableOrder& by : tab.grid().order()) {
      if (by.column < table.columns.size())
        order.push_back(table.columns[by.column].key + (by.descending ? ":desc" : ":asc"));
    }
    for (std::size_t i = 0; i < std::min(kNamed, count); ++i)
      names.push_back(cell_text(table.columns.front(), rows->order[i]));
    depths = table.depths;
    for (const Message& note : table.notes) notes += (notes.empty() ? "" : " ") + note.str();
  }
  return {{"kind", tab.kind().name},
          {"group", tab.group_name()},
          {"filter", tab.filter()},
          {"rows", count},
          {"problem", problem},
          {"notes", head_json(notes)},
          {"names", names},
          {"order", order},
          {"selected", tab.selected()},
          {"message", tab.message()},
          {"headers", places_json(places.headers)},
          {"filters", places_json(places.filters)},
          {"cell_items", places_json(places.cell_items)},
          {"depths", depths},
          {"controls", places_json(tab.controls())},
          {"first_row", place_json(places.first_row)},
          {"row_height", places.row_height},
          {"kinds", places_json(tab.list().places())}};
}

}  // namespace kino
