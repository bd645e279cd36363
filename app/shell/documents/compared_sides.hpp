// Chooses the two runs of a comparison.
#pragma once

#include <array>
#include <optional>

#include "app/shell/documents/session.hpp"

namespace kino {

/// Returns the active trace or job and the one to its left (for the first tab: to its right); the left one is
/// A. If only one trace is open, returns its saved ranges A and B, else its shortest and longest step.
/// nullopt if there are neither two runs nor two parts. O(tabs), or O(slices) for one trace.
std::optional<std::array<ComparedSide, kSides>> sides_to_compare(const Session& session);

}  // namespace kino
