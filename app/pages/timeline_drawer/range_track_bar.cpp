#include "app/pages/timeline_drawer/range_track_bar.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "app/ui/commands/commands.hpp"
#include "app/ui/tables/track_titles.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr const char* kTrackList = "range_tracks";

struct SideChip {
  RangeSide side;
  CommandId command;
  Text label;
  Text hint;
  const char* place;
};
constexpr std::array kSides = {
    SideChip{RangeSide::all, CommandId::range_all_tracks, Text::range_all, Text::range_all_hint, "all"},
    SideChip{RangeSide::gpu, CommandId::range_gpu_tracks, Text::range_gpu, Text::range_gpu_hint, "gpu"},
    SideChip{RangeSide::cpu, CommandId::range_cpu_tracks, Text::range_cpu, Text::range_cpu_hint, "cpu"}};

}  // namespace

void RangeTrackBar::handle_keys(TimelineState& state) {
  for (const SideChip& chip : kSides) {
    if (command_pressed(chip.command)) toggle_side(state, chip.side);
  }
}

bool RangeTrackBar::draw(TimelineState& state, const Theme& theme) {
  places_.clear();
  if (layout_generation_ != state.layout.generation()) {
    layout_generation_ = state.layout.generation();
    for (const SideChip& chip : kSides)
      tracks_[static_cast<std::size_t>(chip.side)] = summable_tracks(state, chip.side);
  }
  const float gap = std::round(6 * state.scale);
  for (const SideChip& chip : kSides) {
    const std::vector<std::uint32_t>& tracks = tracks_of(chip.side);
    const Ticked lit = ticked(state, tracks);
    if (tracks.empty()) continue;
    const std::uint32_t color = lit == Ticked::all    ? theme.accent
                                : lit == Ticked::some ? theme.text
                                                      : theme.text_dim;
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    const bool clicked =
        flat_button((device_text(chip.label, *state.trace) + "###" + chip.place).c_str(),
                    hint_with_key(device_text(chip.hint, *state.trace), chip.command).c_str());
    ImGui::PopStyleColor();
    record_position(chip.place);
    if (lit == Ticked::all) {
      // A selected chip has a frame, which is easier to see than a different color.
      ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), theme.accent,
                                          std::round(4 * state.scale));
    }
    if (clicked) toggle_side(state, chip.side);
    ImGui::SameLine(0, gap);
  }
  const std::size_t all = tracks_of(RangeSide::all).size();
  const std::size_t chosen = state.marked.tracks() ? state.marked.tracks()->size() : all;
  const std::string count = filled(Text::range_tracks_of, {grouped(chosen), grouped(all)}) + "###tracks";
  if (flat_button(count.c_str(), tr(Text::range_tracks_hint))) ImGui::OpenPopup(kTrackList);
  record_position("tracks");
  place_popup_at_item();
  draw_list(state, theme);
  ImGui::SameLine(0, gap);
  const bool keep = flat_button(with_id(Text::range_save, "keep").c_str(),
                                hint_with_key(Text::range_save_hint, CommandId::keep_part).c_str());
  record_position("keep");
  ImGui::SameLine(0, 2 * gap);
  return keep;
}

void RangeTrackBar::draw_list(TimelineState& state, const Theme& theme) {
  ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, std::round(420 * state.scale)});
  if (!ImGui::BeginPopup(kTrackList) || popup_closed_by_escape()) return;
  const ShownRows rows = state.rows();
  std::vector<std::uint32_t> tracks = tracks_of(RangeSide::all);
  constexpr std::size_t kMostListed = 2000;
  const std::size_t more = tracks.size() - std::min(tracks.size(), kMostListed);
  tracks.resize(tracks.size() - more);
  std::uint32_t process = ~0U;
  for (const std::uint32_t track : tracks) {
    if (rows.track_at(track).process != process) {
      process = rows.track_at(track).process;
      colored_text(theme.text_dim, escaped(title_text(*state.trace, process)));
    }
    ImGui::PushID(static_cast<int>(track));
    const std::array one{track};
    bool on = ticked(state, one) == Ticked::all;
    if (ImGui::Checkbox("##tick", &on)) tick(state, one, on);
    // track_title() searches other tracks, so it is called for visible rows only.
    const std::string title =
        ImGui::IsItemVisible() ? track_title(rows, track) : rows.track_at(track).name.str();
    record_position(title);
    ImGui::SameLine();
    colored_text(theme.text, escaped(title));
    ImGui::PopID();
  }
  if (more > 0) colored_text(theme.text_dim, filled(Text::and_more, {grouped(more)}));
  ImGui::EndPopup();
}

}  // namespace kino
