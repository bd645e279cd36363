// The recorder's own notes on a recording: lost events, and data that was not recorded or is not shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Category of instants whose names are notes of the recorder, one sentence each.
inline constexpr std::string_view kRecorderNote = "recorder_note";

/// Returns a note if the tracks of an accelerator are shown like CPU tracks, because this program does not
/// know the format of its names. IBM's AIU is recognized by its slices ("... Cmpt Exec"), and other devices
/// by a process named like a device ("XPU 0"). Empty if there is no such device, or if the trace has a known
/// device. O(names).
Message unanalysed_device_note(const Trace& trace);

/// Returns the first 200 distinct notes in the order of Trace::instants, and then unanalysed_device_note()
/// unless it is empty. O(instants + names).
std::vector<Message> recorder_notes(const Trace& trace);

}  // namespace kino
