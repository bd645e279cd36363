#include "app/shell/data_quality_panel.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/sheet.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/time_base.hpp"

namespace kino {
namespace {

void heading(Text text, const Theme& theme) {
  ImGui::Spacing();
  ImGui::Spacing();
  colored_text(theme.accent, tr(text));
}

void draw_kept(const Trace& trace, const DataQualityReport* report, const Theme& theme) {
  heading(Text::quality_loaded, theme);
  const EventCounts& counts = trace.counts;
  wrapped_text(theme.text, events_text(trace));
  if (counts[EventType::dropped] == 0) {
    wrapped_text(theme.text_dim, tr(Text::quality_nothing_skipped));
  } else {
    wrapped_text(theme.warning, filled(Text::quality_skipped, {grouped(counts[EventType::dropped])}));
  }
  if (report == nullptr) return;
  const auto draw_coverage = [&](const std::string& text) {
    wrapped_text(theme.text_dim, with_device_word(text, device_word(trace)));
  };
  const auto launches = report->covered_launches();
  if (!report->covered_gpu_time()) {
    if (launches) draw_coverage(filled(Text::quality_coverage_no_gpu_time, {text_from_share(*launches)}));
    return;
  }
  const std::string covered = text_from_share(*report->covered_gpu_time());
  const Text without = report->launch_side == LaunchSide::captured  ? Text::quality_coverage_captured
                       : report->launch_side == LaunchSide::unknown ? Text::quality_coverage_unknown_launches
                                                                    : Text::quality_coverage_no_launches;
  draw_coverage(launches ? filled(Text::quality_coverage, {covered, text_from_share(*launches)})
                         : filled(without, {covered}));
  if (report->outlasting_work > 0) {
    draw_coverage(filled(Text::quality_coverage_outlasting, {grouped(report->outlasting_work)}));
  }
}

// Draws a link to the first occurrence of a problem, and adds the link's center to `frame`. Returns whether
// the link was clicked.
bool draw_link(int id, const Theme& theme, DataQualityPanelFrame& frame) {
  ImGui::PushID(id);
  ImGui::PushStyleColor(ImGuiCol_Text, theme.accent);
  const bool clicked = flat_button(tr(Text::quality_go_to_first), nullptr);
  frame.links.push_back(item_center());
  ImGui::PopStyleColor();
  ImGui::PopID();
  return clicked;
}

void draw_findings(const DataQualityReport* report, const std::string& device, const Theme& theme,
                   DataQualityPanelFrame& frame) {
  heading(Text::quality_findings, theme);
  if (report == nullptr) {
    colored_text(theme.text_dim, tr(Text::quality_checking));
    return;
  }
  if (report->lines.empty()) wrapped_text(theme.text_dim, tr(Text::quality_no_problems));
  for (const DataQualityLine& line : report->lines) {
    const std::string what = with_device_word(in_language(text_of(line.finding, line.count)), device);
    std::string title =
        line.of > 0 ? filled(Text::quality_count_of_total, {grouped(line.count), what, grouped(line.of)})
                    : filled(Text::damage_count_of, {grouped(line.count), what});
    if (line.finding == QualityFinding::no_rank) title = what;  // a count is meaningless here
    if (line.duration_ns > 0)
      title += " · " + filled(Text::quality_total, {text_from_duration(line.duration_ns)});
    ImGui::Spacing();
    wrapped_text(theme.text, title);
    wrapped_text(theme.text_dim, with_device_word(in_language(meaning_of(line.finding, *report)), device));
    if (line.first != kNoSlice && draw_link(static_cast<int>(line.finding), theme, frame)) {
      frame.go = line.first;
    }
  }
}

/// Draws the notes of the recorder about lost or omitted events.
void draw_notes(const DataQualityReport* report, const Theme& theme) {
  if (report == nullptr || report->notes.empty()) return;
  heading(Text::quality_recorder_notes, theme);
  for (const Message& note : report->notes) {
    ImGui::Spacing();
    wrapped_text(theme.text, in_language(note));
  }
}

/// Draws the entries of `damage` that are notes on reading if `notes` is set, and all other entries if it is
/// not.
void draw_damage_entries(const Trace& trace, const DamageLog& damage, bool notes, const Theme& theme,
                         DataQualityPanelFrame& frame) {
  constexpr int kIds = 1000;  // so that ids differ from those of findings
  for (const Damage& entry : damage.entries()) {
    if (is_reading_note(entry.reason) != notes) continue;
    ImGui::Spacing();
    wrapped_text(drops_event(entry.reason) ? theme.warning : theme.text,
                 filled(Text::damage_count_of,
                        {grouped(entry.count), in_language(text_of(entry.reason, entry.count))}));
    if (entry.first_offset != kNoOffset) {
      wrapped_text(theme.text_dim, filled(Text::damage_first_at, {grouped(entry.first_offset)}));
    }
    if (!entry.sample.empty()) {
      ImGui::PushFont(mono_font());
      wrapped_text(theme.text_dim, escaped(without_line_breaks(entry.sample)));
      ImGui::PopFont();
    }
    const bool shown = entry.first_offset != kNoOffset && keeps_slice(entry.reason);
    if (shown && draw_link(kIds + static_cast<int>(entry.reason), theme, frame)) {
      const SliceId slice = slice_at_offset(trace, entry.first_offset);
      if (slice != kNoSlice) frame.go = slice;
    }
  }
}

void draw_damage(const Trace& trace, const DataQualityReport* report, const Theme& theme,
                 DataQualityPanelFrame& frame) {
  // Exclude the overlaps that the report already lists among its findings.
  const DamageLog damage =
      trace.damage.without(DamageReason::overlap_spilled, report != nullptr ? report->spilled : 0);
  const std::vector<Damage>& entries = damage.entries();
  const auto is_note = [](const Damage& entry) { return is_reading_note(entry.reason); };
  if (!std::ranges::all_of(entries, is_note)) {
    heading(Text::quality_damage, theme);
    wrapped_text(theme.text_dim, tr(Text::damage_about));
    draw_damage_entries(trace, damage, false, theme, frame);
  }
  if (std::ranges::any_of(entries, is_note)) {
    heading(Text::quality_reading, theme);
    draw_damage_entries(trace, damage, true, theme, frame);
  }
}

}  // namespace

SliceId slice_at_offset(const Trace& trace, std::uint64_t offset) {
  const auto offsets = trace.slices.source_offset.span();
  const auto found = std::ranges::find(offsets, offset);
  return found == offsets.end() ? kNoSlice : SliceId{static_cast<std::uint32_t>(found - offsets.begin())};
}

DataQualityPanelFrame draw_data_quality_panel(bool& open, const Trace& trace,
                                              std::span<const std::string> origin,
                                              const DataQualityReport* report, const Theme& theme) {
  DataQualityPanelFrame frame;
  if (!begin_sheet(Text::quality_title, open, ImVec2(58, 44))) return frame;
  draw_kept(trace, report, theme);
  for (const std::string& sentence : origin) wrapped_text(theme.text, sentence);
  draw_findings(report, device_word(trace), theme, frame);
  draw_notes(report, theme);
  draw_damage(trace, report, theme, frame);
  if (frame.go) {
    open = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  return frame;
}

}  // namespace kino
