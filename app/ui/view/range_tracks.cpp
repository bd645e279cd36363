#include "app/ui/view/range_tracks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kino {
namespace {

bool on_side(const TimelineState& state, std::uint32_t track, RangeSide side) {
  if (side == RangeSide::all) return true;
  return state.trace->processes[state.rows().track_at(track).process].gpu == (side == RangeSide::gpu);
}

std::vector<std::uint32_t> ascending(std::vector<std::uint32_t> tracks) {
  std::ranges::sort(tracks);
  return tracks;
}

}  // namespace

std::vector<std::uint32_t> summable_tracks(const TimelineState& state, RangeSide side) {
  const ShownRows rows = state.rows();
  std::vector<std::uint32_t> tracks;
  for (const std::uint32_t track : state.arrangement.order) {
    if (track < rows.track_count() && rows.track_at(track).row_count > 0 && state.layout.stands(track) &&
        on_side(state, track, side)) {
      tracks.push_back(track);
    }
  }
  // The order is only meaningful within a process, so sort by process.
  std::vector<std::uint32_t> position(state.trace->processes.size(), 0);
  for (std::uint32_t i = 0; i < state.arrangement.groups.size(); ++i)
    position[state.arrangement.groups[i]] = i;
  std::ranges::stable_sort(tracks, {},
                           [&](std::uint32_t track) { return position[rows.track_at(track).process]; });
  return tracks;
}

std::vector<std::uint32_t> tracks_of_item(const TimelineState& state, const LayoutItem& item) {
  const ShownRows rows = state.rows();
  if (item.kind == LayoutItem::Kind::track) {
    if (rows.track_at(item.index).row_count == 0) return {};
    if (item.brackets == 0) return {item.index};
    return ascending({item.index, state.annotations->of_stream(item.index)->annotations});
  }
  const bool idle = item.kind == LayoutItem::Kind::idle;
  std::vector<std::uint32_t> tracks;
  const auto consider = [&](std::uint32_t track) {
    const bool wanted = rows.track_at(track).row_count > 0 && state.layout.stands(track) &&
                        (!idle || state.arrangement.idle[track] != 0);
    if (wanted) tracks.push_back(track);
  };
  const Process& process = state.trace->processes[item.index];
  for (std::uint32_t i = 0; i < process.track_count; ++i) consider(process.first_track + i);
  for (std::uint32_t i = 0; state.packed != nullptr && i < state.packed->tracks.size(); ++i) {
    if (state.packed->tracks[i].process == item.index) consider(state.packed->first_track + i);
  }
  return tracks;
}

std::vector<std::uint32_t> covered_tracks(const TimelineState& state, const LayoutItem& from,
                                          const LayoutItem& to) {
  const LayoutItem* first = std::min(&from, &to);
  const LayoutItem* last = std::max(&from, &to);
  // If the drag covers pinned and scrolled items, exclude items that are scrolled out of view.
  const bool across = first->pinned != last->pinned;
  const TrackScroll scroll = state.shown_scroll();
  std::vector<std::uint32_t> covered;
  for (const LayoutItem* item = first; item <= last; ++item) {
    const TimelineState::Part room = state.part(item->pinned);
    const double y = state.layout.y_of(*item, scroll);
    if (across && (y + item->height_px <= room.top_px || y >= room.bottom_px)) continue;
    // An unfolded line does not add its tracks, since their own items follow.
    const bool open =
        (item->kind == LayoutItem::Kind::group && state.arrangement.group_open[item->index] != 0) ||
        (item->kind == LayoutItem::Kind::idle && state.arrangement.idle_open[item->index] != 0);
    if (open) continue;
    const std::vector<std::uint32_t> tracks = tracks_of_item(state, *item);
    covered.insert(covered.end(), tracks.begin(), tracks.end());
  }
  covered = ascending(std::move(covered));
  covered.erase(std::unique(covered.begin(), covered.end()), covered.end());
  return covered;
}

Ticked ticked(const TimelineState& state, std::span<const std::uint32_t> tracks) {
  if (tracks.empty()) return Ticked::none;
  const auto& chosen = state.marked.tracks();
  if (!chosen) return Ticked::all;
  const auto count = std::ranges::count_if(
      tracks, [&](std::uint32_t track) { return std::ranges::binary_search(*chosen, track); });
  if (count == 0) return Ticked::none;
  return count == std::ssize(tracks) ? Ticked::all : Ticked::some;
}

void tick(TimelineState& state, std::span<const std::uint32_t> tracks, bool on) {
  const std::vector<std::uint32_t> all = ascending(summable_tracks(state));
  const std::vector<std::uint32_t> now = state.marked.tracks().value_or(all);
  const std::vector<std::uint32_t> meant = ascending({tracks.begin(), tracks.end()});
  std::vector<std::uint32_t> next;
  if (on) {
    std::ranges::set_union(now, meant, std::back_inserter(next));
  } else {
    std::ranges::set_difference(now, meant, std::back_inserter(next));
  }
  if (std::ranges::includes(next, all)) {
    state.marked.cover(std::nullopt);
  } else {
    state.marked.cover(std::move(next));
  }
}

void toggle_side(TimelineState& state, RangeSide side) {
  if (side == RangeSide::all) {
    state.marked.cover(std::nullopt);
    return;
  }
  const std::vector<std::uint32_t> tracks = summable_tracks(state, side);
  tick(state, tracks, ticked(state, tracks) != Ticked::all);
}

std::optional<TrackSet> track_set(const TimelineState& state) {
  const auto& tracks = state.marked.tracks();
  return tracks ? std::optional(TrackSet{*tracks, state.packed}) : std::nullopt;
}

}  // namespace kino
