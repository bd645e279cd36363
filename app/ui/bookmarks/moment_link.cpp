#include "app/ui/bookmarks/moment_link.hpp"

#include <algorithm>
#include <charconv>

#include "app/system/percent_text.hpp"
#include "app/ui/bookmarks/bookmark.hpp"

namespace kino {
namespace {

constexpr std::string_view kScheme = "kinetoscope:";

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::optional<TimeRange> range_of(std::string_view text) {
  TimeRange range;
  const bool read = take_number(text, range.begin_ns) && take(text, "..") && take_number(text, range.end_ns);
  // Limit of times, so that their differences fit into 64 bits.
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  if (!read || !text.empty() || range.begin_ns >= range.end_ns || range.begin_ns < -kFar ||
      range.end_ns > kFar)
    return std::nullopt;
  return range;
}

std::string text_of(TimeRange range) {
  return std::to_string(range.begin_ns) + ".." + std::to_string(range.end_ns);
}

void read_part(std::string_view key, std::string_view value, Moment& moment, MomentSlice& slice,
               bool& sliced) {
  if (key == "view") {
    moment.view = range_of(value);
  } else if (key == "range") {
    moment.marked = range_of(value);
  } else if (key == "slice") {
    sliced = take_number(value, slice.start_unix_ns) && take(value, "+") &&
             take_number(value, slice.duration_ns) && take(value, "@") &&
             take_number(value, slice.source_offset) && value.empty();
  } else if (key == "thread") {
    const std::size_t slash = std::min(value.find('/'), value.size());
    slice.pid = percent_decoded(value.substr(0, slash)).value_or("");
    slice.tid = percent_decoded(value.substr(std::min(slash + 1, value.size()))).value_or("");
  } else if (key == "event") {
    std::int64_t event = 0;
    if (take_number(value, event) && value.empty()) moment.event = event;
  }
}

/// Percent-encodes a pid or tid, including slashes, since a slash separates pid and tid.
std::string encoded_id(const std::string& id) {
  std::string text = percent_encoded(id);
  for (std::size_t at = text.find('/'); at != std::string::npos; at = text.find('/', at))
    text.replace(at, 1, "%2F");
  return text;
}

}  // namespace

bool is_link(std::string_view text) { return text.starts_with(kScheme); }

std::string link_text(const MomentLink& link) {
  std::string text = std::string(kScheme) + percent_encoded(link.file.string());
  char before = '?';
  const auto add = [&](const char* key, const std::string& value) {
    text += before + std::string(key) + "=" + value;
    before = '&';
  };
  const Moment& moment = link.moment;
  if (moment.view) add("view", text_of(*moment.view));
  if (moment.marked) add("range", text_of(*moment.marked));
  if (moment.slice) {
    const MomentSlice& slice = *moment.slice;
    add("slice", std::to_string(slice.start_unix_ns) + "+" + std::to_string(slice.duration_ns) + "@" +
                     std::to_string(slice.source_offset));
    add("thread", encoded_id(slice.pid) + "/" + encoded_id(slice.tid));
  }
  if (moment.event) add("event", std::to_string(*moment.event));
  return text;
}

std::optional<MomentLink> link_in_text(std::string_view text) {
  const std::size_t at = text.find(kScheme);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kScheme.size());
  text = text.substr(0, text.find_first_of(" \t\r\n\"<>|`"));
  const std::size_t question = std::min(text.find('?'), text.size());
  const std::optional<std::string> file = percent_decoded(text.substr(0, question));
  if (!file || file->empty()) return std::nullopt;
  MomentLink link{*file, {}};
  MomentSlice slice;
  bool sliced = false;
  std::string_view rest = text.substr(std::min(question + 1, text.size()));
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    read_part(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())), link.moment, slice,
              sliced);
  }
  if (sliced) link.moment.slice = slice;
  return link;
}

TimeRange unix_range(const Trace& trace, TimeRange range) {
  return {trace.origin_unix_ns + range.begin_ns, trace.origin_unix_ns + range.end_ns};
}

std::optional<TimeRange> trace_range(const Trace& trace, const std::optional<TimeRange>& unix_ns) {
  if (!unix_ns) return std::nullopt;
  const TimeRange range{ns_from_unix(unix_ns->begin_ns, trace.origin_unix_ns),
                        ns_from_unix(unix_ns->end_ns, trace.origin_unix_ns)};
  const bool inside = range.begin_ns <= trace.range.end_ns && range.end_ns >= trace.range.begin_ns;
  return inside && range.begin_ns < range.end_ns ? std::optional(range) : std::nullopt;
}

MomentSlice moment_slice(const Trace& trace, SliceId slice) {
  const std::uint32_t i = index_of(slice);
  const Track& track = trace.track(trace.track_of(slice));
  return {.start_unix_ns = trace.origin_unix_ns + trace.slices.start_ns[i],
          .duration_ns = trace.slices.duration_ns[i],
          .pid = trace.processes[track.process].pid,
          .tid = track.tid.str(),
          .source_offset = trace.slices.source_offset[i]};
}

SliceId find_moment_slice(const Trace& trace, const MomentSlice& wanted) {
  std::int64_t start_ns = 0;
  if (__builtin_sub_overflow(wanted.start_unix_ns, trace.origin_unix_ns, &start_ns)) return kNoSlice;
  SliceId best = kNoSlice;
  for (const Track& track : trace.tracks) {
    if (track.tid != wanted.tid || trace.processes[track.process].pid != wanted.pid) continue;
    for (std::uint32_t r = track.first_row; r < track.first_row + track.row_count; ++r) {
      const Row& row = trace.rows[r];
      const auto* begin = trace.slices.start_ns.data() + row.first_slice;
      const auto* end = begin + row.slice_count;
      for (const auto* at = std::lower_bound(begin, end, start_ns); at != end && *at == start_ns; ++at) {
        const std::uint32_t i = row.first_slice + static_cast<std::uint32_t>(at - begin);
        if (trace.slices.duration_ns[i] != wanted.duration_ns) continue;
        if (trace.slices.source_offset[i] == wanted.source_offset) return SliceId{i};
        if (best == kNoSlice) best = SliceId{i};
      }
    }
  }
  return best;
}

}  // namespace kino
