// Distinguishes track and process names chosen by the program from names in the file, and tracks and
// processes of equal names from each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Names of the counters that loaders derive from [memory] events, on tracks with Track::bytes.
inline constexpr std::string_view kAllocatedCounter = "memory allocated";
inline constexpr std::string_view kReservedCounter = "memory reserved";

/// The name of a track: a message if order_tracks() or a loader chose it ("annotations of stream 7", "memory
/// reserved"), verbatim if it is from the file.
Message name_message(const Track& track);
/// The title of a process: a message for "process 12" or "Profiler", verbatim if it is from the file.
Message title_message(const Process& process);

/// Suffix of a track's name: " (17)", its id, if another track of its process has the same name, otherwise
/// empty. O(tracks of the process).
std::string name_suffix(const Trace& trace, std::uint32_t track);
/// Suffix of a process title: its pid if another process has the same title, otherwise empty. O(processes).
std::string title_suffix(const Trace& trace, std::uint32_t process);
/// The name of a track with its suffix, unique in its process.
std::string unique_track_name(const Trace& trace, std::uint32_t track);
/// The title of a process with its suffix.
std::string unique_process_title(const Trace& trace, std::uint32_t process);
/// unique_process_title() of all processes. O(processes log processes).

std::vector<std::string> unique_process_titles(const Trace& trace);

}  // namespace kino
