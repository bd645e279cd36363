#include "core/trace/timeline/derived_counters.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/tables/gpu/copy_table.hpp"
#include "core/tables/gpu/gpu_metrics.hpp"
#include "core/tables/gpu/queue_length.hpp"
#include "core/tables/operators/memory_table.hpp"
#include "core/trace/links/gpu_work.hpp"

namespace kino {
namespace {

bool shown_as_mean(DerivedCounter kind) {
  return kind == DerivedCounter::utilization || kind == DerivedCounter::sm_efficiency;
}

/// Returns the process that shows a device of the allocator: the GPU's own process, or else that of the
/// allocating thread.
std::uint32_t process_of(const Trace& trace, const AllocatedCurve& curve) {
  if (curve.device != ArgumentColumns::kMemoryHost) {
    const std::string pid = std::to_string(curve.device);
    for (std::uint32_t p = 0; p < trace.processes.size(); ++p) {
      if (trace.processes[p].gpu && trace.processes[p].pid == pid) return p;
    }
  }
  return curve.track == kNoTrack ? 0 : trace.track(curve.track).process;
}

std::vector<CurvePoint> queue_points(const Trace& trace, const StreamWork& stream) {
  std::vector<CurvePoint> points;
  const std::vector<QueuePoint> curve = queue_curve(trace, stream);
  points.reserve(curve.size());
  for (const QueuePoint& point : curve) points.push_back({point.time_ns, static_cast<double>(point.length)});
  return points;
}

class Collector {
 public:
  Collector(const Trace& trace, const std::stop_token& stop) : trace_(trace), stop_(stop) {}

  std::vector<FoundCounter> run() {
    const TimeRange range = whole_range(trace_);
    const GpuWork work = gpu_work_in(trace_, range, stop_);
    for (GpuRates& rates : gpu_rates(trace_, work, range, stop_)) {
      add(DerivedCounter::utilization, rates.process, english(msg::gpu_utilization), {},
          std::move(rates.busy));
      add(DerivedCounter::sm_efficiency, rates.process, english(msg::counter_sm_efficiency), {},
          std::move(rates.efficiency));
    }
    for (AllocatedCurve& curve : memory_curves(trace_, stop_)) {
      if (has_totals(curve.device)) continue;
      const std::string device = memory_device_name(trace_, curve.device);
      add(DerivedCounter::memory, process_of(trace_, curve),
          Message(msg::counter_allocated_memory, device).str(), device, std::move(curve.points));
    }
    for (CopyCurve& curve : copy_curves(trace_, work, stop_)) {
      add(DerivedCounter::copy_bandwidth, curve.process,
          Message(msg::counter_bandwidth, curve.direction).str(), curve.direction, std::move(curve.points));
    }
    add_all_queues(work);
    for (const StreamWork& stream : work.streams) {
      if (stop_.stop_requested()) return {};
      const Track& track = trace_.track(stream.track);
      add(DerivedCounter::queue_length, track.process,
          Message(msg::counter_queue_length, track.name.str()).str(), track.name.str(),
          queue_points(trace_, stream));
      if (!found_.empty() && found_.back().kind == DerivedCounter::queue_length)
        found_.back().place = {index_of(stream.track), true};
    }
    return std::move(found_);
  }

 private:
  bool has_totals(std::uint32_t device) const {
    const ArgumentColumns& arguments = trace_.arguments;
    for (std::size_t i = 0; i < arguments.memory_device.size(); ++i) {
      if (arguments.memory_device[i] == device && arguments.memory_total_bytes[i] >= 0) return true;
    }
    return false;
  }

  /// Adds the queue of all streams for each GPU with several streams, since packed streams have no separate
  /// queues.
  void add_all_queues(const GpuWork& work) {
    std::vector<std::uint32_t> streams(trace_.processes.size());
    for (const Track& track : trace_.tracks)
      streams[track.process] += track.kind == TrackKind::gpu_stream ? 1 : 0;
    for (std::uint32_t process = 0; process < streams.size(); ++process) {
      if (streams[process] < 2 || stop_.stop_requested()) continue;
      StreamWork all;
      for (const StreamWork& stream : work.of_process(trace_, process))
        all.slices.insert(all.slices.end(), stream.slices.begin(), stream.slices.end());
      run_merge_sort(
          all.slices.data(), all.slices.size(),
          [&](SliceId a, SliceId b) { return trace_.start_ns(a) < trace_.start_ns(b); },
          [&] { return stop_.stop_requested(); });
      add(DerivedCounter::all_queues, process, english(msg::counter_queue_length_of_all), {},
          queue_points(trace_, all));
    }
  }

  void add(DerivedCounter kind, std::uint32_t process, std::string_view name, std::string tid,
           std::vector<CurvePoint> points) {
    if (points.empty()) return;
    const FoundCounter::Place above{trace_.processes[process].first_track, false};
    found_.push_back({kind, process, above, std::string(name), std::move(tid), std::move(points)});
  }

  const Trace& trace_;
  const std::stop_token& stop_;
  std::vector<FoundCounter> found_;
};

Track track_of_counter(const FoundCounter& counter, std::size_t first_sample) {
  Track track;
  track.kind = TrackKind::counter;
  track.name = counter.name;
  track.tid = counter.tid;
  track.process = counter.process;
  track.first_sample = static_cast<std::uint32_t>(first_sample);
  track.sample_count = static_cast<std::uint32_t>(counter.points.size());
  const auto [least, most] = std::ranges::minmax_element(counter.points, {}, &CurvePoint::value);
  // The axis of a share is 0 to 1.
  track.min_value = shown_as_mean(counter.kind) ? 0 : least->value;
  track.max_value = shown_as_mean(counter.kind) ? 1 : most->value;
  track.bytes = counter.kind == DerivedCounter::memory || counter.kind == DerivedCounter::snapshot_active ||
                counter.kind == DerivedCounter::snapshot_reserved;
  return track;
}

}  // namespace

CounterRow CounterTracks::row(std::uint32_t index) const {
  const Track& track = tracks[index];
  return {
      samples.time_ns.sub(track.first_sample, track.sample_count),
      samples.value.sub(track.first_sample, track.sample_count),
      std::span(integral).subspan(first_integral[index], first_integral[index + 1] - first_integral[index])};
}

std::uint32_t DerivedCounters::count() const {
  std::size_t count = 0;
  for (const auto& part : parts) count += part->tracks.size();
  return static_cast<std::uint32_t>(count);
}

DerivedCounters::Found DerivedCounters::find(std::uint32_t track) const {
  std::uint32_t index = track - first_track;
  for (const auto& part : parts) {
    if (index < part->tracks.size()) return {part.get(), index};
    index -= static_cast<std::uint32_t>(part->tracks.size());
  }
  return {};
}

CounterRow DerivedCounters::row(std::uint32_t track) const {
  const Found found = find(track);
  return found.part->row(found.index);
}

CounterTracks counter_tracks(std::vector<FoundCounter> found) {
  CounterTracks made;
  made.first_integral.push_back(0);
  std::size_t count = 0;
  for (const FoundCounter& counter : found) count += counter.points.size();
  made.samples.time_ns = Column<std::int64_t>(count);
  made.samples.value = Column<double>(count);
  std::size_t at = 0;
  for (FoundCounter& counter : found) {
    made.tracks.push_back(track_of_counter(counter, at));
    made.kinds.push_back(counter.kind);
    made.places.push_back(counter.place);
    for (const CurvePoint& point : counter.points) {
      made.samples.time_ns[at] = point.time_ns;
      made.samples.value[at++] = point.value;
    }
    const std::size_t size = counter.points.size();
    counter.points = {};
    if (shown_as_mean(counter.kind)) {
      const std::vector<double> sums =
          curve_integral(made.samples.time_ns.sub(at - size, size), made.samples.value.sub(at - size, size));
      made.integral.insert(made.integral.end(), sums.begin(), sums.end());
    }
    made.first_integral.push_back(static_cast<std::uint32_t>(made.integral.size()));
  }
  return made;
}

CounterTracks derived_counters(const Trace& trace, const std::stop_token& stop) {
  std::vector<FoundCounter> found;
  if (!trace.tracks.empty()) found = Collector(trace, stop).run();
  if (stop.stop_requested()) found.clear();
  return counter_tracks(std::move(found));
}

}  // namespace kino
