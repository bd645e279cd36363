// Chooses the two runs of a comparison.
#pragma once

#include <array>
#include <optional>

#include "app/shell/documents/session.hpp"

namespace kino {

/// Returns the active trace or job and the tab on its left (the first tab: on its right), the left one as A.
/// With one open trace: its saved ranges A and B, else its shortest and longest step. nullopt if there is
/// neither. O(tabs), or O(slices) for one trace.
std::optional<std::array<ComparedSide, kSides>> sides_to_compare(const Session& session);

}  // namespace kino
