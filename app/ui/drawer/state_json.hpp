// JSON of state that several pages write to the state file of UI tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/ui/widgets/flame_view.hpp"

namespace kino {

/// Returns the first 4 KiB of a text, since texts from a file can have megabytes.
nlohmann::ordered_json head_json(std::string_view text);
/// A position on screen: [x, y].
nlohmann::ordered_json place_json(ImVec2 place);
/// {name: [x, y]}.
nlohmann::ordered_json places_json(const std::vector<std::pair<std::string, ImVec2>>& places);
/// Returns the state of a flame graph; null before the first graph.
nlohmann::ordered_json flame_json(const FlameView& view);

}  // namespace kino
