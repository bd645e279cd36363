// Requests of a page to the window.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>

#include "core/job/recording.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Opens a file in a new tab, or activates its tab if the file is open.
struct OpenRecording {
  std::filesystem::path file;
};
/// Selects a slice of an open trace.
struct ShowSlice {
  SliceRef slice;
};
/// Shows a range in the timeline of the page's own trace.
struct ShowRange {
  TimeRange range;
  SliceId slice = kNoSlice;  ///< selected, unless it is kNoSlice
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
/// Opens the job of the page's trace, whose other ranks are in the same folder.
struct OpenSiblings {};
/// Opens two traces and compares them.
struct CompareTraces {
  std::filesystem::path a;
  std::filesystem::path b;
};
/// Shows the ledger of the page's trace.
struct ShowLedger {
  std::string row;  ///< key of the row to select (text_of(StepRow)); empty: unchanged
};
/// Shows the quality of the data of the page's trace.
struct ShowQuality {};
/// Saves the report of the page's trace.
struct SaveReport {};
/// Opens a trace and compares it with the page's trace.
struct CompareWith {
  std::filesystem::path file;
};
/// Lets the user choose a file with a note, and adds the note's bookmarks to the document.
struct ImportBookmarks {};

using PageRequest =
    std::variant<OpenRecording, ShowSlice, ShowRange, ShowInterval, ShowSnapshots, ShowJob, OpenSiblings,
                 CompareTraces, ShowLedger, ShowQuality, CompareWith, SaveReport, ImportBookmarks>;

}  // namespace kino
