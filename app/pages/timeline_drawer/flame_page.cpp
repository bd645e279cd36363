#include "app/pages/timeline_drawer/flame_page.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/state_json.hpp"

namespace kino {

void FlamePage::handle_keys(bool shown) {
  if (command_pressed(CommandId::flame_bottom_up)) {
    if (shown) flame_.flip_direction();
    state_.drawer.show(id());
  }
  if (command_pressed(CommandId::flame_time)) {
    if (shown) flame_.next_time();
    state_.drawer.show(id());
  }
  if (command_pressed(CommandId::flame_copy) && shown) flame_.start_copy();
}

void FlamePage::update(bool shown) {
  flame_.update(shown, state_.marked.dragging() ? std::nullopt : state_.marked.range());
}

void FlamePage::draw(ImVec2 size, const DrawContext& look) { flame_.draw(size, look.theme, look.scale); }

void FlamePage::write_test_state(nlohmann::ordered_json& panel) const {
  nlohmann::ordered_json json = flame_json(flame_.view());
  if (!flame_.shown() || json.is_null()) return;
  constexpr std::array kTimes{"cpu", "device", "sampled"};
  json["time"] = kTimes.at(static_cast<std::size_t>(flame_.shown()->time));
  json["range_ns"] = flame_.shown()->range.length_ns();
  panel["flame"] = json;
}

}  // namespace kino
