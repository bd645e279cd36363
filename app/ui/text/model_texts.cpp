#include "app/ui/text/model_texts.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/time_text.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/track_names.hpp"

namespace kino {

Text text_for(EventPart part) {
  constexpr std::array<Text, kEventPartCount> kTexts{
      Text::events_slices,   Text::events_slice_ends,   Text::events_async_slices, Text::events_async_ends,
      Text::events_instants, Text::events_async_points, Text::events_counters,     Text::events_flows,
      Text::events_metadata, Text::events_empty,        Text::events_skipped};
  return kTexts[static_cast<std::size_t>(part)];
}

std::string events_text(const Trace& trace) {
  std::string parts;
  for (const EventPartCount& count : event_parts(trace))
    parts += (parts.empty() ? "" : ", ") + filled(text_for(count.part), {grouped(count.count)});
  return filled(Text::quality_events, {grouped(trace.counts.total()), parts});
}

std::string name_text(const Track& track) { return name_message(track).str(language()); }

std::string name_text(const Trace& trace, std::uint32_t track) {
  return name_text(trace.tracks[track]) + name_suffix(trace, track);
}

std::string title_text(const Trace& trace, std::uint32_t process) {
  return title_text(trace.processes[process]) + title_suffix(trace, process);
}

std::string contents_text(const Track& track) {
  const std::string contents = track.contents.str();
  std::string text;
  for (std::size_t begin = 0; begin < contents.size();) {
    const std::size_t end = std::min(contents.find(", ", begin), contents.size());
    const std::string_view part = std::string_view(contents).substr(begin, end - begin);
    // A part such as "communication all_reduce" consists of a kind and the name of a collective.
    const std::string_view word = part.substr(0, std::min(part.find(' '), part.size()));
    if (begin > 0) text += ", ";
    bool kind = part == kWaitsOfStream;
    if (kind) text += tr(Text::contents_waits);
    for (int i = 0; i < kSliceKindCount && !kind; ++i) {
      const auto candidate = static_cast<SliceKind>(i);
      const std::string_view known = text_of(candidate);
      kind = part == known || (candidate == SliceKind::communication && word == known);
      if (kind) text += in_language(shown_name(candidate)) + std::string(part.substr(known.size()));
    }
    if (!kind) text += part;
    begin = end + 2;
  }
  return text;
}

std::string title_text(const Process& process) { return title_message(process).str(language()); }

std::string device_text(Text text, const Trace& trace) {
  return with_device_word(tr(text), device_word(trace));
}

std::string device_text(const Message& message, const Trace& trace) {
  return with_device_word(in_language(message), device_word(trace));
}

std::string device_text(Text text, std::string_view device) { return with_device_word(tr(text), device); }

std::string device_text(std::string text, std::string_view device) {
  return with_device_word(std::move(text), device);
}

Text text_for(LoadStage stage) {
  constexpr std::array kTexts{Text::loading_waiting, Text::loading_reading, Text::loading_arranging,
                              Text::loading_indexing, Text::loading_finished};
  return kTexts[static_cast<std::size_t>(stage)];
}

}  // namespace kino
