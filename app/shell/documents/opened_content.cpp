#include "app/shell/documents/opened_content.hpp"

#include <variant>

#include "app/pages/hang/hang_panel.hpp"

namespace kino {
namespace {

GlyphSet glyphs_in(const OpenedTrace& opened) {
  const Trace& trace = *opened.trace;
  GlyphSet glyphs;
  for (const std::string_view name : trace.names) glyphs.add(name);
  for (const std::string_view category : trace.categories) glyphs.add(category);
  for (const Track& track : trace.tracks) glyphs.add(track.name);
  for (const Process& process : trace.processes) glyphs.add(process.title);
  return glyphs;
}

GlyphSet glyphs_in(const OpenedSnapshot& opened) {
  const Snapshot& snapshot = *opened.snapshot;
  GlyphSet glyphs;
  for (const std::string_view text : snapshot.strings) glyphs.add(text);
  return glyphs;
}

GlyphSet glyphs_in(const OpenedHang& opened) {
  GlyphSet glyphs;
  for (const FlightDump& dump : opened.hang->dumps) {
    glyphs.add(dump.file);
    for (const FlightGroup& group : dump.groups) glyphs.add(group.description);
    for (const FlightEntry& entry : dump.entries) glyphs.add(entry.operation);
  }
  return glyphs;
}

}  // namespace

GlyphSet glyphs_of(const OpenedFile& opened) {
  return std::visit([](const auto& file) { return glyphs_in(file); }, opened);
}

Job job_of(const OpenedFile& opened) {
  if (const auto* trace = std::get_if<OpenedTrace>(&opened)) return {{new_recording(trace->trace)}};
  if (const auto* snapshot = std::get_if<OpenedSnapshot>(&opened))
    return {{new_recording(snapshot->snapshot)}};
  return {};
}

std::unique_ptr<Page> plain_page_of(const OpenedFile& opened) {
  if (const auto* hang = std::get_if<OpenedHang>(&opened)) return std::make_unique<HangPanel>(hang->hang);
  return nullptr;
}

}  // namespace kino
