// Requests of a page to the window.
#pragma once

#include <cstdint>
#include <filesystem>
#include <variant>

#include "core/job/recording.hpp"

namespace kino {

/// Opens a file in a new tab, or activates its tab if the file is open.
struct OpenRecording {
  std::filesystem::path file;
};
/// Selects a slice of an open trace.
struct ShowSlice {
  SliceRef slice;
};
/// Shows an interval of Unix time in a trace.
struct ShowInterval {
  std::uint64_t document = 0;  ///< serial of the document
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};
/// Shows the snapshots of a job's ranks, with one rank selected.
struct ShowSnapshots {
  std::int64_t rank = -1;  ///< -1 for none
};
/// Shows the job that the page's snapshots belong to, with one rank selected.
struct ShowJob {
  std::int64_t rank = -1;  ///< -1 for none
};
/// Lets the user choose a file with a note, and adds the note's bookmarks to the document.
struct ImportBookmarks {};

using PageRequest =
    std::variant<OpenRecording, ShowSlice, ShowInterval, ShowSnapshots, ShowJob, ImportBookmarks>;

}  // namespace kino
