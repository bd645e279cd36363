// The recorder's own notes on a recording: lost events, and data that was not recorded or is not shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The category of instants whose names are such notes, one sentence each.
inline constexpr std::string_view kRecorderNote = "recorder_note";

/// Reports an accelerator whose tracks are shown like CPU tracks, since the format of its names is unknown.
/// IBM's AIU is recognised by its slices ("... Cmpt Exec"), others by a process named like a device ("XPU
/// 0"). Empty without one, and if the trace has a known device. O(names).
Message unanalysed_device_note(const Trace& trace);

/// Distinct notes in order of the trace; the last is unanalysed_device_note(). O(instants + names).
std::vector<Message> recorder_notes(const Trace& trace);

}  // namespace kino
