// How far a load is and how long it will still take, for people.
#pragma once

#include <string>

#include "loaders/bytes/load_progress.hpp"

namespace kino {

/// From 0 to 1 over all stages.
float share_done(const LoadProgress& progress);
/// "Reading events, about 3 s left"; without the time while nobody can tell it. `seconds` have gone by.
std::string stage_text(const LoadProgress& progress, double seconds);

}  // namespace kino
