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
  std::string title;  ///< name given by the user; empty: the trace's name
  bool operator==(const TrackStyle&) const = default;
};

/// Members are indexed by process or by track; packed tracks and derived counters follow the trace's own
/// tracks. Does not use ImGui; UI thread only.
struct Arrangement {
  /// Returns the initial arrangement. Groups are open: GPUs first, then processes by the number of their
  /// launches of GPU work. The profiler's own processes are folded and last. Threads are sorted by the number
  /// of their launches. Otherwise, groups and tracks are in the trace's order. Tracks are
  /// capped, idle tracks are folded away, and more than kManyStreams streams are packed. With more than
  /// kMostOpenTracks tracks, all groups are folded.
  static Arrangement defaults(const Trace& trace);

  std::vector<std::uint8_t> group_open;
  std::vector<std::uint8_t> idle_open;  ///< by process: whether its idle tracks are shown
  std::vector<std::uint8_t> packed;     ///< by process: whether packed streams replace its streams
  std::vector<std::uint32_t> groups;    ///< processes from top to bottom
  std::vector<std::uint32_t> order;     ///< all tracks; only the order within a group matters
  std::vector<std::uint32_t> pinned;    ///< tracks, from top to bottom
  std::vector<TrackStyle> tracks;
  std::vector<std::uint8_t> idle;         ///< by track: whether it is nearly empty, or a constant counter
  TrackPreset preset = TrackPreset::all;  ///< preset that hid tracks; `all` once the user hides or shows one
  bool counters = false;                  ///< whether derived counters (except of snapshots) are shown
  bool annotation_rows = false;  ///< whether annotations of streams are rows, not brackets above them
  bool layers_folded = false;    ///< whether each pass through repeated layers is one block
  std::string filter;            ///< words that must all occur in a track; see filter_matches()

  /// Adds packed tracks and derived counters when they are ready.
  void add_tracks(const ShownRows& rows);
  /// Removes all tracks with this id or a higher id. Call before other tracks are added.
  void drop_tracks(std::uint32_t first);
  bool is_pinned(std::uint32_t track) const;
  void toggle_pinned(std::uint32_t track);
  void set_hidden(std::uint32_t track, bool hidden);
  std::uint32_t hidden_count() const;
  /// Shows everything: no filter, no preset, nothing hidden.
  void show_all();
  void apply(TrackPreset wanted, const ShownRows& rows);
  /// Moves a track before another track of its group or, if it is pinned, before another pinned track. kLast:
  /// to the end.
  void move_track(std::uint32_t track, std::uint32_t before, const ShownRows& rows);
  void move_group(std::uint32_t process, std::uint32_t before);
  static constexpr std::uint32_t kLast = 0xffffffffU;
  static constexpr std::uint32_t kManyStreams = 16;
  static constexpr std::uint32_t kMostOpenTracks = 20'000;

  bool operator==(const Arrangement&) const = default;
};

/// Sorts those entries of `list` that are also in `wanted` into the order of `wanted`. Other entries remain
/// in place.
void reorder(std::vector<std::uint32_t>& list, const std::vector<std::uint32_t>& wanted);

/// Whether every word of `filter` occurs in the track's group, name, contents, tid or `title`. ASCII letters
/// match regardless of case. An empty filter matches everything.
bool filter_matches(std::string_view filter, const Process& group, const Track& track,
                    std::string_view title = {});

std::uint32_t stream_count(const Trace& trace, std::uint32_t process);

/// Returns the CPU thread that launched most of the GPU's work; if there are no launches, the busiest CPU
/// thread. kNoTrack without CPU threads. Streams with very many slices are sampled, so that the call takes a
/// few ms at most.
TrackId main_thread_of(const Trace& trace);

}  // namespace kino
