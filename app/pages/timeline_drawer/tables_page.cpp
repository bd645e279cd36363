#include "app/pages/timeline_drawer/tables_page.hpp"

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {
namespace {

const char* text_of(TableScope scope) {
  if (scope == TableScope::range) return "range";
  return scope == TableScope::step ? "step" : "whole";
}

}  // namespace

const char* TablesPage::title() const { return tr(Text::tab_tables); }

void TablesPage::handle_keys(bool shown) {
  const int step =
      (command_pressed(CommandId::next_table) ? 1 : 0) - (command_pressed(CommandId::previous_table) ? 1 : 0);
  if (step != 0) {
    if (shown) tables_.step_kind(step);
    state_.drawer.show(id());
  }
  if (command_pressed(CommandId::next_table_scope)) {
    if (shown) tables_.step_scope();
    state_.drawer.show(id());
  }
  if (command_pressed(CommandId::filter_columns)) {
    if (shown || !state_.drawer.open) tables_.toggle_filters();
    state_.drawer.show(id());
  }
  const int along = (command_pressed(CommandId::next_instance) ? 1 : 0) -
                    (command_pressed(CommandId::previous_instance) ? 1 : 0);
  if (along != 0) {
    const SliceId slice = tables_.step_instance(along);
    if (slice != kNoSlice) state_.choose({slice, kNoInstant}, true);
  }
  if (shown && command_pressed(CommandId::clear_selection)) tables_.clear_selection();
}

void TablesPage::update(bool shown) {
  tables_.update(shown, state_.marked.dragging() ? std::nullopt : state_.marked.range(), steps_(),
                 state_.selection.slice);
}

void TablesPage::draw(ImVec2 size, const DrawerLook& look) {
  const TablePanel::Actions actions = tables_.draw(size, look.theme, look.scale, look.keyboard);
  if (!actions.examples.empty()) {
    state_.show_examples(actions.examples);
  } else if (actions.range) {
    state_.choose_range(*actions.range, actions.go_to);
  } else if (actions.go_to != kNoSlice) {
    state_.choose({actions.go_to, kNoInstant}, true);
  }
  if (!actions.find.empty()) asks_.find = actions.find;
  if (!actions.sql.empty()) asks_.sql = actions.sql;
}

void TablesPage::tell(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  Json json = table_state(tables_.tab());
  json["scope"] = text_of(tables_.scope());
  Json links = Json::array();
  for (const ImVec2& link : tables_.summary().links()) links.push_back(place_json(link));
  json["links"] = links;
  const RowInstances* found = tables_.instances().shown();
  json["examples"] = state_.examples.places.size();
  json["example"] = state_.examples.at;
  json["instances"] = found != nullptr ? found->slices.size() : 0;
  json["instance_places"] = places_json(tables_.instances().places());
  panel["tables"] = json;
}

}  // namespace kino
