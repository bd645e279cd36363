// Remembers for each file how its tracks were arranged, in one small JSON a file below the state directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/view/track_arrangement.hpp"
#include "core/base/result.hpp"

namespace kino {

/// $XDG_STATE_HOME/kinetoscope/tracks/<hash of the trace's path>.json, else below ~/.local/state; empty when
/// the environment names neither.
std::filesystem::path track_memory_path(const std::filesystem::path& trace_path);

/// What tells a track from the others of its trace, whatever its place: its pid, tid, kind and name.
std::string track_key(const ShownRows& rows, std::uint32_t index);

/// What differs from the defaults, by process and track names, so that another recording under the same path
/// keeps what it shares. Empty when nothing differs.
std::string json_from_arrangement(const ShownRows& rows, const Arrangement& arrangement);
/// Applies what can be understood and still exists; the rest is left out.
void apply_arrangement_json(std::string_view text, const ShownRows& rows, Arrangement& arrangement);

/// Reads and writes the file of one trace. UI thread only.
class TrackMemory {
 public:
  /// An empty path remembers nothing.
  explicit TrackMemory(std::filesystem::path file) : file_(std::move(file)) {}

  /// Applies what was remembered. Packed tracks that are not there yet get theirs in a later call.
  void recall(const ShownRows& rows, Arrangement& arrangement);
  /// Writes when something has changed since the last call; of many files the oldest are forgotten. An error
  /// is for the log: the arrangement in the window is not affected.
  std::optional<Error> keep(const ShownRows& rows, const Arrangement& arrangement);

 private:
  std::filesystem::path file_;
  std::string text_;  // of the file
};

}  // namespace kino
