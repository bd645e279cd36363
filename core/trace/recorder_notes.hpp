// What the recorder itself says of a recording: events that it lost, what it did not record, what is not
// shown of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The category of instants whose names are such notes, a sentence each.
inline constexpr std::string_view kRecorderNote = "recorder_note";

/// A sentence on an accelerator whose tracks are shown like those of a CPU, since nothing is known of how its
/// recorder names work: IBM's AIU by its slices ("... Cmpt Exec"), others by a process that is called as a
/// device ("XPU 0"). Empty without one, and if the trace has a known device. O(names).
Message unanalysed_device_note(const Trace& trace);

/// Each once, in order of the trace; the last is unanalysed_device_note(). O(instants + names).
std::vector<Message> recorder_notes(const Trace& trace);

}  // namespace kino
