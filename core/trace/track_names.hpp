// Distinguishes names of tracks and processes that the program chose from names in the file, and tracks and
// processes with equal names from each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Names of the counters that a loader makes of [memory] events, on tracks with Track::bytes.
inline constexpr std::string_view kAllocatedCounter = "memory allocated";
inline constexpr std::string_view kReservedCounter = "memory reserved";

/// The name of a track: a message if order_tracks() or a loader chose the name ("annotations of stream 7",
/// "memory reserved"), verbatim if the file did.
Message name_message(const Track& track);
/// The title of a process: a message for "process 12" or "Profiler", verbatim if the file has the title.
Message title_message(const Process& process);

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
