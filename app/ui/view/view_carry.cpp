#include "app/ui/view/view_carry.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/ui/view/event_steps.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

// Adds with wrap-around, since the clocks of a hostile file can differ by any 64-bit number.
std::int64_t shifted(std::int64_t time_ns, std::int64_t shift_ns) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns) +
                                   static_cast<std::uint64_t>(shift_ns));
}

std::string carry_key(const Process& process) { return process.pid + (process.gpu ? "\x01g" : "\x01c"); }

std::string carry_key(const Trace& trace, const Track& track) {
  return carry_key(trace.processes[track.process]) + '\x01' + std::to_string(static_cast<int>(track.kind)) +
         '\x01' + track.tid;
}

/// Whether the traces have few enough tracks; matching more would take seconds.
bool carries_tracks(const Trace& from, const Trace& to) {
  return std::max(from.tracks.size(), to.tracks.size()) <= Arrangement::kMostOpenTracks;
}

/// Index of each process and track of one trace in another, or kAbsent.
struct Counterparts {
  std::vector<std::uint32_t> processes;
  std::vector<std::uint32_t> tracks;
};

Counterparts counterparts(const Trace& from, const Trace& to) {
  std::unordered_map<std::string, std::uint32_t> processes;
  for (std::uint32_t i = 0; i < to.processes.size(); ++i) processes.emplace(carry_key(to.processes[i]), i);
  std::unordered_map<std::string, std::uint32_t> tracks;
  for (std::uint32_t i = 0; i < to.tracks.size(); ++i) tracks.emplace(carry_key(to, to.tracks[i]), i);
  const auto found = [](const auto& map, const std::string& key) {
    const auto at = map.find(key);
    return at == map.end() ? kAbsent : at->second;
  };
  Counterparts same;
  for (const Process& process : from.processes)
    same.processes.push_back(found(processes, carry_key(process)));
  for (const Track& track : from.tracks) same.tracks.push_back(found(tracks, carry_key(from, track)));
  return same;
}

TrackId same_track(const Trace& from, TrackId track, const Trace& to) {
  const std::string key = carry_key(from, from.track(track));
  for (std::uint32_t i = 0; i < to.tracks.size(); ++i) {
    if (carry_key(to, to.tracks[i]) == key) return TrackId{i};
  }
  return kNoTrack;
}

SliceId same_slice(const Trace& from, SliceId slice, const Trace& to, const Track& track) {
  const std::uint32_t wanted = index_of(slice);
  const std::int64_t start = shifted(from.slices.start_ns[wanted], time_shift_ns(from, to));
  SliceId alike = kNoSlice;
  for (std::uint32_t i = 0; i < track.row_count; ++i) {
    const Row& row = to.rows[track.first_row + i];
    const auto starts = to.slices.start_ns.sub(row.first_slice, row.slice_count);
    for (auto at = std::lower_bound(starts.begin(), starts.end(), start); at != starts.end() && *at == start;
         ++at) {
      const SliceId id{row.first_slice + static_cast<std::uint32_t>(at - starts.begin())};
      if (to.name_of(id) != from.name_of(slice)) continue;
      if (to.source_offset(id) == from.slices.source_offset[wanted]) return id;
      if (to.duration_ns(id) == from.slices.duration_ns[wanted]) alike = id;
    }
  }
  return alike;
}

std::uint32_t same_instant(const Trace& from, std::uint32_t instant, const Trace& to, const Track& track) {
  const std::int64_t time = shifted(from.instants.time_ns[instant], time_shift_ns(from, to));
  const auto name_of = [](const Trace& trace, std::uint32_t i) {
    return trace.name_text(trace.instants.name[i]);
  };
  const auto times = to.instants.time_ns.sub(track.first_instant, track.instant_count);
  std::uint32_t alike = kNoInstant;
  for (auto at = std::lower_bound(times.begin(), times.end(), time); at != times.end() && *at == time; ++at) {
    const std::uint32_t id = track.first_instant + static_cast<std::uint32_t>(at - times.begin());
    if (name_of(to, id) != name_of(from, instant)) continue;
    if (to.instants.source_offset[id] == from.instants.source_offset[instant]) return id;
    if (alike == kNoInstant) alike = id;
  }
  return alike;
}

/// Converts indices to those of the other trace, omitting absent ones.
std::vector<std::uint32_t> mapped(const std::vector<std::uint32_t>& list,
                                  const std::vector<std::uint32_t>& same) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t index : list) {
    if (index < same.size() && same[index] != kAbsent) out.push_back(same[index]);
  }
  return out;
}

/// Lays `to` out and scrolls it, so that its top item is the one at the top of `from`.
void carry_scroll(const TimelineState& from, TimelineState& to) {
  to.boxes = from.boxes;
  to.rebuild_layout();
  to.scroll.set_limit(to.layout.height_px() - from.boxes.tracks.height());
  to.pinned_scroll.set_limit(to.layout.pinned_content_px() - to.layout.pinned_px());
  to.pinned_scroll.jump_to(from.pinned_scroll.target());
  const double scroll = from.scroll.target();
  if (scroll <= 0) return;
  const LayoutItem* first = nullptr;
  double first_y = 0;
  from.layout.visit_visible(scroll, from.boxes.tracks.height(), [&](const LayoutItem& item, double y_px) {
    if (first != nullptr || item.pinned || y_px + item.height_px <= from.layout.pinned_px()) return;
    first = &item;
    first_y = y_px;
  });
  to.scroll.jump_to(scroll);
  if (first == nullptr || !carries_tracks(*from.trace, *to.trace)) return;
  const Counterparts same = counterparts(*from.trace, *to.trace);
  const std::vector<std::uint32_t>& indices =
      first->kind == LayoutItem::Kind::track ? same.tracks : same.processes;
  if (first->index >= indices.size()) return;
  const auto there = std::ranges::find_if(to.layout.items(), [&](const LayoutItem& item) {
    return item.kind == first->kind && !item.pinned && item.index == indices[first->index];
  });
  if (there != to.layout.items().end()) to.scroll.jump_to(there->top_px - first_y);
}

/// Converts tracks to those of the other trace. Returns nullopt (all tracks) if none of them exists there, or
/// if some are packed, since `to` has no packed tracks yet.
std::optional<std::vector<std::uint32_t>> carried_tracks(
    const TimelineState& from, const std::optional<std::vector<std::uint32_t>>& tracks,
    const TimelineState& to) {
  if (!tracks || tracks->empty() || tracks->back() >= from.trace->tracks.size()) return std::nullopt;
  if (from.trace == to.trace) return tracks;
  if (!carries_tracks(*from.trace, *to.trace)) return std::nullopt;
  std::vector<std::uint32_t> carried = mapped(*tracks, counterparts(*from.trace, *to.trace).tracks);
  if (carried.empty()) return std::nullopt;
  std::ranges::sort(carried);
  return carried;
}

/// Transfers the marked range unless it is outside of `to`.
void carry_marked(const TimelineState& from, std::int64_t shift_ns, TimelineState& to) {
  if (!from.marked.range()) return;
  const TimeRange range{shifted(from.marked.range()->begin_ns, shift_ns),
                        shifted(from.marked.range()->end_ns, shift_ns)};
  const TimeRange& all = to.trace->range;
  if (range.begin_ns < range.end_ns && range.end_ns > all.begin_ns && range.begin_ns < all.end_ns)
    to.marked.set(range, carried_tracks(from, from.marked.tracks(), to));
}

/// Transfers the saved ranges, except those of slices that `to` does not have.
void carry_kept(const TimelineState& from, std::int64_t shift_ns, TimelineState& to) {
  std::vector<SavedRange> parts;
  for (SavedRange saved : from.kept.all()) {
    if (saved.part.slice != kNoSlice) {
      const EventRef slice = same_event(*from.trace, {saved.part.slice, kNoInstant}, *to.trace);
      if (slice.slice == kNoSlice) continue;
      saved.part.slice = slice.slice;
      saved.part.range = range_of(*to.trace, slice);
    } else {
      saved.part.range = {shifted(saved.part.range.begin_ns, shift_ns),
                          shifted(saved.part.range.end_ns, shift_ns)};
      if (saved.part.tracks) {
        auto tracks = carried_tracks(from, saved.part.tracks->tracks, to);
        saved.part.tracks = tracks ? std::optional(TrackSet{std::move(*tracks), nullptr}) : std::nullopt;
      }
    }
    parts.push_back(std::move(saved));
  }
  if (!parts.empty()) to.kept.take(std::move(parts));
}

}  // namespace

std::int64_t time_shift_ns(const Trace& from, const Trace& to) {
  const bool unix_time = (from.base_time_ns != 0) == (to.base_time_ns != 0);
  const auto origin = [&](const Trace& trace) {
    return static_cast<std::uint64_t>(trace.origin_unix_ns) -
           static_cast<std::uint64_t>(unix_time ? 0 : trace.base_time_ns);
  };
  return static_cast<std::int64_t>(origin(from) - origin(to));
}

Arrangement carried_arrangement(const Trace& from, const Arrangement& made, const Trace& to,
                                Arrangement now) {
  if (!carries_tracks(from, to)) return now;
  const Counterparts same = counterparts(from, to);
  for (std::size_t i = 0; i < same.processes.size(); ++i) {
    const std::uint32_t process = same.processes[i];
    if (process == kAbsent) continue;
    now.group_open[process] = made.group_open[i];
    now.idle_open[process] = made.idle_open[i];
    now.packed[process] = made.packed[i];
  }
  for (std::size_t i = 0; i < same.tracks.size(); ++i) {
    if (same.tracks[i] != kAbsent) now.tracks[same.tracks[i]] = made.tracks[i];
  }
  reorder(now.groups, mapped(made.groups, same.processes));
  reorder(now.order, mapped(made.order, same.tracks));
  // Pinned tracks of `to` that `from` does not have remain pinned.
  std::erase_if(now.pinned, [&](std::uint32_t track) {
    return std::ranges::find(same.tracks, track) != same.tracks.end();
  });
  const std::vector<std::uint32_t> pinned = mapped(made.pinned, same.tracks);
  now.pinned.insert(now.pinned.begin(), pinned.begin(), pinned.end());
  now.preset = made.preset;
  now.counters = made.counters;
  now.annotation_rows = made.annotation_rows;
  now.layers_folded = made.layers_folded;
  now.filter = made.filter;
  return now;
}

EventRef same_event(const Trace& from, EventRef event, const Trace& to) {
  if (!event.any()) return {};
  const TrackId track_id = same_track(from, track_of(from, event), to);
  if (track_id == kNoTrack) return {};
  const Track& track = to.track(track_id);
  if (event.slice != kNoSlice) return {same_slice(from, event.slice, to, track), kNoInstant};
  return {kNoSlice, same_instant(from, event.instant, to, track)};
}

void carry_view(const TimelineState& from, TimelineState& to) {
  const std::int64_t shift_ns = time_shift_ns(*from.trace, *to.trace);
  to.scale = from.scale;
  to.framebuffer_scale = from.framebuffer_scale;
  to.header_width = from.header_width;
  to.arrangement = carried_arrangement(*from.trace, from.arrangement, *to.trace, std::move(to.arrangement));
  to.navigation.continue_from(from.navigation, static_cast<double>(shift_ns));
  carry_scroll(from, to);
  to.steps_shown = from.steps_shown;
  to.drawer = from.drawer;
  to.search_open = from.search_open;
  to.track_bar_open = from.track_bar_open;
  to.idle_band = from.idle_band;
  to.selection = same_event(*from.trace, from.selection, *to.trace);
  carry_marked(from, shift_ns, to);
  carry_kept(from, shift_ns, to);
  if (from.focused) {
    to.focused = from.focused;
    to.focused->begin_ns += static_cast<double>(shift_ns);
  }
}

}  // namespace kino
