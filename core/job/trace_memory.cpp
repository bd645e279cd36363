#include "core/job/trace_memory.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/step_words.hpp"
#include "core/tables/operators/memory_table.hpp"
#include "core/trace/python_frame.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

bool is_frame(SliceKind kind) {
  return kind == SliceKind::cpu_op || kind == SliceKind::python || kind == SliceKind::annotation;
}

class TraceMemory {
 public:
  TraceMemory(const Trace& trace, const LibraryList& libraries, const std::stop_token& stop)
      : trace_(trace),
        arguments_(trace.arguments),
        stop_(stop),
        frame_of_name_(trace.names.size(), kNoFrameYet) {
    snapshot_->source = SnapshotSource::trace;
    snapshot_->libraries = libraries;
    snapshot_->streams = {0};
    snapshot_->pools = {{}};
    snapshot_->notes = {{}};
  }

  std::shared_ptr<const Snapshot> run() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> events;  // by device; the host's number is the last
    for (std::uint32_t i = 0; i < arguments_.memory_time_ns.size(); ++i)
      events[arguments_.memory_device[i]].push_back(i);
    for (const auto& [device, numbers] : events) {
      add_device(device, numbers);
      if (stop_.stop_requested()) break;
    }
    add_annotations();
    return std::move(snapshot_);
  }

 private:
  static constexpr std::uint32_t kNoFrameYet = 0xffffffffU;

  std::int64_t unix_us(std::int64_t time_ns) const { return (trace_.origin_unix_ns + time_ns) / 1000; }

  bool is_step(NameId name) const { return is_step_name(trace_.name_text(name)); }

  FrameId frame_of(NameId name) {
    std::uint32_t& known = frame_of_name_[index_of(name)];
    if (known == kNoFrameYet) {
      const PythonFrame parts = python_frame_of(trace_.name_text(name));
      SnapshotFrame frame;
      frame.name = snapshot_->strings.intern(parts.function);
      frame.file = snapshot_->strings.intern(parts.file);
      frame.line = parts.line;
      known = static_cast<std::uint32_t>(snapshot_->stacks.intern(frame));
    }
    return FrameId{known};
  }

  /// Returns the innermost slice of a thread at a time; kNoSlice if there is none.
  SliceId slice_around(TrackId id, std::int64_t time_ns) const {
    if (id == kNoTrack) return kNoSlice;
    const Track& track = trace_.track(id);
    for (std::uint32_t lane = track.row_count; lane-- > 0;) {
      const SliceId slice = trace_.slice_at(RowId{track.first_row + lane}, time_ns);
      if (slice != kNoSlice) return slice;
    }
    return kNoSlice;
  }

  StackId stack_around(std::uint32_t event) {
    const SliceId inner = slice_around(arguments_.memory_track[event], arguments_.memory_time_ns[event]);
    if (inner == last_slice_) return last_stack_;
    frames_.clear();
    for (SliceId at = inner; at != kNoSlice; at = trace_.parent(at)) {
      const NameId name = trace_.name(at);
      // Leave out steps, so that the same place in two steps has one stack.
      if (!is_frame(trace_.kind(at)) || is_step(name)) continue;
      frames_.push_back(frame_of(name));
    }
    last_slice_ = inner;
    last_stack_ = frames_.empty() ? kNoStack : snapshot_->stacks.intern(frames_);
    return last_stack_;
  }

  /// Returns reserved bytes after each event; empty if the trace has no such counter.
  std::vector<std::uint64_t> reserved_after(std::uint32_t device, const std::vector<std::uint32_t>& events) {
    const std::string pid = std::to_string(device);
    const auto track = std::ranges::find_if(trace_.tracks, [&](const Track& track) {
      return track.kind == TrackKind::counter && track.name == kReservedCounter && track.sample_count > 0 &&
             trace_.processes[track.process].gpu && trace_.processes[track.process].pid == pid;
    });
    std::vector<std::uint64_t> reserved;
    if (device == ArgumentColumns::kMemoryHost || track == trace_.tracks.end()) return reserved;
    std::size_t at = track->first_sample;
    const std::size_t sample_end = at + track->sample_count;
    for (const std::uint32_t event : events) {
      while (at + 1 < sample_end && trace_.samples.time_ns[at + 1] <= arguments_.memory_time_ns[event]) ++at;
      constexpr double kMost = 1e18;
      reserved.push_back(static_cast<std::uint64_t>(std::clamp(trace_.samples.value[at], 0.0, kMost)));
    }
    return reserved;
  }

  /// Returns addresses by event. Before torch 1.10, events have no addresses; a free then ends the latest
  /// allocation of the same size.
  std::vector<std::uint64_t> addresses_of(const std::vector<std::uint32_t>& events) const {
    std::vector<std::uint64_t> addresses;
    addresses.reserve(events.size());
    for (const std::uint32_t event : events) addresses.push_back(arguments_.memory_address[event]);
    const bool one =
        std::ranges::all_of(addresses, [&](std::uint64_t value) { return value == addresses[0]; });
    // One address for all events is valid only if allocations and frees alternate.
    const auto again = std::ranges::adjacent_find(events, std::ranges::equal_to{}, [&](std::uint32_t event) {
      return arguments_.memory_bytes[event] >= 0;
    });
    if (!one || again == events.end()) return addresses;
    std::map<std::uint64_t, std::vector<std::uint64_t>> live;  // by size
    std::uint64_t next = 0x1000;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const std::int64_t bytes = arguments_.memory_bytes[events[i]];
      const auto size = static_cast<std::uint64_t>(bytes);
      std::vector<std::uint64_t>& same = live[bytes >= 0 ? size : 0 - size];
      if (bytes < 0 && !same.empty()) {
        addresses[i] = same.back();
        same.pop_back();
        continue;
      }
      addresses[i] = next;
      next += bytes >= 0 ? size + 1 : 1;
      if (bytes >= 0) same.push_back(addresses[i]);
    }
    return addresses;
  }

  /// Returns the bytes that were allocated before the first event and that no event frees.
  std::uint64_t left_over(const std::vector<std::uint32_t>& events,
                          const std::vector<std::uint64_t>& addresses) const {
    const std::int64_t total = arguments_.memory_total_bytes[events.front()];
    if (total < 0) return 0;
    // Hostile values may wrap around; the result is then wrong, but the computation is safe.
    auto before = static_cast<std::uint64_t>(total) -
                  static_cast<std::uint64_t>(arguments_.memory_bytes[events.front()]);
    std::unordered_set<std::uint64_t> live;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const std::int64_t bytes = arguments_.memory_bytes[events[i]];
      if (bytes >= 0) {
        live.insert(addresses[i]);
      } else if (live.erase(addresses[i]) == 0) {
        before += static_cast<std::uint64_t>(bytes);
      }
    }
    return before <= INT64_MAX ? before : 0;
  }

  void add_device(std::uint32_t number, const std::vector<std::uint32_t>& events) {
    const std::vector<std::uint64_t> reserved = reserved_after(number, events);
    const std::vector<std::uint64_t> addresses = addresses_of(events);
    std::size_t changes = 0;
    for (std::size_t i = 1; i < reserved.size(); ++i) changes += reserved[i] != reserved[i - 1] ? 1 : 0;
    SnapshotDevice device;
    device.host = number == ArgumentColumns::kMemoryHost;
    device.ordinal = device.host ? 0 : static_cast<std::int32_t>(std::min(number, 0x7fffffffU));
    // PyTorch numbers the visible GPUs, the profiler can number all GPUs of the machine.
    if (!device.host) device.title = memory_device_name(trace_, number);
    device.entries.reset(events.size() + changes);
    std::size_t at = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return;
      const std::uint32_t event = events[i];
      const StackId stack = stack_around(event);
      if (i > 0 && i < reserved.size() && reserved[i] != reserved[i - 1]) {
        const bool more = reserved[i] > reserved[i - 1];
        put(device.entries, at++, more ? SnapshotAction::segment_alloc : SnapshotAction::segment_free, 0,
            more ? reserved[i] - reserved[i - 1] : reserved[i - 1] - reserved[i], event, stack);
      }
      const std::int64_t bytes = arguments_.memory_bytes[event];
      const auto size = static_cast<std::uint64_t>(bytes);
      put(device.entries, at++, bytes >= 0 ? SnapshotAction::alloc : SnapshotAction::free, addresses[i],
          bytes >= 0 ? size : 0 - size, event, stack);
    }
    finish(device, reserved.empty() ? 0 : reserved.back(), left_over(events, addresses));
    snapshot_->devices.push_back(std::move(device));
  }

  void put(SnapshotEntries& entries, std::size_t at, SnapshotAction action, std::uint64_t addr,
           std::uint64_t size, std::uint32_t event, StackId stack) const {
    entries.action[at] = action;
    entries.addr[at] = addr;
    entries.size[at] = size;
    entries.time_us[at] = unix_us(arguments_.memory_time_ns[event]);
    entries.stack[at] = stack;
  }

  /// Builds the history. build_history() reads reserved and left-over bytes from a segment, which a trace
  /// does not have, so a segment is added and then removed.
  void finish(SnapshotDevice& device, std::uint64_t reserved, std::uint64_t left_over) const {
    SnapshotSegment segment;
    segment.size = reserved;
    segment.block_count = left_over > 0 ? 1 : 0;
    if (left_over > 0) device.blocks.push_back({0, left_over, left_over, kNoStack, BlockState::allocated});
    if (reserved > 0 || left_over > 0) device.segments.push_back(segment);
    build_history(device, stop_);
    device.segments.clear();
    device.blocks.clear();
    device.history.segments.clear();
    device.history.live_segments = {};
    device.trust.not_in_segments = 0;
  }

  void add_annotations() {
    for (const Track& track : trace_.tracks) {
      if (track.kind != TrackKind::cpu_thread) continue;
      if (add_regions(track)) return;
    }
  }

  /// Adds the annotations of a thread. If the thread has no steps, adds nothing and returns false.
  bool add_regions(const Track& track) {
    struct Mark {
      std::int64_t time_ns;
      std::uint32_t lane;
      NameId name;
      bool start;
    };
    std::vector<Mark> marks;
    bool steps = false;
    for (std::uint32_t lane = 0; lane < track.row_count; ++lane) {
      const Row& row = trace_.rows[track.first_row + lane];
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        if (trace_.slices.kind[i] != SliceKind::annotation) continue;
        const std::int64_t start = trace_.slices.start_ns[i];
        const NameId name = trace_.slices.name[i];
        steps = steps || is_step(name);
        marks.push_back({start, lane, name, true});
        marks.push_back({start + trace_.slices.duration_ns[i], lane, name, false});
      }
    }
    if (!steps) return false;
    // At equal times, ends precede starts, and inner regions end first.
    std::ranges::stable_sort(marks, [](const Mark& a, const Mark& b) {
      if (a.time_ns != b.time_ns) return a.time_ns < b.time_ns;
      if (a.start != b.start) return !a.start;
      return a.start ? a.lane < b.lane : a.lane > b.lane;
    });
    std::set<std::int32_t> ordinals;  // the host can have the same ordinal as an accelerator
    for (const SnapshotDevice& device : snapshot_->devices) {
      if (!ordinals.insert(device.ordinal).second) continue;
      for (const Mark& mark : marks) {
        snapshot_->annotations.push_back({snapshot_->strings.intern(trace_.name_text(mark.name)),
                                          device.ordinal, unix_us(mark.time_ns), mark.start});
      }
    }
    return true;
  }

  const Trace& trace_;
  const ArgumentColumns& arguments_;
  const std::stop_token& stop_;
  std::shared_ptr<Snapshot> snapshot_ = std::make_shared<Snapshot>();
  std::vector<std::uint32_t> frame_of_name_;
  std::vector<FrameId> frames_;
  SliceId last_slice_ = kNoSlice;
  StackId last_stack_ = kNoStack;
};

}  // namespace

std::shared_ptr<const Snapshot> snapshot_of_trace(const Trace& trace, const LibraryList& libraries,
                                                  const std::stop_token& stop) {
  return TraceMemory(trace, libraries, stop).run();
}

}  // namespace kino
