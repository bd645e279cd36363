#include "app/ui/text/model_texts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/time_text.hpp"
#include "core/trace/track_names.hpp"

namespace kino {

Text text_for(SliceKind kind) {
  constexpr std::array<Text, kSliceKindCount> kTexts{
      Text::kind_compute,        Text::kind_communication, Text::kind_copy,    Text::kind_gpu_sync,
      Text::kind_gpu_annotation, Text::kind_cpu_op,        Text::kind_runtime, Text::kind_python,
      Text::kind_annotation,     Text::kind_overhead,      Text::kind_other};
  return kTexts[static_cast<std::size_t>(kind)];
}

Text text_for(DamageReason reason) {
  constexpr std::array<Text, kDamageReasonCount> kTexts{Text::damage_unreadable_event,
                                                        Text::damage_truncated_event,
                                                        Text::damage_no_phase,
                                                        Text::damage_unknown_phase,
                                                        Text::damage_no_timestamp,
                                                        Text::damage_time_out_of_range,
                                                        Text::damage_time_in_ns,
                                                        Text::damage_not_an_event,
                                                        Text::damage_no_duration,
                                                        Text::damage_negative_duration,
                                                        Text::damage_begin_without_end,
                                                        Text::damage_end_without_begin,
                                                        Text::damage_async_without_begin,
                                                        Text::damage_async_without_end,
                                                        Text::damage_repaired_event,
                                                        Text::damage_repaired_document,
                                                        Text::damage_counter_without_value,
                                                        Text::damage_overlap_spilled,
                                                        Text::damage_correlation_out_of_range,
                                                        Text::damage_truncated_file,
                                                        Text::damage_truncated_gzip,
                                                        Text::damage_gzip_checksum,
                                                        Text::damage_trailing_data,
                                                        Text::damage_header_unreadable,
                                                        Text::damage_far_outlier,
                                                        Text::damage_flow_without_slice,
                                                        Text::damage_flow_without_partner,
                                                        Text::damage_spool_limit,
                                                        Text::damage_unknown_action,
                                                        Text::damage_number_out_of_range,
                                                        Text::damage_unreadable_rest,
                                                        Text::damage_further_events,
                                                        Text::damage_invalid_escape,
                                                        Text::damage_event_lines,
                                                        Text::damage_unclosed_array,
                                                        Text::damage_unclosed_document,
                                                        Text::damage_truncated_rest,
                                                        Text::damage_flow_begun_again,
                                                        Text::damage_flow_without_start,
                                                        Text::damage_samples_not_shown,
                                                        Text::damage_launch_flow_start,
                                                        Text::damage_launch_flow_end};
  return kTexts[static_cast<std::size_t>(reason)];
}

Text text_for(EventPart part) {
  constexpr std::array<Text, kEventPartCount> kTexts{
      Text::events_slices,   Text::events_slice_ends,   Text::events_async_slices, Text::events_async_ends,
      Text::events_instants, Text::events_async_points, Text::events_counters,     Text::events_flows,
      Text::events_metadata, Text::events_empty,        Text::events_dropped};
  return kTexts[static_cast<std::size_t>(part)];
}

std::string events_text(const Trace& trace) {
  std::string parts;
  for (const EventPartCount& it : event_parts(trace)) {
    if (!parts.empty()) parts += ", ";
    parts += filled(text_for(it.part), {grouped(it.count)});
  }
  return filled(Text::trust_events, {grouped(trace.counts.total()), parts});
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
    // "communication all_reduce" names the collective.
    const std::string_view word = part.substr(0, std::min(part.find(' '), part.size()));
    if (begin > 0) text += ", ";
    bool kind = part == kWaitsOfStream;
    if (kind) text += tr(Text::contents_waits);
    for (int i = 0; i < kSliceKindCount && !kind; ++i) {
      const auto it = static_cast<SliceKind>(i);
      const std::string_view known = text_of(it);
      kind = part == known || (it == SliceKind::communication && word == known);
      if (kind) text += tr(text_for(it)) + std::string(part.substr(known.size()));
    }
    if (!kind) text += part;
    begin = end + 2;
  }
  return text;
}

std::string title_text(const Process& process) { return title_message(process).str(language()); }

Text text_for(LoadStage stage) {
  switch (stage) {
    case LoadStage::waiting:
      return Text::loading_waiting;
    case LoadStage::reading:
      return Text::loading_reading;
    case LoadStage::arranging:
      return Text::loading_arranging;
    case LoadStage::indexing:
      return Text::loading_indexing;
    case LoadStage::finished:
      return Text::loading_finished;
  }
  return Text::loading_waiting;
}

}  // namespace kino
