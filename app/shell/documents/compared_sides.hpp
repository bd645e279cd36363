// Which two runs a person means who asks for a comparison.
#pragma once

#include <array>
#include <optional>

#include "app/shell/documents/session.hpp"

namespace kino {

/// The trace or job that is shown and the one in the tab left of it (the first tab: right of it), the left
/// one as A. Where only one trace is open: its kept parts A and B, else its shortest and its longest step.
/// Nothing without any of these. O(tabs), and of one trace O(slices).
std::optional<std::array<ComparedSide, kSides>> sides_to_compare(const Session& session);

}  // namespace kino
