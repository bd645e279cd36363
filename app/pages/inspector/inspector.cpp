#include "app/pages/inspector/inspector.hpp"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/ui/text/texts.hpp"

namespace kino {

Inspector::Inspector(const TimelineHost& host, std::shared_ptr<const EventDetails> details,
                     TablesPage& tables)
    : state_(host.state),
      tables_(tables),
      in_view_(tables.analyses(), host.look, host.pool, host.wake),
      details_(host.state.trace, std::move(details), host.look, host.pool, host.wake) {}

void Inspector::handle_keys(Splitters* sizes, bool keyboard) {
  frame_.handle_keys(sizes, keyboard && !state_.drawer.fills());
  state_.inspector_wanted = frame_.wanted();
}

void Inspector::update(double delta_seconds) {
  if (shows_view()) in_view_.update(state_.navigation.view(), delta_seconds);
}

void Inspector::draw(Splitters* sizes, const DrawContext& look) {
  if (sizes != nullptr) sizes->inspector = state_.inspector_wanted;  // the drawer's key may have changed it
  if (!visible()) return;
  const bool selected = state_.selection.any();
  frame_.draw(state_.boxes.inspector,
              {tr(selected ? Text::tab_selection : Text::inspector_in_view),
               selected ? std::string() : in_view_.note()},
              sizes, look, [&](ImVec2 size) { draw_content(size, look); });
  state_.inspector_wanted = frame_.wanted();
}

void Inspector::draw_content(ImVec2 size, const DrawContext& look) {
  if (state_.selection.any()) {
    const EventRef clicked = details_.draw(state_.selection, size, look.theme, look.scale);
    if (clicked.any()) state_.choose(clicked, true);
    return;
  }
  const InView::Actions done = in_view_.draw(size, state_.drag_selects, look);
  if (done.select != kNoSlice) state_.choose({done.select, kNoInstant}, true);
  if (done.table.empty()) return;
  tables_.choose_of_trace(done.table);
  state_.drawer.fill(drawer_page::kTables);
}

bool Inspector::complete() const {
  if (!visible()) return true;
  return state_.selection.any() ? details_.complete() : in_view_.complete();
}

void Inspector::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  if (!visible()) {
    panel["inspector"] = Json();
    return;
  }
  Json json = frame_.test_state(state_.boxes.inspector);
  if (!state_.selection.any()) in_view_.write_test_state(json);
  panel["inspector"] = std::move(json);
}

}  // namespace kino
