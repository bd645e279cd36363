#include "app/pages/timeline/hover_card.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include <imgui.h>

#include "app/ui/tables/counter_text.hpp"
#include "app/ui/tables/track_titles.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostHoverNameBytes = 280;
constexpr double kHeaderTipSeconds = 0.45;
constexpr double kTipSizingSeconds = 0.1;  // additional time, in which a tooltip determines its size

void text(std::string_view words) {
  colored_text(ImGui::GetColorU32(ImGuiCol_Text), cut_text(words, kMostHoverNameBytes));
}

void dim_text(std::string_view words, const Theme& theme) {
  colored_text(theme.text_dim, cut_text(words, kMostHoverNameBytes));
}

void begin_hover_card(float ui_scale) {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 460 * ui_scale);
}

void end_hover_card() {
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

/// Draws a line with a colored square and the name of a kind.
void kind_line(std::uint32_t color, std::string_view words, const Theme& theme, float ui_scale) {
  const float size = std::round(9 * ui_scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = at.y + std::floor((ImGui::GetTextLineHeight() - size) / 2);
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + size, top + size}, color, 2 * ui_scale);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + size + 7 * ui_scale);
  dim_text(words, theme);
}

}  // namespace

void draw_event_card(const Trace& trace, const StreamAnnotations* annotations, const EventPick& pick,
                     const SliceStyle& look, const Theme& theme, float ui_scale) {
  if (!pick.event.any()) return;
  begin_hover_card(ui_scale);
  if (pick.event.slice != kNoSlice) {
    const std::uint32_t i = index_of(pick.event.slice);
    if (pick.count > 1) dim_text(filled(Text::card_slices_share_pixel, {grouped(pick.count)}), theme);
    const std::string_view name = trace.name_of(pick.event.slice);
    const std::string shown = look.name_text(name);
    text(shown);
    if (cut_text(shown, kMostHoverNameBytes) != cut_text(name, kMostHoverNameBytes)) dim_text(name, theme);
    ImGui::Dummy({0, 2 * ui_scale});
    text(exact_time_text(trace.slices.duration_ns[i]));
    ImGui::SameLine(0, 8 * ui_scale);
    dim_text(filled(Text::at_time, {exact_time_text(trace.slices.start_ns[i])}), theme);
    const TrackId track = trace.track_of(pick.event.slice);
    const std::string kind = in_language(shown_name(trace.slices.kind[i]));
    kind_line(look.color_of(pick.event.slice),
              filled(Text::card_kind_and_track, {kind, name_text(trace, index_of(track))}), theme, ui_scale);
    if (annotations != nullptr) {
      constexpr std::size_t kMostShown = 3;
      const std::span<const WorkAnnotation> around = annotations->of(pick.event.slice);
      for (const WorkAnnotation& own : around.first(std::min(kMostShown, around.size()))) {
        dim_text(
            filled(Text::card_in_annotation, {cut_text(trace.name_of(own.annotation), kMostHoverNameBytes)}),
            theme);
      }
    }
  } else {
    const std::uint32_t i = pick.event.instant;
    if (pick.count > 1) dim_text(filled(Text::card_instants_here, {grouped(pick.count)}), theme);
    text(trace.name_text(trace.instants.name[i]));
    dim_text(filled(Text::card_instant_at, {exact_time_text(trace.instants.time_ns[i])}), theme);
  }
  end_hover_card();
}

void draw_counter_card(const ShownRows& rows, std::uint32_t track, const CounterReading& reading,
                       const Theme& theme, float ui_scale) {
  if (!reading.valid) return;
  const Unit unit = counter_unit(rows, track);
  begin_hover_card(ui_scale);
  const std::string value = counter_text(reading.value, unit);
  text(unit != Unit::count
           ? value
           : filled(reading.value == 1 ? Text::counter_launch : Text::counter_launches, {value}));
  if (reading.mean) {
    ImGui::SameLine(0, 8 * ui_scale);
    dim_text(tr(Text::card_mean_in_pixel), theme);
  } else if (reading.min_value != reading.max_value) {
    ImGui::SameLine(0, 8 * ui_scale);
    dim_text(filled(Text::card_in_this_pixel,
                    {counter_text(reading.min_value, unit), counter_text(reading.max_value, unit)}),
             theme);
  }
  const std::string title = track_title(rows, track);
  dim_text(reading.mean ? title : filled(Text::card_track_since, {title, exact_time_text(reading.since_ns)}),
           theme);
  end_hover_card();
}

void HoverCards::note(const TimelineState& state, HeaderPart part, double delta_seconds) {
  const LayoutItem* const header = state.hovered_header;
  part_ = part;
  hovered_seconds_ = header != nullptr && header->index == header_ ? hovered_seconds_ + delta_seconds : 0;
  if (header == nullptr) return;
  // Tooltips of icons do not wait.
  if (part != HeaderPart::name) hovered_seconds_ = std::max(hovered_seconds_, kHeaderTipSeconds);
  header_ = header->index;
}

void HoverCards::draw(const TimelineState& state, const SliceStyle& look, const Theme& theme) const {
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseDown(ImGuiMouseButton_Middle)) return;
  if (!ImGui::IsWindowHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (state.hovered.event.any()) {
    draw_event_card(*state.trace, state.annotations.get(), state.hovered, look, theme, state.scale);
  } else if (state.hovered_header != nullptr && state.boxes.headers.contains(mouse.x, mouse.y)) {
    if (hovered_seconds_ >= kHeaderTipSeconds) draw_header_tooltip(state, *state.hovered_header, part_);
  } else if (state.boxes.tracks.contains(mouse.x, mouse.y)) {
    const LayoutHit hit = state.layout.hit(mouse.y - state.boxes.tracks.top, state.shown_scroll());
    if (hit.kind != LayoutHit::Kind::counter) return;
    const std::uint32_t track = hit.item->index;
    const CounterRow samples = state.rows().counter_at(track);
    draw_counter_card(state.rows(), track,
                      read_counter(samples, state.navigation.view(), mouse.x - state.boxes.tracks.left),
                      theme, state.scale);
  }
}

bool HoverCards::wants_frames(const TimelineState& state) const {
  return state.hovered_header != nullptr && hovered_seconds_ < kHeaderTipSeconds + kTipSizingSeconds;
}

}  // namespace kino
