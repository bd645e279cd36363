// Progress and remaining time of a load, as text.
#pragma once

#include <string>

#include "loaders/bytes/load_progress.hpp"

namespace kino {

/// Returns the finished share of all stages, from 0 to 1.
float share_done(const LoadProgress& progress);
/// Returns a text such as "Reading events, about 3 s left". The time is omitted while it cannot be estimated.
/// `seconds` is the time since the start of the load.
std::string stage_text(const LoadProgress& progress, double seconds);

}  // namespace kino
