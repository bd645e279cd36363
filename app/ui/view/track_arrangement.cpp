#include "app/ui/view/track_arrangement.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/trace/sampled_tracks.hpp"

namespace kino {
namespace {

constexpr double kIdleShare = 0.001;             // busy share of the trace's time below which a track is idle
constexpr std::uint64_t kIdleSlices = 1000;      // tracks with more slices or instants are never idle
constexpr std::uint32_t kMostLooked = 1U << 18;  // slices of a stream that determine the main thread
constexpr std::uint32_t kLookedForOrder = 1U << 12;  // slices of a stream that determine the order of threads

std::int64_t busy_ns(const Trace& trace, const Track& track) {
  if (track.row_count == 0) return 0;
  const Row& row = trace.rows[track.first_row];
  const auto durations = trace.slices.duration_ns.sub(row.first_slice, row.slice_count);
  return trace.lod.busy_in(row.lod, durations, 0, row.slice_count);
}

std::uint64_t slice_count(const Trace& trace, const Track& track) {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < track.row_count; ++i) count += trace.rows[track.first_row + i].slice_count;
  return count;
}

// GPU streams never count as idle, since users look for idle GPUs.
bool is_idle(const Trace& trace, const Track& track) {
  if (track.kind == TrackKind::gpu_stream) return false;
  if (track.kind == TrackKind::counter) return !(track.min_value < track.max_value);
  if (track.instant_count > kIdleSlices || slice_count(trace, track) > kIdleSlices) return false;
  const auto whole = static_cast<double>(trace.content.length_ns());
  return static_cast<double>(busy_ns(trace, track)) < kIdleShare * whole;
}

/// Returns the slices [first, last) of a track. They are contiguous, since the track's rows are.
std::pair<std::uint32_t, std::uint32_t> slices_of(const Trace& trace, const Track& track) {
  if (track.row_count == 0) return {0, 0};
  const Row& first = trace.rows[track.first_row];
  const Row& last = trace.rows[track.first_row + track.row_count - 1];
  return {first.first_slice, last.first_slice + last.slice_count};
}

template <class Matches>
bool any_slice(const ShownRows& rows, const Track& track, const Matches& matches) {
  for (std::uint32_t r = 0; r < track.row_count; ++r) {
    const RowId id{track.first_row + r};
    const SliceRow row = rows.slices_of(id);
    for (std::uint32_t i = 0; i < row.start_ns.size(); ++i) {
      if (matches(rows.original(id, SliceId{row.first_slice + i}))) return true;
    }
  }
  return false;
}

/// Returns the number of launches of GPU work by track, from at most `most_looked` slices of each stream.
std::vector<std::uint64_t> launch_counts(const Trace& trace, std::uint32_t most_looked) {
  // First slice of each thread, to find the thread of a launch.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> first_of;  // slice, track
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    const auto [first, last] = slices_of(trace, trace.tracks[i]);
    if (first < last) first_of.emplace_back(first, i);
  }
  std::sort(first_of.begin(), first_of.end());
  std::vector<std::uint64_t> launches(trace.tracks.size(), 0);
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::gpu_stream) continue;
    const auto [first, last] = slices_of(trace, track);
    const std::uint32_t stride = (last - first) / most_looked + 1;
    for (std::uint64_t slice = first; slice < last; slice += stride) {
      const SliceId launch = trace.slices.link[slice];
      if (launch == kNoSlice) continue;
      const auto after = std::upper_bound(first_of.begin(), first_of.end(), std::pair(index_of(launch), ~0U));
      launches[std::prev(after)->second] += stride;
    }
  }
  return launches;
}

/// Sorts the CPU threads of each process by their number of launches, most first. Other tracks
/// remain in place, and threads with equally many launches keep their order.
void sort_threads(const Trace& trace, const std::vector<std::uint64_t>& launches,
                  std::vector<std::uint32_t>& order) {
  for (const Process& process : trace.processes) {
    std::vector<std::uint32_t> threads;
    for (std::uint32_t k = 0; k < process.track_count; ++k) {
      const std::uint32_t track = process.first_track + k;
      if (trace.tracks[track].kind == TrackKind::cpu_thread) threads.push_back(track);
    }
    const std::vector<std::uint32_t> places = threads;
    std::stable_sort(threads.begin(), threads.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return launches[a] > launches[b]; });
    for (std::size_t i = 0; i < places.size(); ++i) order[places[i]] = threads[i];
  }
}

/// Sorts processes: GPUs, then others by the launches of their threads, then the profiler's own.
void sort_groups(const Trace& trace, const std::vector<std::uint64_t>& launches,
                 std::vector<std::uint32_t>& groups) {
  std::vector<std::uint64_t> sums(trace.processes.size(), 0);
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) sums[trace.tracks[i].process] += launches[i];
  const auto section = [&](std::uint32_t p) {
    return trace.processes[p].bookkeeping ? 2 : trace.processes[p].gpu ? 0 : 1;
  };
  std::stable_sort(groups.begin(), groups.end(), [&](std::uint32_t a, std::uint32_t b) {
    return section(a) != section(b) ? section(a) < section(b) : sums[a] > sums[b];
  });
}

void move_before(std::vector<std::uint32_t>& list, std::uint32_t moved, std::uint32_t before) {
  const auto at = std::find(list.begin(), list.end(), moved);
  if (at == list.end() || moved == before) return;
  list.erase(at);
  list.insert(std::find(list.begin(), list.end(), before), moved);
}

}  // namespace

void reorder(std::vector<std::uint32_t>& list, const std::vector<std::uint32_t>& wanted) {
  std::unordered_map<std::uint32_t, std::size_t> rank;
  for (const std::uint32_t entry : wanted) rank.emplace(entry, rank.size());
  // Reassign only the positions of entries in `wanted`; other entries remain in place.
  std::vector<std::uint32_t> named;
  for (const std::uint32_t entry : list) {
    if (rank.contains(entry)) named.push_back(entry);
  }
  std::sort(named.begin(), named.end(),
            [&](std::uint32_t a, std::uint32_t b) { return rank.at(a) < rank.at(b); });
  std::size_t next = 0;
  for (std::uint32_t& entry : list) {
    if (rank.contains(entry)) entry = named[next++];
  }
}

Arrangement Arrangement::defaults(const Trace& trace) {
  Arrangement made;
  const bool folded = trace.tracks.size() > kMostOpenTracks;
  made.group_open.assign(trace.processes.size(), folded ? 0 : 1);
  const bool all_bookkeeping = std::ranges::all_of(trace.processes, &Process::bookkeeping);
  for (std::size_t p = 0; p < trace.processes.size(); ++p) {
    if (trace.processes[p].bookkeeping && !all_bookkeeping) made.group_open[p] = 0;
  }
  made.idle_open.assign(trace.processes.size(), 0);
  made.packed.assign(trace.processes.size(), 0);
  for (std::uint32_t p = 0; p < trace.processes.size(); ++p)
    made.packed[p] = stream_count(trace, p) > kManyStreams ? 1 : 0;
  made.groups.resize(trace.processes.size());
  std::iota(made.groups.begin(), made.groups.end(), 0U);
  const std::vector<std::uint64_t> launches = launch_counts(trace, kLookedForOrder);
  sort_groups(trace, launches, made.groups);
  made.order.resize(trace.tracks.size());
  std::iota(made.order.begin(), made.order.end(), 0U);
  sort_threads(trace, launches, made.order);
  made.tracks.resize(trace.tracks.size());
  for (const Track& track : trace.tracks) made.idle.push_back(is_idle(trace, track) ? 1 : 0);
  return made;
}

void Arrangement::add_tracks(const ShownRows& rows) {
  std::vector<std::vector<std::uint32_t>> above(rows.trace->tracks.size());
  std::vector<std::vector<std::uint32_t>> below(rows.trace->tracks.size());
  bool placed = false;
  for (auto track = static_cast<std::uint32_t>(tracks.size()); track < rows.track_count(); ++track) {
    tracks.emplace_back();
    idle.push_back(0);
    if (!rows.is_derived(track)) {
      order.push_back(track);
      continue;
    }
    const FoundCounter::Place place = rows.counters->place(track);
    (place.after ? below : above)[place.beside].push_back(track);
    placed = true;
  }
  if (placed) {
    std::vector<std::uint32_t> woven;
    for (const std::uint32_t track : order) {
      const bool own = track < above.size();
      if (own) woven.insert(woven.end(), above[track].begin(), above[track].end());
      woven.push_back(track);
      if (own) woven.insert(woven.end(), below[track].begin(), below[track].end());
    }
    order = std::move(woven);
  }
  if (preset != TrackPreset::all) apply(preset, rows);
}

void Arrangement::drop_tracks(std::uint32_t first) {
  const auto dropped = [&](std::uint32_t track) { return track >= first; };
  std::erase_if(order, dropped);
  std::erase_if(pinned, dropped);
  tracks.resize(std::min<std::size_t>(tracks.size(), first));
  idle.resize(tracks.size());
}

bool Arrangement::is_pinned(std::uint32_t track) const {
  return std::find(pinned.begin(), pinned.end(), track) != pinned.end();
}

void Arrangement::toggle_pinned(std::uint32_t track) {
  if (std::erase(pinned, track) == 0) pinned.push_back(track);
}

void Arrangement::set_hidden(std::uint32_t track, bool hidden) {
  if (tracks[track].hidden == hidden) return;
  tracks[track].hidden = hidden;
  preset = TrackPreset::all;
}

std::uint32_t Arrangement::hidden_count() const {
  return static_cast<std::uint32_t>(
      std::count_if(tracks.begin(), tracks.end(), [](const TrackStyle& track) { return track.hidden; }));
}

void Arrangement::show_all() {
  filter.clear();
  preset = TrackPreset::all;
  for (TrackStyle& track : tracks) track.hidden = false;
}

void Arrangement::apply(TrackPreset wanted, const ShownRows& rows) {
  preset = wanted;
  const Trace& trace = *rows.trace;
  const TrackId main = wanted == TrackPreset::main_thread ? main_thread_of(trace) : kNoTrack;
  const auto [first, last] = main == kNoTrack ? std::pair(0U, 0U) : slices_of(trace, trace.track(main));
  const auto communicates = [&](SliceId slice) { return trace.kind(slice) == SliceKind::communication; };
  const auto launched_by_main = [&, begin = first, end = last](SliceId slice) {
    const std::uint32_t launch = index_of(trace.link(slice));
    return launch >= begin && launch < end;
  };
  for (std::uint32_t i = 0; i < tracks.size(); ++i) {
    const Track& track = rows.track_at(i);
    const bool gpu = trace.processes[track.process].gpu;
    bool shown = true;
    switch (wanted) {
      case TrackPreset::all:
        break;
      case TrackPreset::gpu_only:
        shown = gpu;
        break;
      case TrackPreset::communication:
        shown = track.kind == TrackKind::gpu_stream && any_slice(rows, track, communicates);
        break;
      case TrackPreset::main_thread:
        shown = TrackId{i} == main ||
                (gpu && track.kind == TrackKind::gpu_stream && any_slice(rows, track, launched_by_main));
        break;
    }
    tracks[i].hidden = !shown;
  }
}

void Arrangement::move_track(std::uint32_t track, std::uint32_t before, const ShownRows& rows) {
  if (is_pinned(track)) {
    move_before(pinned, track, before);
    return;
  }
  if (before != kLast && rows.track_at(before).process != rows.track_at(track).process) return;
  move_before(order, track, before);
}

void Arrangement::move_group(std::uint32_t process, std::uint32_t before) {
  move_before(groups, process, before);
}

bool filter_matches(std::string_view filter, const Process& group, const Track& track,
                    std::string_view title) {
  while (!filter.empty()) {
    const std::size_t space = std::min(filter.find(' '), filter.size());
    const std::string_view word = filter.substr(0, space);
    filter.remove_prefix(std::min(space + 1, filter.size()));
    if (word.empty()) continue;
    const bool found = contains_ignoring_case(group.title, word) ||
                       contains_ignoring_case(track.name, word) ||
                       contains_ignoring_case(track.contents, word) ||
                       contains_ignoring_case(track.tid, word) || contains_ignoring_case(title, word);
    if (!found) return false;
  }
  return true;
}

std::uint32_t stream_count(const Trace& trace, std::uint32_t process) {
  const Process& group = trace.processes[process];
  std::uint32_t count = 0;
  for (std::uint32_t k = 0; k < group.track_count; ++k) {
    const Track& track = trace.tracks[group.first_track + k];
    if (track.kind == TrackKind::gpu_stream && track.row_count > 0) ++count;
  }
  return count;
}

TrackId main_thread_of(const Trace& trace) {
  const std::vector<std::uint64_t> launches = launch_counts(trace, kMostLooked);
  TrackId best = kNoTrack;
  std::pair<std::uint64_t, std::int64_t> most{0, -1};
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    if (!is_working_thread(trace, trace.tracks[i]) || trace.processes[trace.tracks[i].process].bookkeeping)
      continue;
    const std::pair<std::uint64_t, std::int64_t> weight{launches[i], busy_ns(trace, trace.tracks[i])};
    if (weight > most) {
      most = weight;
      best = TrackId{i};
    }
  }
  return best;
}

}  // namespace kino
