// Tells the names that the program gives tracks and their groups from those that the file gives, and tracks
// and groups of one name from each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// Whether the track is called what order_tracks() and the loaders call such tracks ("annotations of stream
/// 7", "memory reserved"): words of a language, not names.
bool named_by_program(const Track& track);
/// Likewise of a group: "process 12", "Profiler".
bool titled_by_program(const Process& process);

/// Suffix of the name of a track: " (17)", its id, if another track of its process has the same name; else
/// nothing. O(tracks of the process).
std::string name_suffix(const Trace& trace, std::uint32_t track);
/// The same of the title of a process, with its pid. O(processes).
std::string title_suffix(const Trace& trace, std::uint32_t process);
/// The name of a track and its suffix: no two tracks of a process read the same.
std::string told_name(const Trace& trace, std::uint32_t track);
/// The title of a process and its suffix.
std::string told_title(const Trace& trace, std::uint32_t process);
/// told_title() of all processes. O(processes log processes).
std::vector<std::string> told_titles(const Trace& trace);

}  // namespace kino
