#include "loaders/formats/perfetto/perfetto_transcript.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/recorder_notes.hpp"
#include "loaders/formats/perfetto/packet_readers.hpp"
#include "loaders/formats/perfetto/perfetto_events.hpp"
#include "loaders/formats/perfetto/record_signs.hpp"
#include "loaders/formats/perfetto/rocprof_records.hpp"
#include "loaders/formats/perfetto/slice_pairing.hpp"

namespace kino {
namespace {

/// Returns the kind of packets with this field of TracePacket (trace_packet.proto); empty for other fields.
std::string_view packet_kind(std::uint32_t field) {
  constexpr std::pair<std::uint32_t, std::string_view> kNames[] = {
      // Fields that have no name here are reported by number.
      {1, "ftrace"},
      {2, "process tree"},
      {4, "inode file map"},
      {5, "Chrome events"},
      {7, "system statistics"},
      {9, "process statistics"},
      {37, "heap profile"},
      {38, "battery"},
      {39, "Android log"},
      {40, "power rails"},
      {43, "process descriptor"},
      {44, "thread descriptor"},
      {47, "package list"},
      {49, "Perfetto metatrace"},
      {51, "Chrome metadata"},
      {52, "GPU counters"},
      {53, "GPU render stages"},
      {54, "streaming profile"},
      {56, "heap graph"},
      {57, "graphics frames"},
      {61, "module symbols"},
      {62, "Vulkan memory"},
      {63, "GPU log"},
      {65, "Vulkan API"},
      {66, "CPU samples"},
      {67, "CPU info"},
      {68, "memory maps"},
      {69, "service event"},
      {71, "GPU memory"},
      {76, "frame timeline"},
      {88, "network packet"},
      {95, "Windows ETW"},
      {117, "kernel task states"},
      {118, "CPU frequency"},
      {120, "task renames"},
      {122, "kernel process tree"},
      {128, "GPU info"},
      {129, "GPU frequency"},
      {135, "stack samples"}};
  const auto found = std::ranges::find(kNames, field, &std::pair<std::uint32_t, std::string_view>::first);
  return found == std::end(kNames) ? std::string_view() : found->second;
}

class PerfettoTranscriber {
 public:
  PerfettoTranscriber(const Transcription& to, unsigned threads)
      : to_(to), out_(to.out), readers_(threads), events_(to.damage, to.stop) {}

  std::optional<Error> run(GrowingText& text) {
    if (auto error = read_packets(text, readers_, to_.stop, [&](const DecodedPackets& packets) {
          events_.add(packets);
          const auto size = static_cast<double>(text.source()->size_bytes());
          to_.set_read(static_cast<double>(packets.end_offset) / size);
        }))
      return error;
    if (to_.stop.stop_requested()) return std::nullopt;
    events_.pair();
    first_ns_ = events_.first_ns;
    std::string members;
    if (events_.unix_shift_ns)
      members = "\"baseTimeNanoseconds\":" + std::to_string(*events_.unix_shift_ns) + ",";
    out_.begin(members);
    find_streams();
    events();
    arrows();
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
    std::optional<RocprofTrack> rocprof;
    EventPlace place() const { return {pid, tid}; }
  };

  /// Returns the process and thread of a track. A track inherits the process from its parents.
  const Place& place_of(std::uint32_t track) {
    if (track >= places_.size()) places_.resize(events_.track_ids.size());
    Place& place = places_[track];
    if (place.pid.empty()) place = find_place(events_.track_ids[track]);
    return place;
  }

  /// Returns the GPU stream to which work on a track of rocprofv3 is assigned.
  static Place work_place(const RocprofTrack& track, std::int64_t agent) {
    Place place;
    place.pid = std::to_string(agent);
    place.tid = std::to_string(track.lane);
    if (track.of_thread) place.tid = "\"copies of thread " + place.tid + "\"";
    place.rocprof = track;
    return place;
  }

  Place find_place(std::uint64_t id) const {
    constexpr int kDeepest = 64;
    const PerfettoTrack* const own = events_.track_with_id(id);
    std::optional<std::int64_t> pid;
    const PerfettoTrack* up = own;
    for (int depth = 0; depth < kDeepest && up != nullptr; ++depth) {
      if (!pid) pid = up->pid;
      if (up->parent == 0) break;
      up = events_.track_with_id(up->parent);
    }
    Place place;
    if (own != nullptr && !own->tid) place.rocprof = rocprof_track(own->name);
    if (place.rocprof) return work_place(*place.rocprof, place.rocprof->agent);
    place.pid = pid ? std::to_string(*pid) : "\"tracks\"";
    if (own != nullptr && own->tid) {
      place.tid = std::to_string(*own->tid);
      place.thread_name = own->thread_name;
    } else {
      const bool named = own != nullptr && !own->name.empty();
      place.tid = named                               ? "\"" + own->name + "\""
                  : pid && own != nullptr && own->pid ? place.pid
                                                      : "\"track " + std::to_string(id) + "\"";
    }
    return place;
  }

  /// Returns the event's own category, or the category that its signs indicate.
  std::string_view category_of(const PerfettoEvent& event) const {
    if (event.category != 0) {
      const std::string_view category = events_.text(event.category);
      const std::string_view rocprof = category_of_rocprof(category);
      return rocprof.empty() ? category : rocprof;
    }
    return category_of_signs(event.signs, events_.name_signs(event.name), event.of_operators);
  }

  /// Finds tracks that contain only GPU work and annotations. Such annotations are projections of those on
  /// threads.
  void find_streams() {
    std::vector<bool> others(events_.track_ids.size());
    streams_.resize(events_.track_ids.size());
    for (const auto& block : events_.events.blocks()) {
      if (to_.stop.stop_requested()) return;
      for (const PerfettoEvent& perfetto_event : block.span()) {
        const std::string_view category = category_of(perfetto_event);
        const bool work = category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset";
        if (work) streams_[perfetto_event.track] = true;
        if (!work && category != kAnnotation) others[perfetto_event.track] = true;
      }
    }
    for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i] = streams_[i] && !others[i];
  }

  void events() {
    const SlicePairing& pairing = events_.pairing();
    if (pairing.ends_without_begin() > 0)
      to_.damage.add(DamageReason::end_without_begin, kNoOffset, "", pairing.ends_without_begin());
    std::uint64_t count = 0;
    std::uint64_t unended = 0;
    const auto size = static_cast<double>(events_.events.size());
    for (auto& block : events_.events.blocks()) {
      to_.set_transcribed(static_cast<double>(count) / size);
      for (const PerfettoEvent& record : block.span()) {
        if (stopped(count)) return;
        event(record);
        if (record.type == PerfettoEvent::Type::begin) ++unended;
      }
      block.records = {};
    }
    if (unended > 0) to_.damage.add(DamageReason::begin_without_end, kNoOffset, "", unended);
  }

  void event(const PerfettoEvent& event) {
    const std::string_view name = events_.text(event.name);
    const Place& at = place_of(event.track);
    const EventPlace place = at.place();
    if (event.type != PerfettoEvent::Type::instant && of_rocprof(event)) {
      rocprof_slice(event, at);
    } else if (event.type == PerfettoEvent::Type::instant) {
      out_.instant(events_.text(event.category), name, place, event.time_ns, event.name);
    } else {
      const bool ended = event.type == PerfettoEvent::Type::complete;
      std::string_view category = category_of(event);
      if (event.category == 0 && category == kAnnotation && streams_[event.track])
        category = "gpu_user_annotation";
      out_.slice(category, name, place, event.time_ns, ended ? event.end_ns : events_.last_ns, event.name);
      for (std::uint32_t i = 0; i < event.flow_count; ++i)
        flow_points_.push_back({events_.flows[event.first_flow + i], event.time_ns, event.track});
    }
    arguments(event.first_argument, event.argument_count);
    const PerfettoArguments& at_end = events_.end_arguments[event.end_index];
    arguments(at_end.first, at_end.count);
  }

  bool of_rocprof(const PerfettoEvent& event) const {
    return event.category != 0 && !category_of_rocprof(events_.text(event.category)).empty();
  }

  /// Arguments of a rocprofv3 record that tables need.
  struct RocprofRecord {
    std::optional<std::int64_t> correlation;
    std::optional<std::int64_t> bytes;
    std::optional<std::int64_t> agent;        ///< of a kernel
    std::optional<std::int64_t> source;       ///< source agent of a copy
    std::optional<std::int64_t> destination;  ///< destination agent of a copy
  };

  RocprofRecord rocprof_record(const PerfettoEvent& event) const {
    RocprofRecord record;
    each_argument(event.first_argument, event.argument_count, [&](const PerfettoArgument& argument) {
      const std::string_view name = events_.text(argument.name);
      if (argument.kind == PerfettoArgument::Kind::integer) {
        if (name == "corr_id") record.correlation = argument.integer;
        if (name == "copy_bytes") record.bytes = argument.integer;
      } else if (argument.kind == PerfettoArgument::Kind::text) {
        const std::string_view text(argument.value, argument.size);
        if (name == "agent") record.agent = agent_number(text);
        if (name == "src_agent") record.source = agent_number(text);
        if (name == "dst_agent") record.destination = agent_number(text);
      }
    });
    return record;
  }

  /// Returns the GPU stream of the work. A copy to the host belongs to the GPU from which it reads.
  Place rocprof_place(const PerfettoEvent& event, const RocprofRecord& record, std::string_view category,
                      const Place& at) const {
    const bool to_host = at.rocprof ? !at.rocprof->on_gpu : contains(events_.text(event.name), "_TO_HOST");
    if (at.rocprof) return to_host && record.source ? work_place(*at.rocprof, *record.source) : at;
    if (contains(events_.text(event.name), "HOST_TO_HOST")) return at;
    std::optional<std::int64_t> agent;
    if (category == "kernel") agent = record.agent;
    if (category == "gpu_memcpy") agent = to_host ? record.source : record.destination;
    if (!agent) return at;
    const PerfettoTrack* const track = events_.track(event.track);
    const auto lane = track == nullptr ? std::nullopt : rocprof_lane(track->name);
    if (lane) return work_place({*agent, *lane, false, true}, *agent);
    Place place = at;
    place.pid = std::to_string(*agent);
    return place;
  }

  /// Writes the slice with the arguments that tables expect from Kineto; the caller adds the recorded
  /// arguments. A common correlation id links calls and kernels, so they need no flow.
  void rocprof_slice(const PerfettoEvent& event, const Place& at) {
    const RocprofRecord record = rocprof_record(event);
    const std::string_view category = category_of(event);
    const Place place = rocprof_place(event, record, category, at);
    agents_are_gpus_ = agents_are_gpus_ || place.rocprof || place.pid != at.pid;
    const std::int64_t end_ns = event.type == PerfettoEvent::Type::complete ? event.end_ns : events_.last_ns;
    out_.slice(category, events_.text(event.name), place.place(), event.time_ns, end_ns, event.name);
    // Each call has a separate id, and a kernel has the id of its launch.
    const bool linked = category == "kernel" || category == "gpu_memcpy" || category == "hip_runtime";
    if (linked && record.correlation) out_.argument("correlation", *record.correlation);
    if (record.bytes) {
      out_.argument("bytes", *record.bytes);
      if (end_ns > event.time_ns) {
        out_.argument_number("memory bandwidth (GB/s)", static_cast<double>(*record.bytes) /
                                                            static_cast<double>(end_ns - event.time_ns));
      }
    }
  }

  void arguments(std::uint64_t first, std::uint64_t count) {
    using Kind = PerfettoArgument::Kind;
    each_argument(first, count, [&](const PerfettoArgument& perfetto_argument) {
      const std::string_view name = events_.text(perfetto_argument.name);
      if (perfetto_argument.kind == Kind::integer) {
        out_.argument(name, perfetto_argument.integer);
      } else if (perfetto_argument.kind == Kind::number) {
        out_.argument_number(name, perfetto_argument.number);
      } else if (perfetto_argument.kind == Kind::text) {
        out_.argument_text(name, {perfetto_argument.value, perfetto_argument.size});
      } else {
        out_.argument_json(name, {perfetto_argument.value, perfetto_argument.size});
      }
    });
  }

  template <class Visit>
  void each_argument(std::uint64_t first, std::uint64_t count, Visit&& visit) const {
    while (count > 0) {
      const auto rest = events_.arguments.rest_of_block(first);
      const auto part = rest.first(std::min<std::uint64_t>(count, rest.size()));
      for (const PerfettoArgument& element : part) visit(element);
      first += part.size();
      count -= part.size();
    }
  }

  /// Writes flows between slices with equal flow ids, in time order.
  void arrows() {
    std::ranges::stable_sort(flow_points_, {},
                             [](const FlowPoint& point) { return std::pair(point.id, point.time_ns); });
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < flow_points_.size(); ++i) {
      if (stopped(count)) return;
      const FlowPoint& flow_point = flow_points_[i];
      const bool first = i == 0 || flow_points_[i - 1].id != flow_point.id;
      const bool last = i + 1 == flow_points_.size() || flow_points_[i + 1].id != flow_point.id;
      if (first && last) continue;  // its partner was not recorded
      out_.flow(first  ? 's'
                : last ? 'f'
                       : 't',
                flow_point.id, place_of(flow_point.track).place(), flow_point.time_ns);
    }
  }

  void counters() {
    std::uint64_t count = 0;
    for (const PerfettoSample& sample : events_.samples) {
      if (stopped(count)) return;
      first_ns_ = std::min(first_ns_, sample.time_ns);
      const PerfettoTrack* const track = events_.track(sample.track);
      const std::string name = track == nullptr || track->name.empty()
                                   ? "counter " + std::to_string(events_.track_ids[sample.track])
                                   : track->name;
      out_.counter(name, place_of(sample.track).pid, sample.time_ns, sample.value);
    }
  }

  void names() {
    for (const auto& [id, track] : events_.tracks) {
      if (!track.process_name.empty() && track.pid)
        out_.name("process_name", {std::to_string(*track.pid), {}}, track.process_name);
    }
    for (const Place& place : places_) {
      // Omits names that repeat the number, and tracks that have no events.
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
      note(counted_noun(count, "packet") + " of kind " +
           (kind.empty() ? "field " + std::to_string(field) : std::string(kind)) +
           (count == 1 ? " is not shown." : " are not shown."));
    }
    if (events_.async_events > 0)
      note(grouped(events_.async_events) + " async events of old Chrome versions are not shown.");
    if (events_.cut_events > 0)
      note("Arguments beyond 16 MiB are not shown for " + counted_noun(events_.cut_events, "event") + ".");
    if (agents_are_gpus_) note("GPUs are numbered as agents of rocprofv3. The first agents are processors.");
    if (const std::uint64_t differing = events_.pairing().differing(); differing > 0) {
      note(grouped(differing) +
           " slices overlap others of their track. Their ends are matched by nesting position, so they can "
           "differ from Perfetto's.");
    }
    if (!events_.unix_shift_ns) note(Message(msg::recording_without_date).str());
  }

  static constexpr std::string_view kAnnotation = "user_annotation";

  struct FlowPoint {
    std::uint64_t id = 0;
    std::int64_t time_ns = 0;
    std::uint32_t track = 0;
  };

  const Transcription& to_;
  ImportWriter& out_;
  std::vector<PacketReader> readers_;  // own the argument values
  PerfettoEvents events_;
  std::vector<Place> places_;  // by track index; pid is empty until place_of() is called
  std::vector<bool> streams_;  // by track index; see find_streams()
  bool agents_are_gpus_ = false;
  std::vector<FlowPoint> flow_points_;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();  // start of the first event or sample
};

}  // namespace

std::optional<Error> transcribe_perfetto(GrowingText& text, const Transcription& to, unsigned threads) {
  return PerfettoTranscriber(to, threads).run(text);
}

}  // namespace kino
