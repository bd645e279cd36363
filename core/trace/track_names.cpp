#include "core/trace/track_names.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace kino {
namespace {

std::string in_brackets(std::string_view id) {
  std::string text(" (");
  return text.append(id).append(")");
}

/// Whether an id adds information to the name before it.
bool adds_information(std::string_view id, std::string_view name) { return !id.empty() && id != name; }

/// Returns the first message whose English text is `name`; if there is none, the name as verbatim text.
Message message_of(std::string_view name, std::initializer_list<Message> messages) {
  const auto* const found =
      std::ranges::find_if(messages, [name](const Message& message) { return message == name; });
  return found == messages.end() ? Message(name) : *found;
}

}  // namespace

Message name_message(const Track& track) {
  const std::string name = track.name.str();
  const std::string tid = track.tid.str();
  switch (track.kind) {
    case TrackKind::gpu_stream:
      return message_of(name, {{msg::word_stream, tid}, {msg::kernels_of_thread, tid}});
    case TrackKind::gpu_annotation:
      return message_of(name, {{msg::annotations_of_stream, tid}});
    case TrackKind::gpu_sync:
      return message_of(name, {msg::synchronization, {msg::waits_of_stream, tid}});
    case TrackKind::cpu_thread:
      return tid.empty() ? message_of(name, {msg::word_events}) : message_of(name, {{msg::thread, tid}});
    case TrackKind::async:
      return tid.empty() ? message_of(name, {msg::async}) : Message(name);
    case TrackKind::counter:
      if (track.bytes && name == kAllocatedCounter) return msg::memory_allocated;
      if (track.bytes && name == kReservedCounter) return msg::memory_reserved;
      break;
  }
  return name;
}

Message title_message(const Process& process) {
  return message_of(process.title, {msg::profiler,
                                    msg::events_without_a_process,
                                    msg::gpu_copies,
                                    msg::gpu_times_of_operators,
                                    {msg::process, process.pid}});
}

std::string name_suffix(const Trace& trace, std::uint32_t track) {
  const Track& named = trace.tracks[track];
  if (!adds_information(named.tid, named.name)) return {};
  const auto is_neighbor = [&](std::size_t i) {  // the tracks of a process are consecutive
    return i < trace.tracks.size() && trace.tracks[i].process == named.process;
  };
  for (std::size_t i = std::size_t{track} + 1; is_neighbor(i); ++i) {
    if (trace.tracks[i].name == named.name) return in_brackets(named.tid);
  }
  for (std::size_t i = track; i > 0 && is_neighbor(i - 1); --i) {
    if (trace.tracks[i - 1].name == named.name) return in_brackets(named.tid);
  }
  return {};
}

std::string title_suffix(const Trace& trace, std::uint32_t process) {
  const Process& named = trace.processes[process];
  if (!adds_information(named.pid, named.title)) return {};
  for (std::uint32_t i = 0; i < trace.processes.size(); ++i) {
    if (i != process && trace.processes[i].title == named.title) return in_brackets(named.pid);
  }
  return {};
}

std::string unique_track_name(const Trace& trace, std::uint32_t track) {
  return trace.tracks[track].name.str() + name_suffix(trace, track);
}

std::string unique_process_title(const Trace& trace, std::uint32_t process) {
  return trace.processes[process].title + title_suffix(trace, process);
}

std::vector<std::string> unique_process_titles(const Trace& trace) {
  std::map<std::string_view, std::size_t> uses;
  for (const Process& process : trace.processes) ++uses[process.title];
  std::vector<std::string> titles;
  titles.reserve(trace.processes.size());
  for (const Process& process : trace.processes) {
    std::string title = process.title;
    if (uses[process.title] > 1 && adds_information(process.pid, process.title))
      title += in_brackets(process.pid);
    titles.push_back(std::move(title));
  }
  return titles;
}

}  // namespace kino
