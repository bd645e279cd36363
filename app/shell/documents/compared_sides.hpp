// Chooses the two runs of a comparison.
#pragma once

#include <array>
#include <optional>

#include "app/shell/documents/session.hpp"

namespace kino {

/// Returns the active trace or job and the one to its left (for the first tab: to its right); the left one is
/// A. If the active tab is neither, returns the first two traces or jobs. If only one run is open and it
/// is a trace, returns its saved ranges A and B if its tab is active and has both. If not, returns its
/// shortest and longest used step, see choose_steps(). nullopt if there are neither two runs nor two parts.
/// O(tabs), or O(slices) for one trace.
std::optional<std::array<ComparedSide, kSides>> sides_to_compare(const Session& session);

}  // namespace kino
