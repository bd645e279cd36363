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

/// Returns $XDG_STATE_HOME/kinetoscope/tracks/<hash of the trace's path>.json, else the path below
/// $HOME/.local/state. Empty if neither variable is an absolute path.
std::filesystem::path arrangement_path(const std::filesystem::path& trace_path);

/// Returns a key that identifies a track regardless of its position: pid, tid, kind, whether it was added,
/// and name.
std::string track_key(const ShownRows& rows, std::uint32_t index);

/// Returns the differences from the default arrangement as JSON. Processes are identified by pid and by being
/// a GPU, and tracks by track_key(), so that the differences also apply to another recording under the same
/// path. Empty if there are none.
std::string json_from_arrangement(const ShownRows& rows, const Arrangement& arrangement);
/// Applies the entries of a saved arrangement. Ignores invalid entries and those of tracks that no longer
/// exist.
void apply_arrangement_json(std::string_view text, const ShownRows& rows, Arrangement& arrangement);

/// Reads and writes the saved arrangement of one trace.
class ArrangementFile {
 public:
  /// An empty path disables reading and writing.
  explicit ArrangementFile(std::filesystem::path file) : file_(std::move(file)) {}

  /// Applies the saved arrangement; ignores files above 4 MiB. Call again when tracks have been added, to
  /// apply it to them.
  void recall(const ShownRows& rows, Arrangement& arrangement);
  /// Writes the arrangement if it differs from the last one read or written; removes the file of a default
  /// arrangement. After writing a new file, deletes the oldest if there are too many. Returns an error for
  /// the log; the arrangement on screen is not affected. The next call writes again after an error.
  std::optional<Error> keep(const ShownRows& rows, const Arrangement& arrangement);

 private:
  std::filesystem::path file_;
  std::string text_;   // arrangement that was last read or passed to keep()
  bool saved_ = true;  // whether the file contains `text_`
};

}  // namespace kino
