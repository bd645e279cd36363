#include "app/ui/drawer/facts_line.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <imgui.h>

#include "app/ui/drawer/bar_line.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostGpuNames = 8;

/// Returns the first different names of the trace's GPUs; empty if there are none.
std::string gpu_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const std::string& name : trace.job.device_names) {
    if (names.size() == kMostGpuNames) break;
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + escaped(name);
  return text;
}

}  // namespace

void draw_facts_line(std::span<const PageFact> facts, const Box& box, const DrawContext& look) {
  const Theme& theme = look.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.panel);
  list.AddLine({box.left, box.bottom - 0.5F}, {box.right, box.bottom - 0.5F}, theme.border);
  std::vector<BarText> parts;
  parts.reserve(facts.size());
  for (const bool warnings : {false, true}) {
    for (const PageFact& fact : facts) {
      if (fact.warning != warnings) continue;
      const std::uint32_t color = warnings ? theme.warning : parts.empty() ? theme.text : theme.text_dim;
      parts.push_back({color, (warnings ? "▲ " : "") + fact.words, {}, fact.hint});
    }
  }
  BarLine line(list, box, theme, look.scale);
  line.texts(parts);
}

std::vector<PageFact> trace_facts(const Trace& trace, const std::string& base) {
  std::vector<PageFact> facts;
  if (!base.empty()) facts.push_back({base});
  const std::string gpus = gpu_names(trace);
  const bool has_gpu = std::ranges::any_of(
      trace.tracks, [](const Track& track) { return track.kind == TrackKind::gpu_stream; });
  if (!gpus.empty()) {
    facts.push_back({gpus});
  } else if (has_gpu) {
    facts.push_back({device_text(Text::facts_gpu_unnamed, trace)});
  }
  facts.push_back({filled(Text::facts_trace, {text_from_duration(trace.content.length_ns())})});
  facts.push_back({counted(Text::snapshot_one_event, Text::snapshot_events, trace.counts.total())});
  if (const std::uint64_t notes = trace.damage.total(); notes > 0) {
    facts.push_back({counted(Text::facts_one_damaged, Text::facts_damaged, notes),
                     tr(Text::facts_damaged_hint), trace.damage.drops_events()});
  }
  return facts;
}

}  // namespace kino
