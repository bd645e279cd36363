// Texts for the model's enumerations in the language of the window. (Logs use the English texts of core.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/trace/event_parts.hpp"
#include "core/trace/slice_kind.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/load_progress.hpp"

namespace kino {

/// Returns a text such as "slices: {0}" or "flow events: {0}".
Text text_for(EventPart part);
/// Returns the number of all events, and of each kind of events (slices, flow events, ...), as in `info`.
std::string events_text(const Trace& trace);
/// Returns the name of a track. Words of the program are translated ("annotations of stream 7"); names from
/// the file are not.
std::string name_text(const Track& track);
/// name_text() with the track's id if another track of its process has the same name.
std::string name_text(const Trace& trace, std::uint32_t track);
std::string contents_text(const Track& track);
/// Name of a process: "process 12", "Profiler".
std::string title_text(const Process& process);
/// title_text() with the pid if another process has the same title.
std::string title_text(const Trace& trace, std::uint32_t process);
/// Return a text with the trace's device_word() instead of "GPU": "NPU work". O(processes).
std::string device_text(Text text, const Trace& trace);
std::string device_text(const Message& message, const Trace& trace);
/// Return a text with `device` instead of "GPU"; see device_word() of traces, jobs and pages.
std::string device_text(Text text, std::string_view device);
std::string device_text(std::string text, std::string_view device);
/// Python code that records GPU work. Text::record_other_devices has the activities of other devices.
inline constexpr std::string_view kRecordGpuWork = "profile(activities=[..., ProfilerActivity.CUDA])";
/// Returns a text such as "Reading events".
Text text_for(LoadStage stage);

}  // namespace kino
