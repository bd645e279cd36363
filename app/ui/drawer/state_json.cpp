#include "app/ui/drawer/state_json.hpp"

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/trace/name_text.hpp"

namespace kino {

using Json = nlohmann::ordered_json;

Json head_json(std::string_view text) {
  constexpr std::size_t kMostBytes = 4096;
  return head_of(text, kMostBytes);
}

Json place_json(ImVec2 place) { return {place.x, place.y}; }

Json places_json(const std::vector<std::pair<std::string, ImVec2>>& places) {
  Json json = Json::object();
  for (const auto& [name, place] : places) json[name] = place_json(place);
  return json;
}

Json flame_json(const FlameView& view) {
  const FlameGraph* graph = view.graph();
  if (graph == nullptr) return {};
  const auto name = [&](std::optional<std::uint32_t> node) {
    return node ? Json(view.node_name(*node)) : Json();
  };
  Json boxes = Json::array();
  for (const FlameView::Place& place : view.places())
    boxes.push_back({place.name, place.middle.x, place.middle.y, place.width});
  return {{"bottom_up", graph->tree.direction == FlameDirection::bottom_up},
          {"total", graph->tree.nodes[0].total},
          {"frames", graph->tree.nodes.size() - 1},
          {"focus", view.node_name(view.focus())},
          {"current", name(view.current())},
          {"hovered", name(view.hovered())},
          {"matched", view.matched() ? Json(*view.matched()) : Json()},
          {"message", view.message()},
          {"boxes", boxes}};
}

}  // namespace kino
