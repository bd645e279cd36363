// A link to a moment of a trace: file, view, marked range and selection in one line of text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/view/event_pick.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Identifies a slice in any file that contains it: see find_moment_slice().
struct MomentSlice {
  std::int64_t start_unix_ns = 0;
  std::int64_t duration_ns = 0;
  std::string pid;
  std::string tid;
  std::uint64_t source_offset = 0;  ///< distinguishes several matching slices in the original file
  bool operator==(const MomentSlice&) const = default;
};

/// View, marked range and selection. Times are Unix ns, so that a link is also valid for an excerpt of the
/// trace.
struct Moment {
  std::optional<TimeRange> view;
  std::optional<TimeRange> marked;
  std::optional<MomentSlice> slice;
  std::optional<std::int64_t> event;  ///< cursor of a snapshot
  bool operator==(const Moment&) const = default;
};

struct MomentLink {
  std::filesystem::path file;
  Moment moment;
  bool operator==(const MomentLink&) const = default;
};

/// Returns a link such as
/// "kinetoscope:/data/trace.json.gz?view=BEGIN..END&range=BEGIN..END&slice=START+DURATION@OFFSET&thread=PID/TID".
/// Bytes other than letters, digits and -._~/ are written as %XX; in PID and TID, slashes as well.
std::string link_text(const MomentLink& link);
/// Parses the first link in a text; nullopt if there is no link, or if its path is malformed. Unknown and
/// malformed parts are ignored.
std::optional<MomentLink> link_in_text(std::string_view text);
/// Whether an argument of the command line is a link rather than a file.
bool is_link(std::string_view text);

TimeRange unix_range(const Trace& trace, TimeRange range);
/// Converts a range of Unix ns to the trace's time; nullopt if the range is outside of the trace.
std::optional<TimeRange> trace_range(const Trace& trace, const std::optional<TimeRange>& unix_ns);

MomentSlice moment_slice(const Trace& trace, SliceId slice);
/// Returns the slice with the pid, tid, start and duration in `wanted`. If there are several, returns the one
/// with the same source offset, else the first. kNoSlice if there is none. O(rows of the thread * log
/// slices).
SliceId find_moment_slice(const Trace& trace, const MomentSlice& wanted);

}  // namespace kino
