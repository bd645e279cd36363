// Progress and remaining time of a load, as text.
#pragma once

#include <string>

#include "loaders/bytes/load_progress.hpp"

namespace kino {

/// From 0 to 1 over all stages.
float share_done(const LoadProgress& progress);
/// "Reading events, about 3 s left". The time is omitted while it cannot be estimated. `seconds` is the time
/// since the start.
std::string stage_text(const LoadProgress& progress, double seconds);

}  // namespace kino
