#include "app/pages/snapshot_drawer/snapshot_compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr float kMomentPx = 175;

constexpr std::array kMomentTexts = {Text::snapshot_moment_peak, Text::snapshot_moment_end,
                                     Text::snapshot_moment_cursor};

/// Returns the event of a moment. The cursor belongs to the shown device; for other devices, it means the
/// peak.
EventIndex moment_of(const SnapshotState& state, std::size_t device, ComparedMoment moment) {
  const SnapshotDevice& shown = state.snapshot->devices[device];
  if (moment == ComparedMoment::end) return static_cast<EventIndex>(shown.entries.entry_count()) - 1;
  if (moment == ComparedMoment::cursor && device == state.device_index()) return state.cursor;
  return shown.history.curve(MemoryCurve::requested).peak.event;
}

/// Draws a combo. Returns the item that the user selected, if any. For tests, records the positions of the
/// combo and its items under names such as "other" and "other 1".
std::optional<std::size_t> choose_of(TableTab& tab, const char* name, const std::string& shown,
                                     std::span<const std::string> items, std::size_t chosen, float width) {
  std::optional<std::size_t> picked;
  ImGui::SetNextItemWidth(std::round(width));
  ImGui::PushID(name);
  if (ImGui::BeginCombo("##choice", shown.c_str())) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      // File names are drawn separately, because a label ends at ##, which a name may contain.
      if (ImGui::Selectable("##item", i == chosen)) picked = i;
      tab.record_position((std::string(name) + " " + std::to_string(i)).c_str());
      ImGui::SameLine(0, 0);
      ImGui::TextUnformatted(items[i].c_str());
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  ImGui::PopID();
  tab.record_position(name);
  ImGui::SameLine();
  return picked;
}

bool choose_moment(TableTab& tab, const char* name, Text words, bool has_cursor, ComparedMoment& moment,
                   float scale) {
  std::vector<std::string> items;
  items.reserve(kMomentTexts.size());
  for (const Text text : kMomentTexts) items.emplace_back(tr(text));
  if (!has_cursor) items.pop_back();
  const std::size_t chosen = std::min(static_cast<std::size_t>(moment), kMomentTexts.size() - 1);
  const std::size_t means = chosen < items.size() ? chosen : 0;
  const auto picked = choose_of(tab, name, filled(words, {items[means]}), items, means, kMomentPx * scale);
  if (picked) moment = static_cast<ComparedMoment>(*picked);
  return picked.has_value();
}

}  // namespace

void SnapshotCompare::update(const SnapshotState& state, std::span<const OtherSnapshot> others) {
  others_.assign(others.begin(), others.end());
  if (others_.empty()) {
    document_ = 0;
    title_.clear();
    return;
  }
  if (other() == nullptr) {
    document_ = others_.front().document;
    device_ = matching_device(state.device(), *others_.front().shown);
  }
  title_ = other()->title;
  if (device_ >= other()->shown->snapshot->devices.size())
    device_ = matching_device(state.device(), *other()->shown);
}

const OtherSnapshot* SnapshotCompare::other() const {
  const auto found = std::ranges::find(others_, document_, &OtherSnapshot::document);
  return found == others_.end() ? nullptr : &*found;
}

void SnapshotCompare::ask(const SnapshotState& state, TableResultQuery& question) const {
  const OtherSnapshot* const with = other();
  if (with == nullptr) return;
  question.at = moment_of(state, state.device_index(), here_);
  question.compared = {with->shown->snapshot, device_, moment_of(*with->shown, device_, there_)};
}

bool SnapshotCompare::draw(TableTab& tab, const SnapshotState& state, const Theme& theme) {
  const OtherSnapshot* const with = other();
  if (with == nullptr) return false;
  const Snapshot& there = *with->shown->snapshot;
  ImGui::AlignTextToFramePadding();
  colored_text(theme.text_dim, tr(Text::snapshot_compare_with));
  ImGui::SameLine();
  bool changed = false;
  std::vector<std::string> items;
  std::size_t chosen = 0;
  for (const OtherSnapshot& snapshot : others_) {
    if (snapshot.document == document_) chosen = items.size();
    items.push_back(snapshot.title);
  }
  if (items.size() == 1) {
    colored_text(theme.text, title_);
    ImGui::SameLine();
  } else if (const auto picked = choose_of(tab, "other", title_, items, chosen, 220 * state.scale)) {
    changed = true;
    document_ = others_[*picked].document;
    device_ = matching_device(state.device(), *others_[*picked].shown);
  }
  if (there.devices.size() > 1) {
    items.clear();
    for (std::size_t i = 0; i < there.devices.size(); ++i) items.push_back(device_name(there, i));
    if (const auto picked = choose_of(tab, "device", items[device_], items, device_, 130 * state.scale)) {
      changed = true;
      device_ = *picked;
    }
  }
  if (ImGui::GetContentRegionAvail().x < 2.1F * kMomentPx * state.scale) ImGui::NewLine();
  changed |= choose_moment(tab, "there", Text::snapshot_compare_there, device_ == with->shown->device_index(),
                           there_, state.scale);
  changed |= choose_moment(tab, "here", Text::snapshot_compare_here, true, here_, state.scale);
  ImGui::NewLine();
  return changed;
}

void SnapshotCompare::select(AllocationId allocation) const {
  if (const OtherSnapshot* const with = other()) with->select(device_, allocation);
}

}  // namespace kino
