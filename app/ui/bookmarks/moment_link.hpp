// A link to a moment of a trace: the file, what of it is in view, the marked range and the selection, as one
// line of text that can be pasted anywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/view/event_pick.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A slice by what tells it from others in any file that has it: see find_moment_slice().
struct MomentSlice {
  std::int64_t start_unix_ns = 0;
  std::int64_t duration_ns = 0;
  std::string pid;
  std::string tid;
  std::uint64_t source_offset = 0;  ///< which of several, in the file it was taken from
  bool operator==(const MomentSlice&) const = default;
};

/// Times are Unix ns, so that they hold in a part of the trace as well.
struct Moment {
  std::optional<TimeRange> view;
  std::optional<TimeRange> marked;
  std::optional<MomentSlice> slice;
  std::optional<std::int64_t> event;  ///< of a snapshot: the cursor
  bool operator==(const Moment&) const = default;
};

struct MomentLink {
  std::filesystem::path file;
  Moment moment;
  bool operator==(const MomentLink&) const = default;
};

/// "kinetoscope:/data/trace.json.gz?view=BEGIN..END&range=BEGIN..END&slice=START+DURATION@OFFSET&thread=PID/TID".
/// Whatever is no letter, digit or -._~/ of a name stands as %XX.
std::string link_text(const MomentLink& link);
/// The first link in a text; nullopt when there is none, or one that is broken. Parts that are not known are
/// left out.
std::optional<MomentLink> link_in_text(std::string_view text);
/// Whether a name on the command line is a link rather than a file.
bool is_link(std::string_view text);

TimeRange unix_range(const Trace& trace, TimeRange range);
/// In the trace's time; nothing when all of it lies outside.
std::optional<TimeRange> trace_range(const Trace& trace, const std::optional<TimeRange>& unix_ns);

MomentSlice moment_slice(const Trace& trace, SliceId slice);
/// The slice of this thread with this start and duration, of several the one at the same place of the file;
/// kNoSlice when there is none. O(rows of the thread * log slices).
SliceId find_moment_slice(const Trace& trace, const MomentSlice& wanted);

}  // namespace kino
