// The user's arrangement of tracks: folded, hidden, pinned, moved, enlarged, filtered, packed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/timeline/stream_packing.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class TrackFold : std::uint8_t {
  folded,  ///< lane 0 only
  capped,  ///< up to LayoutMeasures::lane_cap lanes
  open,    ///< all lanes
  merged,  ///< all lanes overlaid in one line, the innermost on top
};

enum class TrackHeight : std::uint8_t { compact, normal, expanded };

/// Predefined selection of tracks.
enum class TrackPreset : std::uint8_t { all, gpu_only, communication, main_thread };

struct TrackStyle {
  TrackFold fold = TrackFold::capped;
  TrackHeight height = TrackHeight::normal;
  bool hidden = false;
  std::string title;  ///< the user's name; empty: the trace's
  bool operator==(const TrackStyle&) const = default;
};

/// Indexed by process and by track, added tracks after the trace's own. Does not use ImGui; UI thread only.
struct Arrangement {
  /// All groups are open, capped and in the trace's order, except that the profiler's own processes are last.
  /// Idle tracks are folded away, and more than kManyStreams streams are packed. With more than
  /// kMostOpenTracks tracks, all groups are folded.
  static Arrangement defaults(const Trace& trace);

  std::vector<std::uint8_t> group_open;
  std::vector<std::uint8_t> idle_open;  ///< by process: whether its idle tracks are shown
  std::vector<std::uint8_t> packed;     ///< by process: whether packed streams replace its streams
  std::vector<std::uint32_t> groups;    ///< processes from top to bottom
  std::vector<std::uint32_t> order;     ///< all tracks; only the order within a group matters
  std::vector<std::uint32_t> pinned;    ///< tracks, from top to bottom
  std::vector<TrackStyle> tracks;
  std::vector<std::uint8_t> idle;         ///< by track: whether it is nearly empty in the whole trace
  TrackPreset preset = TrackPreset::all;  ///< origin of the hidden tracks, until one is hidden by hand
  bool counters = false;  ///< whether derived counters are shown; those of snapshots always are
  std::string filter;     ///< words that must all occur in group, name or contents

  /// Adds packed tracks and derived counters when they are ready.
  void add_tracks(const ShownRows& rows);
  /// Removes the tracks from this id on, so that others can be added.
  void drop_tracks(std::uint32_t first);
  bool is_pinned(std::uint32_t track) const;
  void toggle_pinned(std::uint32_t track);
  void set_hidden(std::uint32_t track, bool hidden);
  std::uint32_t hidden_count() const;
  /// Shows everything: no filter, no preset, nothing hidden.
  void show_all();
  void apply(TrackPreset wanted, const ShownRows& rows);
  /// Moves a track before another of its group, or of the pinned ones if it is pinned; kLast moves it to the
  /// end.
  void move_track(std::uint32_t track, std::uint32_t before, const ShownRows& rows);
  void move_group(std::uint32_t process, std::uint32_t before);
  static constexpr std::uint32_t kLast = 0xffffffffU;
  static constexpr std::uint32_t kManyStreams = 16;
  static constexpr std::uint32_t kMostOpenTracks = 20'000;

  bool operator==(const Arrangement&) const = default;
};

/// Sorts the entries named in `wanted` into its order, within the positions that they have in `list`; other
/// entries remain.
void reorder(std::vector<std::uint32_t>& list, const std::vector<std::uint32_t>& wanted);

/// Whether every word of `filter` occurs in the track's group, name, contents, tid or `title`. ASCII letters
/// match regardless of case. An empty filter matches everything.
bool filter_matches(std::string_view filter, const Process& group, const Track& track,
                    std::string_view title = {});

std::uint32_t stream_count(const Trace& trace, std::uint32_t process);

/// The CPU thread that launched most of the GPU's work; without launches, the busiest one. kNoTrack without
/// CPU threads. Streams with very many slices are sampled, so that it takes a few ms at most.
TrackId main_thread_of(const Trace& trace);

}  // namespace kino
