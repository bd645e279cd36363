#include "loaders/perfetto/perfetto_transcript.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/saturating.hpp"
#include "core/base/step_words.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/recorder_notes.hpp"
#include "loaders/perfetto/packet_stream.hpp"
#include "loaders/perfetto/perfetto_events.hpp"
#include "loaders/perfetto/slice_pairing.hpp"

namespace kino {
namespace {

/// What kind of packet has this field; empty for those without a name here.
std::string_view packet_kind(std::uint32_t field) {
  constexpr std::array<std::pair<std::uint32_t, std::string_view>, 12> kNames{{{1, "ftrace"},
                                                                               {2, "process tree"},
                                                                               {4, "inode file map"},
                                                                               {34, "process statistics"},
                                                                               {37, "heap profile"},
                                                                               {38, "battery"},
                                                                               {39, "Android log"},
                                                                               {51, "system statistics"},
                                                                               {53, "GPU counters"},
                                                                               {54, "GPU render stages"},
                                                                               {66, "CPU samples"},
                                                                               {69, "frame timeline"}}};
  const auto found = std::ranges::find(kNames, field, &std::pair<std::uint32_t, std::string_view>::first);
  return found == kNames.end() ? std::string_view() : found->second;
}

class PerfettoTranscriber {
 public:
  explicit PerfettoTranscriber(const Transcription& to) : to_(to), out_(to.out), events_(to.damage) {}

  std::optional<Error> run(GrowingText& text) {
    std::uint64_t packets = 0;
    auto error =
        for_each_packet(text, to_.damage, to_.stop, [&](std::string_view packet, std::uint64_t offset) {
          events_.add(packet, offset);
          return ++packets % 1024 != 0 || !to_.stop.stop_requested();
        });
    if (error) return error;
    if (to_.stop.stop_requested()) return std::nullopt;
    std::string members;
    if (events_.unix_shift_ns)
      members = "\"baseTimeNanoseconds\":" + std::to_string(*events_.unix_shift_ns) + ",";
    out_.begin(members);
    for (const PerfettoEvent& it : events_.events) first_ns_ = std::min(first_ns_, it.time_ns);
    slices();
    points();
    counters();
    names();
    notes();
    return std::nullopt;
  }

 private:
  bool stopped(std::uint64_t& count) const {
    return ++count % 1024 == 0 && (to_.stop.stop_requested() || !out_.good());
  }

  struct Place {
    std::string pid;
    std::string tid;
    std::string thread_name;
    EventPlace place() const { return {pid, tid}; }
  };

  /// The process and thread of a track, which it may have from those above it.
  const Place& place_of(std::uint64_t id) {
    const auto [at, fresh] = places_.try_emplace(id);
    if (!fresh) return at->second;
    constexpr int kDeepest = 64;
    const PerfettoTrack* own = nullptr;
    std::optional<std::int64_t> pid;
    std::optional<std::int64_t> tid;
    std::uint64_t up = id;
    for (int depth = 0; depth < kDeepest; ++depth) {
      const auto found = events_.tracks.find(up);
      if (found == events_.tracks.end()) break;
      if (depth == 0) own = &found->second;
      if (depth == 0 && found->second.tid) tid = found->second.tid;
      if (!pid) pid = found->second.pid;
      if (found->second.parent == 0) break;
      up = found->second.parent;
    }
    Place& place = at->second;
    place.pid = pid ? std::to_string(*pid) : "\"tracks\"";
    if (tid) {
      place.tid = std::to_string(*tid);
      place.thread_name = own->thread_name;
    } else {
      const bool named = own != nullptr && !own->name.empty();
      place.tid = named                               ? "\"" + own->name + "\""
                  : pid && own != nullptr && own->pid ? place.pid
                                                      : "\"track " + std::to_string(id) + "\"";
    }
    return place;
  }

  std::string_view arguments_of(const PerfettoEvent& event) const {
    return std::string_view(events_.arguments).substr(event.arguments, event.arguments_size);
  }

  static bool has(std::string_view arguments, std::string_view key) {
    for (std::size_t at = arguments.find(key); at != std::string_view::npos;
         at = arguments.find(key, at + 1)) {
      const std::size_t end = at + key.size();
      if (at > 0 && arguments[at - 1] == '"' && arguments.substr(end).starts_with("\":")) return true;
    }
    return false;
  }

  /// By its arguments, as Kineto gives them to each kind; empty: an operator or a range of the program.
  static std::string_view category_by_arguments(std::string_view arguments, std::string_view name) {
    if (has(arguments, "grid") || has(arguments, "registers per thread")) return "kernel";
    if (has(arguments, "memory bandwidth (GB/s)") || (has(arguments, "bytes") && has(arguments, "stream")))
      return name.starts_with("Memset") ? "gpu_memset" : "gpu_memcpy";
    if (has(arguments, "cuda_sync_kind") || has(arguments, "wait_on_stream")) return "cuda_sync";
    if (has(arguments, "cbid") || name.starts_with("cuda") || name.starts_with("hip")) {
      const bool driver = name.starts_with("cu") && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z';
      return driver ? "cuda_driver" : "cuda_runtime";
    }
    if (has(arguments, "Python id") || has(arguments, "Python parent id")) return "python_function";
    return {};
  }

  static bool is_operator(std::string_view arguments, std::string_view name) {
    return !is_step_name(name) &&
           (contains(name, "::") || has(arguments, "Input Dims") || has(arguments, "Sequence number"));
  }

  void slices() {
    const Pairing pairing = pair_slices(events_.events, to_.stop);
    differing_ = pairing.differing;
    if (pairing.ends_without_begin > 0)
      to_.damage.add(DamageReason::end_without_begin, kNoOffset, "", pairing.ends_without_begin);
    // A group of records is of one kind: one operator among them makes all of them operators.
    std::vector<bool> operators(pairing.runs);
    for (const PairedSlice& it : pairing.slices) {
      const PerfettoEvent& begin = events_.events[it.begin];
      if (it.run != PairedSlice::kNone && begin.category == 0 &&
          is_operator(arguments_of(begin), name_of(begin)))
        operators[it.run] = true;
    }
    std::uint64_t count = 0;
    std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
    for (const PerfettoEvent& it : events_.events) last_ns = std::max(last_ns, it.time_ns);
    for (const PairedSlice& it : pairing.slices) {
      if (stopped(count)) return;
      const PerfettoEvent& begin = events_.events[it.begin];
      const bool in_operators =
          it.run == PairedSlice::kNone ? is_operator(arguments_of(begin), name_of(begin)) : operators[it.run];
      if (it.end == PairedSlice::kNone) to_.damage.add(DamageReason::begin_without_end, kNoOffset, "");
      slice(begin, it.end == PairedSlice::kNone ? last_ns : events_.events[it.end].time_ns, in_operators);
    }
    for (const PerfettoEvent& it : events_.events) {
      if (it.type != PerfettoEvent::Type::complete) continue;
      if (stopped(count)) return;
      slice(it, saturating_add(it.time_ns, it.duration_ns), is_operator(arguments_of(it), name_of(it)));
    }
    arrows();
  }

  std::string_view name_of(const PerfettoEvent& event) const { return events_.texts[event.name]; }

  void slice(const PerfettoEvent& event, std::int64_t end_ns, bool in_operators) {
    const std::string_view arguments = arguments_of(event);
    std::string_view category = events_.texts[event.category];
    if (event.category == 0) category = category_by_arguments(arguments, name_of(event));
    if (category.empty() && has(arguments, "External id"))
      category = in_operators ? "cpu_op" : "user_annotation";
    const Place& place = place_of(event.track);
    out_.slice(category, name_of(event), place.place(), event.time_ns, end_ns);
    out_.argument_members(arguments);
    for (std::uint32_t i = 0; i < event.flow_count; ++i)
      flow_points_.push_back({events_.flows[event.first_flow + i].id, event.time_ns, event.track});
  }

  /// From slice to slice with the same id, in order of time.
  void arrows() {
    std::ranges::stable_sort(flow_points_, {},
                             [](const FlowPoint& it) { return std::pair(it.id, it.time_ns); });
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < flow_points_.size(); ++i) {
      if (stopped(count)) return;
      const FlowPoint& it = flow_points_[i];
      const bool first = i == 0 || flow_points_[i - 1].id != it.id;
      const bool last = i + 1 == flow_points_.size() || flow_points_[i + 1].id != it.id;
      if (first && last) continue;  // its partner was not recorded
      out_.flow(first ? 's' : last ? 'f' : 't', it.id, place_of(it.track).place(), it.time_ns);
    }
  }

  void points() {
    std::uint64_t count = 0;
    for (const PerfettoEvent& it : events_.events) {
      if (it.type != PerfettoEvent::Type::instant) continue;
      if (stopped(count)) return;
      out_.instant(events_.texts[it.category], name_of(it), place_of(it.track).place(), it.time_ns);
      out_.argument_members(arguments_of(it));
    }
  }

  void counters() {
    std::uint64_t count = 0;
    for (const PerfettoSample& it : events_.samples) {
      if (stopped(count)) return;
      first_ns_ = std::min(first_ns_, it.time_ns);
      const auto track = events_.tracks.find(it.track);
      const std::string name = track == events_.tracks.end() || track->second.name.empty()
                                   ? "counter " + std::to_string(it.track)
                                   : track->second.name;
      out_.counter(name, place_of(it.track).pid, it.time_ns, it.value);
    }
  }

  void names() {
    for (const auto& [id, track] : events_.tracks) {
      if (!track.process_name.empty() && track.pid)
        out_.name("process_name", {std::to_string(*track.pid), {}}, track.process_name);
    }
    for (const auto& [id, place] : places_) {
      // A name that is only the number again says nothing.
      const bool says = !place.thread_name.empty() && place.thread_name != place.tid;
      if (says) out_.name("thread_name", place.place(), place.thread_name);
    }
  }

  void notes() {
    const std::int64_t time = first_ns_ == std::numeric_limits<std::int64_t>::max() ? 0 : first_ns_;
    const auto note = [&](const std::string& text) {
      out_.instant(kRecorderNote, text, {"\"Perfetto\"", "\"notes\""}, time);
    };
    for (const auto& [field, count] : events_.not_shown) {
      const std::string_view kind = packet_kind(field);
      note(grouped(count) + " packets of kind " +
           (kind.empty() ? "field " + std::to_string(field) : std::string(kind)) + " are not shown.");
    }
    if (events_.async_events > 0)
      note(grouped(events_.async_events) + " async events of old Chrome are not shown.");
    if (differing_ > 0) {
      note(grouped(differing_) +
           " slices overlap others of their track; their ends are told by position, where Perfetto takes "
           "those of others.");
    }
    if (!events_.unix_shift_ns)
      note("The recording does not say when it was made: times are those of its own clock.");
  }

  struct FlowPoint {
    std::uint64_t id = 0;
    std::int64_t time_ns = 0;
    std::uint64_t track = 0;
  };

  const Transcription& to_;
  TranscriptWriter& out_;
  PerfettoEvents events_;
  std::map<std::uint64_t, Place> places_;
  std::vector<FlowPoint> flow_points_;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
  std::uint64_t differing_ = 0;
};

}  // namespace

std::optional<Error> transcribe_perfetto(GrowingText& text, const Transcription& to) {
  return PerfettoTranscriber(to).run(text);
}

}  // namespace kino
