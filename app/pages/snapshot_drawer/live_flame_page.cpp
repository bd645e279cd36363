#include "app/pages/snapshot_drawer/live_flame_page.hpp"

#include <nlohmann/json.hpp>

#include "app/ui/drawer/state_json.hpp"

namespace kino {

void LiveFlamePage::write_test_state(nlohmann::ordered_json& panel) const {
  nlohmann::ordered_json json = flame_json(flame_.view());
  panel["flame"] = nlohmann::ordered_json();
  if (!flame_.shown() || json.is_null()) return;
  json["event"] = flame_.shown()->event;
  json["libraries"] = flame_.shown()->libraries;
  panel["flame"] = json;
}

}  // namespace kino
