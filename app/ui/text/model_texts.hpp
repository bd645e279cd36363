// Which texts the model's enumerations have in the interface. English is what core says in logs, too.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/text/texts.hpp"
#include "core/tables/gpu/trust_report.hpp"
#include "core/trace/event_parts.hpp"
#include "core/trace/slice_kind.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/load_progress.hpp"

namespace kino {

/// "slices {0}", "flow events {0}", ...
Text text_for(EventPart part);
/// The number of events and the parts that add up to it, as `info` lists them.
std::string events_text(const Trace& trace);
/// A track's name, and what is on it, as people read them: in their language what the program says
/// ("annotations of stream 7", "compute, copy"), as it is what the file says.
std::string name_text(const Track& track);
/// The same with the track's id if another track of its process has the name.
std::string name_text(const Trace& trace, std::uint32_t track);
std::string contents_text(const Track& track);
/// Likewise of a group of tracks: "process 12", "Profiler".
std::string title_text(const Process& process);
/// The same with the pid if another process has the title.
std::string title_text(const Trace& trace, std::uint32_t process);
/// "Reading events", ...
Text text_for(LoadStage stage);

}  // namespace kino
