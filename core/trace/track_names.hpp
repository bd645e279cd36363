// Distinguishes names chosen by this program from names in the file, and tracks and processes with equal
// names from each other.
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

/// Returns the name of a track. It is a message for names such as "annotations of stream 7" and "memory
/// reserved", which order_tracks() or a loader chose; otherwise verbatim.
Message name_message(const Track& track);
/// Returns the title of a process. It is a message for titles such as "process 12" and "Profiler", which
/// order_tracks() chose; otherwise verbatim.
Message title_message(const Process& process);

/// Returns the suffix of a track's name. It is the track's id, as in " (17)", if another track of its process
/// has the same name and the id is not the name. Otherwise it is empty. O(tracks of the process).
std::string name_suffix(const Trace& trace, std::uint32_t track);
/// Returns the suffix of a process title. It is the pid, as in " (17)", if another process has the same title
/// and the pid is not the title. Otherwise it is empty. O(processes).
std::string title_suffix(const Trace& trace, std::uint32_t process);
/// Returns the name of a track with its suffix. It is unique in its process if tracks of the same name have
/// different ids.
std::string unique_track_name(const Trace& trace, std::uint32_t track);
/// Returns the title of a process with its suffix.
std::string unique_process_title(const Trace& trace, std::uint32_t process);
/// Returns unique_process_title() for each process. O(processes log processes).
std::vector<std::string> unique_process_titles(const Trace& trace);

}  // namespace kino
