// Layers in the output of `kinetoscope diff`, and in records of runs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/tables/compare/layer_changes.hpp"

namespace kino {

/// One line per note, and one for each of the layers that changed most. Empty if `changes` is empty.
std::string layers_text(const LayerChanges& changes);
/// The notes, and a table of all layers in a section that is folded at first. The table ends when the
/// text is about `most_bytes` long.
std::string layers_markdown(const LayerChanges& changes, std::size_t most_bytes);
/// The rows and notes of the table `layers`.
nlohmann::ordered_json layers_json(const LayerChanges& changes);

/// The layers of a run, for a record.
nlohmann::ordered_json stored_layers(const RunLayers& layers);
/// Reads the layers of a record. Times are bounded, so that their sums cannot overflow. Throws nlohmann's
/// exceptions if a type is wrong.
RunLayers layers_from(const nlohmann::ordered_json& json);

}  // namespace kino
