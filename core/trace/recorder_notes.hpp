// What the recorder itself says of a recording: events that it lost, what it did not record, what is not
// shown of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// The category of instants whose names are such notes, a sentence each.
inline constexpr std::string_view kRecorderNote = "recorder_note";

/// Each once, in order of the trace. O(instants).
std::vector<std::string> recorder_notes(const Trace& trace);

}  // namespace kino
