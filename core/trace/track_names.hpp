// Tells the names that the program gives tracks and their groups from those that the file gives.
#pragma once

#include "core/trace/trace.hpp"

namespace kino {

/// Whether the track is called what order_tracks() and the loaders call such tracks ("annotations of stream
/// 7", "memory reserved"): words of a language, not names.
bool named_by_program(const Track& track);
/// Likewise of a group: "process 12", "Profiler".
bool titled_by_program(const Process& process);

}  // namespace kino
