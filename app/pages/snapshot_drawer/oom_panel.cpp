#include "app/pages/snapshot_drawer/oom_panel.hpp"

#include <string>

#include <imgui.h>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/pages/snapshot_drawer/allocator_facts.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostOoms = 20;

std::string place_text(const SnapshotState& state, const OomPlace& place) {
  if (place.frame == kNoFrame)
    return tr(place.of_free ? Text::snapshot_before_recording : Text::snapshot_no_stack);
  const std::string words = frame_text(*state.snapshot, place.frame);
  return place.of_free ? filled(Text::snapshot_older_freed_in, {words}) : words;
}

std::string way_text(const SnapshotState& state, const OomFix& way) {
  const std::string bytes = text_from_bytes(way.bytes);
  switch (way.remedy) {
    case OomRemedy::one_piece:
      return filled(Text::oom_one_piece, {bytes});
    case OomRemedy::other_streams:
      return filled(Text::oom_other_streams, {bytes});
    case OomRemedy::pending_done:
      return filled(Text::oom_pending_done, {bytes});
    case OomRemedy::other_pools:
      return filled(Text::oom_other_pools, {bytes});
    case OomRemedy::all_returned:
      return filled(Text::oom_all_returned, {bytes});
    case OomRemedy::without_place:
      return filled(Text::oom_without_place, {bytes, place_text(state, way.place)});
  }
  return {};
}

}  // namespace

void OomPanel::draw_place(const SnapshotState& state, const OomPlace& place, const Theme& theme,
                          Actions& actions) const {
  ImGui::PushID(static_cast<int>(place.largest));
  const std::string words = filled(
      Text::oom_place, {text_from_bytes(place.bytes), place_text(state, place),
                        counted(Text::snapshot_one_allocation, Text::snapshot_allocations, place.count)});
  const std::string hint = place.frame == kNoFrame ? std::string() : full_frame_text(*snapshot_, place.frame);
  if (link_text(words, ImGui::GetContentRegionAvail().x, hint, theme)) actions.select = place.largest;
  ImGui::PopID();
}

void OomPanel::draw_one(const SnapshotState& state, const OomAnalysis& autopsy, const Theme& theme,
                        Actions& actions) {
  colored_text(theme.error, filled(Text::snapshot_oom_title,
                                   {text_from_bytes(autopsy.asked), std::to_string(autopsy.event)}));
  ImGui::SameLine(0, 12 * state.scale);
  if (link_text(tr(Text::snapshot_show_live), ImGui::GetContentRegionAvail().x, "", theme))
    actions.go_to = autopsy.event;
  const Fragmentation& memory = autopsy.memory;
  wrapped_text(theme.text, filled(Text::snapshot_oom_device,
                                  {text_from_bytes(autopsy.device_free), text_from_bytes(memory.reserved)}));
  wrapped_text(theme.text, filled(Text::snapshot_oom_inside,
                                  {text_from_bytes(autopsy.active), text_from_bytes(memory.free),
                                   text_from_bytes(memory.largest_free)}));
  const std::uint64_t known_bytes = memory.reserved + autopsy.device_free;
  if (state.device_bytes > known_bytes) {
    wrapped_text(theme.text,
                 filled(Text::oom_outside, {state.device_model, text_from_bytes(state.device_bytes),
                                            text_from_bytes(state.device_bytes - known_bytes)}));
  } else if (state.device_bytes == 0 && copy_places_.empty()) {  // only for the first error
    wrapped_text(theme.text_dim, tr(Text::oom_outside_unknown));
  }
  if (autopsy.private_reserved > 0) {
    wrapped_text(theme.text, filled(Text::oom_private, {text_from_bytes(autopsy.private_reserved),
                                                        text_from_bytes(autopsy.private_free)}));
  }
  for (const OomFix& way : autopsy.ways) wrapped_text(theme.warning, way_text(state, way));
  if (autopsy.ways.empty())
    wrapped_text(theme.warning, filled(Text::snapshot_oom_short, {text_from_bytes(autopsy.missing)}));
  copy_places_.push_back(autopsy.setting ? draw_setting(*autopsy.setting, theme) : std::nullopt);
  if (!autopsy.places.empty()) section_title(tr(Text::oom_largest_users), false, theme, state.scale);
  for (const OomPlace& place : autopsy.places) draw_place(state, place, theme, actions);
}

OomPanel::Actions OomPanel::draw(const SnapshotState& state, std::size_t count, const Theme& theme) {
  if (device_ != state.device_index()) {
    device_ = state.device_index();
    autopsies_.reset();
    autopsies_.start(pool_, wake_, [snapshot = snapshot_, device = device_](const std::stop_token& stop) {
      return analyze_ooms(*snapshot, snapshot->devices[device], kMostOoms, stop);
    });
  }
  autopsies_.poll();
  copy_places_.clear();
  Actions actions;
  const std::vector<OomAnalysis>* found = autopsies_.value();
  if (found == nullptr) {
    colored_text(theme.text_dim, tr(autopsies_.failed() ? Text::not_enough_memory : Text::snapshot_counting));
    return actions;
  }
  wrapped_text(theme.text_dim, settings_line(*snapshot_));
  for (const OomAnalysis& autopsy : *found) {
    ImGui::PushID(autopsy.event);
    draw_one(state, autopsy, theme, actions);
    ImGui::Spacing();
    ImGui::PopID();
  }
  if (count > found->size())
    colored_text(theme.text_dim, filled(Text::and_more, {grouped(count - found->size())}));
  return actions;
}

}  // namespace kino
