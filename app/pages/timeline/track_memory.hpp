// Saves the arrangement of a trace's tracks, in one small JSON file per trace below the state directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/view/track_arrangement.hpp"
#include "core/base/result.hpp"

namespace kino {

/// Returns $XDG_STATE_HOME/kinetoscope/tracks/<hash of the trace's path>.json, else below ~/.local/state.
/// Empty if the environment defines neither.
std::filesystem::path arrangement_path(const std::filesystem::path& trace_path);

/// Identifies a track in its trace regardless of its position, by pid, tid, kind and name.
std::string track_key(const ShownRows& rows, std::uint32_t index);

/// Returns the differences from the defaults, by process and track names, so that they also apply to another
/// recording under the same path. Empty if there are none.
std::string json_from_arrangement(const ShownRows& rows, const Arrangement& arrangement);
/// Applies all entries that are valid and still exist; ignores the rest.
void apply_arrangement_json(std::string_view text, const ShownRows& rows, Arrangement& arrangement);

/// Reads and writes the file of one trace.
class ArrangementFile {
 public:
  /// An empty path disables reading and writing.
  explicit ArrangementFile(std::filesystem::path file) : file_(std::move(file)) {}

  /// Applies the saved arrangement. Packed tracks that do not exist yet get theirs in a later call.
  void recall(const ShownRows& rows, Arrangement& arrangement);
  /// Writes the arrangement if it has changed since the last call. If there are too many files, deletes the
  /// oldest. An error is for the log: the arrangement on screen is not affected.
  std::optional<Error> keep(const ShownRows& rows, const Arrangement& arrangement);

 private:
  std::filesystem::path file_;
  std::string text_;  // of the file
};

}  // namespace kino
