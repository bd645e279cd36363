#include "loaders/formats/chrome_trace/trace_trim.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/ascii.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/flow_links.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/bytes/text_file.hpp"
#include "loaders/formats/chrome_trace/event_fields.hpp"
#include "loaders/formats/chrome_trace/event_walk.hpp"

namespace kino {
namespace {

using nlohmann::json;

std::size_t mixed(std::size_t seed, std::uint64_t value) {
  return seed ^ (std::hash<std::uint64_t>{}(value) + 0x9e3779b97f4a7c15ULL + (seed << 6U) + (seed >> 2U));
}

std::uint64_t key_of(char kind, std::string_view a, std::string_view b, std::int64_t number) {
  std::size_t key = mixed(static_cast<std::size_t>(kind), std::hash<std::string_view>{}(a));
  key = mixed(key, std::hash<std::string_view>{}(b));
  return mixed(key, static_cast<std::uint64_t>(number));
}

/// The slices to write, determined from the model (the text is not read).
class RetainedSlices {
 public:
  RetainedSlices(const Trace& trace, TimeRange range) : trace_(trace), retained_(trace.slice_count(), false) {
    for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
      const std::int64_t start = trace.slices.start_ns[i];
      const std::int64_t end = trace.end_ns(SliceId{i});
      if (start < range.end_ns && (end > range.begin_ns || start >= range.begin_ns)) touching_.push_back(i);
    }
    for (const std::uint32_t i : touching_) retain(SliceId{i});
    for (const std::uint32_t i : touching_) {
      retain_with_parents(trace.slices.link[i]);
      for (const SliceId work : launched_by(trace, SliceId{i})) retain_with_parents(work);
    }
    touching_ = {};
    for (std::uint32_t i = 0; i < retained_.size(); ++i) {
      if (retained_[i]) by_offset_.emplace_back(trace.slices.source_offset[i], SliceId{i});
    }
    std::ranges::sort(by_offset_);
  }

  bool contains(SliceId slice) const { return retained_[index_of(slice)]; }
  /// Returns the retained slice whose event is at this offset, or kNoSlice if there is none.
  SliceId at(std::uint64_t offset) const {
    const auto found =
        std::ranges::lower_bound(by_offset_, offset, {}, &std::pair<std::uint64_t, SliceId>::first);
    return found != by_offset_.end() && found->first == offset ? found->second : kNoSlice;
  }

 private:
  bool retain(SliceId slice) {
    const bool retained = retained_[index_of(slice)];
    retained_[index_of(slice)] = true;
    return !retained;
  }
  void retain_with_parents(SliceId slice) {
    while (slice != kNoSlice && retain(slice)) slice = trace_.parent(slice);
  }

  const Trace& trace_;
  std::vector<bool> retained_;
  std::vector<std::uint32_t> touching_;
  std::vector<std::pair<std::uint64_t, SliceId>> by_offset_;
};

/// Tracks, keyed by their tid in the file.
using TracksByThread = std::map<std::string, std::vector<const Track*>, std::less<>>;

/// Returns the last slice of a row that covers a time or starts at it; kNoSlice if there is none.
SliceId covering(const Trace& trace, const Row& row, std::int64_t time_ns) {
  const auto* begin = trace.slices.start_ns.data() + row.first_slice;
  const auto* end = std::upper_bound(begin, begin + row.slice_count, time_ns);
  if (end == begin) return kNoSlice;
  const SliceId slice{row.first_slice + static_cast<std::uint32_t>(end - begin) - 1};
  const bool covers = time_ns < trace.end_ns(slice) || time_ns == trace.start_ns(slice);
  return covers ? slice : kNoSlice;
}

/// Decides which events are written.
class EventChoice {
 public:
  EventChoice(const Trace& trace, TimeRange range)
      : trace_(trace),
        range_(range),
        slices_(trace, range),
        file_shift_ns_(trace.origin_unix_ns - trace.base_time_ns) {
    for (const Track& track : trace.tracks) {
      const std::string& pid = trace.processes[track.process].pid;
      threads_[track.tid.str()].push_back(&track);
      if (track.kind == TrackKind::counter) keep_sample_before(track, pid);
    }
  }

  /// First pass: collects flows and begin events, on which other events depend.
  void look(const VisitedEvent& event) {
    const EventFields& fields = event.fields;
    const char phase = phase_of(fields);
    shift_ns_ = file_shift_ns_ - event.shift_ns;
    if (phase == 's' || phase == 't' || phase == 'f') {
      if (!end_is_retained(fields, phase)) lost_flows_.insert(flow_key(fields));
    } else if (phase == 'B' || phase == 'b' || phase == 'S') {
      const SliceId slice = slices_.at(event.offset);
      if (slice != kNoSlice) ++open_ends_[end_key(fields, phase == 'B', trace_.end_ns(slice))];
    }
  }

  bool keeps(const VisitedEvent& event) {
    const EventFields& fields = event.fields;
    const char phase = phase_of(fields);
    shift_ns_ = file_shift_ns_ - event.shift_ns;
    if (phase == 0) return false;
    if (phase == 'M') return true;
    if (contains("XBbS", fields.phase)) return slices_.at(event.offset) != kNoSlice;
    if (contains("EeF", fields.phase)) return takes_end(fields, phase == 'E');
    if (contains("stf", fields.phase)) return !lost_flows_.contains(flow_key(fields));
    const auto time = time_of(fields);
    if (!time) return false;
    if (*time >= range_.begin_ns && *time <= range_.end_ns) return true;
    return phase == 'C' && samples_.contains(key_of('C', unescape(fields.pid), {}, *time));
  }

  /// Returns the event's time in the file's clock.
  static std::optional<std::int64_t> file_time_of(const EventFields& fields) {
    std::optional<std::int64_t> time = ns_from_decimal_us(fields.time);
    constexpr std::int64_t kFarNs = 4'000'000'000'000'000'000;
    if (!time || *time > kFarNs || *time < -kFarNs) {
      std::int64_t ticks = 0;  // clock ticks in ns; see EventInterpreter
      const char* const end = fields.time.data() + fields.time.size();
      const auto read = std::from_chars(fields.time.data(), end, ticks);
      if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
      time = ticks;
    }
    return time;
  }

 private:
  static char phase_of(const EventFields& fields) {
    return fields.phase.size() == 1 ? fields.phase[0] : '\0';
  }

  std::optional<std::int64_t> time_of(const EventFields& fields) const {
    const std::optional<std::int64_t> time = file_time_of(fields);
    std::int64_t shifted = 0;
    if (!time || __builtin_sub_overflow(*time, shift_ns_, &shifted)) return std::nullopt;
    return shifted;
  }

  void keep_sample_before(const Track& track, const std::string& pid) {
    const auto* begin = trace_.samples.time_ns.data() + track.first_sample;
    const auto* end = std::upper_bound(begin, begin + track.sample_count, range_.begin_ns);
    if (end != begin) samples_.insert(key_of('C', pid, {}, *(end - 1)));
  }

  static std::uint64_t flow_key(const EventFields& fields) {
    return key_of('s', fields.category, fields.id, 0);
  }

  static std::uint64_t end_key(const EventFields& fields, bool on_thread, std::int64_t end_ns) {
    return key_of(on_thread ? 'E' : 'e', unescape(fields.pid),
                  on_thread ? unescape(fields.tid) : std::string(fields.id), end_ns);
  }

  bool takes_end(const EventFields& fields, bool on_thread) {
    const auto time = time_of(fields);
    if (!time) return false;
    const auto open = open_ends_.find(end_key(fields, on_thread, *time));
    if (open == open_ends_.end() || open->second == 0) return false;
    --open->second;
    return true;
  }

  /// Returns whether the slice at this end of a flow is retained; see resolve_flows(). The deepest slice
  /// decides, since the parents of retained slices are also retained.
  bool end_is_retained(const EventFields& fields, char phase) const {
    const auto time = time_of(fields);
    const auto found = threads_.find(unescape(fields.tid));
    if (!time || found == threads_.end()) return false;
    const std::string pid = unescape(fields.pid);
    const auto own = [&](const Track* track) { return trace_.processes[track->process].pid == pid; };
    // Needed because the model can merge processes that are separate in the file.
    const bool any_own = std::ranges::any_of(found->second, own);
    SliceId next = kNoSlice;
    for (const Track* track : found->second) {
      if (any_own && !own(track)) continue;
      for (std::uint32_t i = track->row_count; i-- > 0;) {
        const Row& row = trace_.rows[track->first_row + i];
        const SliceId slice = covering(trace_, row, *time);
        if (slice != kNoSlice) return slices_.contains(slice);
        const auto* begin = trace_.slices.start_ns.data() + row.first_slice;
        const auto* first = std::lower_bound(begin, begin + row.slice_count, *time);
        if (first == begin + row.slice_count) continue;
        const SliceId later{row.first_slice + static_cast<std::uint32_t>(first - begin)};
        if (next == kNoSlice || *first < trace_.start_ns(next)) next = later;
      }
    }
    return phase == 'f' && fields.binding.empty() && next != kNoSlice && slices_.contains(next);
  }

  const Trace& trace_;
  TimeRange range_;
  RetainedSlices slices_;
  std::int64_t file_shift_ns_;  // offset of the trace's times from the file's clock
  std::int64_t shift_ns_ = 0;   // offset for the current event
  TracksByThread threads_;
  std::unordered_set<std::uint64_t> samples_;
  std::unordered_set<std::uint64_t> lost_flows_;
  std::unordered_map<std::uint64_t, std::uint32_t> open_ends_;
};

/// Returns a member of the document as JSON. Empty for the key "traceEvents", and if the value is not JSON.
std::string member_text(const std::string& key, const std::string& value) {
  if (key == "traceEvents" || value.empty() || !json::accept(value)) return {};
  return json(key).dump(-1, ' ', false, json::error_handler_t::replace) + ": " + value;
}

class TrimWriter {
 public:
  TrimWriter(const Trace& trace, const TextSource& text, TimeRange range, TextFile file)
      : trace_(trace), text_(text), choice_(trace, range), file_(std::move(file)) {}

  Result<TrimReport> run(EventWalk& walk) {
    if (trace_.counts[EventType::flows] > 0 || trace_.paired_slices > 0 || trace_.async_slices > 0) {
      const auto look = [this](const VisitedEvent& event) {
        if (!event.text.empty()) choice_.look(event);
        return std::optional<Error>();
      };
      if (auto error = walk.visit(look)) return std::move(*error);
    }
    const bool root = walk.form() == ArrayForm::root;
    std::string head = root ? "[" : "{";
    const std::size_t before = walk.members_before();
    if (!root) {
      for (const DocumentMember& member : std::span(walk.members()).first(before)) {
        const std::string text = member_text(member.key, member.value);
        if (!text.empty()) head += "\n" + text + ",";
      }
      head += "\n\"traceEvents\": [";
    }
    if (auto error = file_.write(head)) return std::move(*error);
    if (auto error = walk.visit([this](const VisitedEvent& event) { return take(event); }))
      return std::move(*error);
    std::string tail = "\n]";
    for (const DocumentMember& member : std::span(walk.members()).subspan(before)) {
      const std::string text = member_text(member.key, member.value);
      if (!root && !text.empty()) tail += ",\n" + text;
    }
    if (auto error = file_.write(tail + (root ? "\n" : "\n}\n"))) return std::move(*error);
    if (!text_.unchanged()) {
      return Error{Error::Kind::corrupt, "the trace changed while it was trimmed; open it again"};
    }
    Result<std::uint64_t> bytes = file_.finish();
    if (!bytes.ok()) return bytes.error();
    report_.bytes = bytes.value();
    report_.of_events = trace_.counts.total();
    return report_;
  }

 private:
  std::optional<Error> take(const VisitedEvent& event) {
    if (event.text.empty()) {
      ++report_.unreadable;
      return std::nullopt;
    }
    return choice_.keeps(event) ? put(event.text, event.fields, event.shift_ns) : std::nullopt;
  }

  std::optional<Error> put(std::string_view event, const EventFields& fields, std::int64_t shift_ns) {
    if (auto error = file_.write(report_.events == 0 ? "\n" : ",\n")) return error;
    ++report_.events;
    const auto time = shift_ns != 0 ? EventChoice::file_time_of(fields) : std::nullopt;
    std::int64_t shifted = 0;
    if (!time || __builtin_add_overflow(*time, shift_ns, &shifted)) return file_.write(event);
    return file_.write(event_at(event, shifted));
  }

  const Trace& trace_;
  const TextSource& text_;
  EventChoice choice_;
  TextFile file_;
  TrimReport report_;
};

}  // namespace

Result<TrimReport> write_trimmed(const Trace& trace, const TextSource& text, TimeRange range,
                                 const std::filesystem::path& out, std::atomic<std::uint64_t>& bytes_read,
                                 const std::stop_token& stop) {
  EventWalk walk(trace, text, bytes_read, stop);
  if (auto error = walk.find()) return std::move(*error);
  Result<TextFile> file = TextFile::create(out);
  if (!file.ok()) return file.error();
  TrimWriter writer(trace, text, range, std::move(file).value());
  return writer.run(walk);
}

}  // namespace kino
