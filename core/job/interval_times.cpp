#include "core/job/interval_times.hpp"

#include <algorithm>
#include <utility>

#include "core/base/host_words.hpp"
#include "core/base/messages/message.hpp"
#include "core/job/rank_digest.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/runtime_calls.hpp"
#include "core/trace/sampled_tracks.hpp"

namespace kino {
namespace {

enum class Activity : std::uint8_t { none, busy, blocking, collector, loader };

Activity activity_of(std::string_view name, SliceKind kind) {
  if (name.find("DataLoader") != std::string_view::npos || name.find("DataPipe") != std::string_view::npos)
    return Activity::loader;
  if (is_garbage_collection(name)) return Activity::collector;
  if (kind == SliceKind::runtime && (waits_for_gpu(name) || changes_gpu_memory(name)))
    return Activity::blocking;
  return kind == SliceKind::runtime || kind == SliceKind::cpu_op ? Activity::busy : Activity::none;
}

/// Partitions the time of a rank by IntervalPart.
class RankTime {
 public:
  RankTime(const Trace& trace, const GpuWork& work, const std::stop_token& stop)
      : trace_(trace), stop_(stop) {
    std::array<std::vector<TimeRange>, 3> busy;  // compute, copy, communication
    for (const StreamWork& stream : work.streams) {
      for (const SliceId slice : stream.slices) {
        items_.push_back(slice);
        const TimeRange range{trace_.start_ns(slice), trace.end_ns(slice)};
        const SliceKind kind = trace.kind(slice);
        const std::size_t place = kind == SliceKind::compute ? 0 : kind == SliceKind::copy ? 1 : 2;
        append_range(busy[place], range);
      }
    }
    std::ranges::sort(items_, {},
                      [&](SliceId slice) { return std::tuple(trace_.start_ns(slice), trace.end_ns(slice)); });
    std::vector<TimeRange> all;
    for (std::size_t i = 0; i < busy.size(); ++i) {
      std::vector<TimeRange> own = without_ranges(united(std::move(busy[i])), all);
      all.insert(all.end(), own.begin(), own.end());
      all = united(std::move(all));
      lines_[i] = BusyLine(std::move(own));
    }
    split_idle(all);
  }

  std::int64_t computed(TimeRange range) const {
    return lines_[static_cast<std::size_t>(IntervalPart::compute)].covered(range.begin_ns, range.end_ns);
  }

  IntervalTimes times(TimeRange range) const {
    IntervalTimes times{};
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = lines_[i].covered(range.begin_ns, range.end_ns);
    return times;
  }

 private:
  void split_idle(const std::vector<TimeRange>& busy) {
    std::vector<TimeRange> queued;
    std::vector<TimeRange> unknown;
    std::vector<TimeRange> rest;
    // Include the time before the first and after the last work, because collectives on CPU threads are not
    // GPU work and can start there.
    const TimeRange whole = whole_range(trace_);
    for (std::size_t i = 0; i <= busy.size(); ++i) {
      const TimeRange idle{i == 0 ? whole.begin_ns : busy[i - 1].end_ns,
                           i == busy.size() ? whole.end_ns : busy[i].begin_ns};
      if (idle.begin_ns >= idle.end_ns) continue;
      if (i == busy.size()) {
        rest.push_back(idle);
        continue;
      }
      const auto next = std::ranges::lower_bound(items_, idle.end_ns, {},
                                                 [&](SliceId slice) { return trace_.start_ns(slice); });
      const SliceId launch = next == items_.end() ? kNoSlice : trace_.link(*next);
      if (launch == kNoSlice) {
        unknown.push_back(idle);
        continue;
      }
      const std::int64_t launched = std::clamp(trace_.start_ns(launch), idle.begin_ns, idle.end_ns);
      if (launched < idle.end_ns) queued.push_back({launched, idle.end_ns});
      if (launched > idle.begin_ns) rest.push_back({idle.begin_ns, launched});
    }
    line(IntervalPart::queued) = BusyLine(std::move(queued));
    line(IntervalPart::launch_unknown) = BusyLine(std::move(unknown));
    split_by_threads(std::move(rest));
  }

  void split_by_threads(std::vector<TimeRange> rest) {
    std::array<std::vector<TimeRange>, 5> active;  // by Activity
    for (const std::uint32_t track : launching_tracks()) {
      const Track& thread = trace_.tracks[track];
      for (std::uint32_t row = thread.first_row; row < thread.first_row + thread.row_count; ++row) {
        if (stop_.stop_requested()) return;
        add_row(trace_.rows[row], active);
      }
    }
    constexpr std::pair<Activity, IntervalPart> kOrder[] = {
        {Activity::loader, IntervalPart::data_loader},
        {Activity::collector, IntervalPart::garbage_collection},
        {Activity::blocking, IntervalPart::blocking_call},
        {Activity::busy, IntervalPart::cpu_busy}};
    for (const auto& [activity, part] : kOrder) {
      const std::vector<TimeRange> ranges = united(std::move(active[static_cast<std::size_t>(activity)]));
      std::vector<TimeRange> left = without_ranges(rest, ranges);
      line(part) = BusyLine(without_ranges(rest, left));
      rest = std::move(left);
    }
    line(IntervalPart::cpu_untraced) = BusyLine(std::move(rest));
  }

  /// Returns all CPU threads except tracks of samples and scheduling, for traces without GPU work.
  std::vector<std::uint32_t> working_tracks() const {
    std::vector<std::uint32_t> tracks;
    for (std::uint32_t track = 0; track < trace_.tracks.size(); ++track) {
      if (is_working_thread(trace_, trace_.tracks[track])) tracks.push_back(track);
    }
    return tracks;
  }

  std::vector<std::uint32_t> launching_tracks() const {
    if (items_.empty()) return working_tracks();
    std::vector<bool> launches(trace_.tracks.size());
    const Row* row = nullptr;  // most work is launched by the thread that launched the previous work
    for (const SliceId item : items_) {
      const SliceId launch = trace_.link(item);
      if (launch == kNoSlice) continue;
      if (row == nullptr || index_of(launch) < row->first_slice ||
          index_of(launch) >= row->first_slice + row->slice_count) {
        row = &trace_.row(trace_.row_of(launch));
      }
      launches[index_of(row->track)] = true;
    }
    std::vector<std::uint32_t> tracks;
    for (std::uint32_t track = 0; track < launches.size(); ++track) {
      if (launches[track]) tracks.push_back(track);
    }
    return tracks;
  }

  void add_row(const Row& row, std::array<std::vector<TimeRange>, 5>& active) {
    known_.resize(trace_.names.size() * 2);
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      const SliceId slice{i};
      const SliceKind kind = trace_.slices.kind[i];
      std::uint8_t& known =
          known_[2 * index_of(trace_.slices.name[i]) + (kind == SliceKind::runtime ? 1 : 0)];
      if (known == 0)
        known = static_cast<std::uint8_t>(1 + static_cast<int>(activity_of(trace_.name_of(slice), kind)));
      auto activity = static_cast<Activity>(known - 1);
      // The cached activity is shared by all slices of a name, except runtime calls. An annotation can have
      // the name of an operator, so the kind is checked here.
      if (activity == Activity::busy && kind != SliceKind::runtime && kind != SliceKind::cpu_op) continue;
      if (activity == Activity::none && kind == SliceKind::cpu_op) activity = Activity::busy;
      if (activity != Activity::none)
        append_range(active[static_cast<std::size_t>(activity)], trace_.range_of(slice));
    }
  }

  BusyLine& line(IntervalPart part) { return lines_[static_cast<std::size_t>(part)]; }

  const Trace& trace_;
  const std::stop_token& stop_;
  std::vector<SliceId> items_;  // of all streams, sorted by start
  std::array<BusyLine, kIntervalPartCount> lines_;
  std::vector<std::uint8_t> known_;  // by name and by whether it is a runtime call: 1 + Activity; 0: unknown
};

}  // namespace

msg::Id text_of(IntervalPart part) {
  constexpr std::array kNames{msg::word_compute,
                              msg::word_copies,
                              msg::word_other_communication,
                              msg::word_queued_work,
                              msg::word_data_loading,
                              msg::word_garbage_collection,
                              msg::word_blocking_calls,
                              msg::cpu_busy,
                              msg::cpu_untraced,
                              msg::gpu_idle_launch_not_recorded};
  return kNames[static_cast<std::size_t>(part)];
}

TraceIntervals::TraceIntervals(std::span<const TraceInterval> stretches) {
  std::vector<std::int64_t> values;
  values.reserve(stretches.size() * kColumns);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const TraceInterval& stretch = stretches[i];
    values.push_back(std::int64_t{static_cast<std::uint32_t>(i) - stretch.previous});
    values.push_back(stretch.overlapped_ns);
    auto rest = static_cast<std::uint64_t>(stretch.length_ns);
    for (const std::int64_t part : stretch.times) {
      values.push_back(part);
      rest -= static_cast<std::uint64_t>(part);
    }
    values.push_back(static_cast<std::int64_t>(rest));
  }
  table_ = PackedTable(kColumns, values);
}

TraceInterval TraceIntervals::operator[](std::size_t i) const {
  const auto row = table_.row<kColumns>(i);
  TraceInterval stretch;
  stretch.previous = previous_of(i, row[kBack]);
  stretch.overlapped_ns = row[kBeside];
  auto length = static_cast<std::uint64_t>(row[kRest]);
  for (std::size_t part = 0; part < stretch.times.size(); ++part) {
    stretch.times[part] = row[kParts + part];
    length += static_cast<std::uint64_t>(stretch.times[part]);
  }
  stretch.length_ns = static_cast<std::int64_t>(length);
  return stretch;
}

std::int64_t TraceIntervals::length_ns(std::size_t i) const {
  std::uint64_t length = 0;
  for (std::size_t column = kParts; column < kColumns; ++column)
    length += static_cast<std::uint64_t>(table_.at(i, column));
  return static_cast<std::int64_t>(length);
}

bool TraceIntervals::sound(std::size_t kernels, std::int64_t most_ns) const {
  if (!table_.sound(kColumns) || !table_.within(kBeside, 0, most_ns) || !table_.within(kRest, 0, 0))
    return false;
  bool short_parts = true;  // whether no sum of parts can exceed most_ns
  for (std::size_t part = kParts; part < kRest; ++part) {
    if (!table_.within(part, 0, most_ns)) return false;
    short_parts = short_parts && table_.within(part, 0, most_ns / kIntervalPartCount);
  }
  for (std::size_t i = 0; i < size(); ++i) {
    if (const std::uint32_t before = previous(i); before != TraceInterval::kNone && before >= kernels)
      return false;
    if (short_parts) continue;
    const auto row = table_.row<kRest>(i);
    std::int64_t left = most_ns;
    for (std::size_t part = kParts; part < kRest; ++part) {
      if (row[part] > left) return false;
      left -= row[part];
    }
  }
  return true;
}

std::vector<TraceInterval> intervals_of(const Trace& trace, const GpuWork& work,
                                        std::span<const CommunicationKernel> kernels,
                                        const std::stop_token& stop) {
  if (kernels.empty()) return {};
  const RankTime time(trace, work, stop);
  if (stop.stop_requested()) return {};
  std::vector<std::uint32_t> by_end;
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].duration_ns > 0) by_end.push_back(i);
  }
  std::ranges::sort(by_end, {}, [&](std::uint32_t i) { return kernels[i].end_ns(); });
  std::vector<TraceInterval> stretches(kernels.size());
  std::size_t ended = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    while (ended < by_end.size() && kernels[by_end[ended]].end_ns() <= kernels[i].start_ns) ++ended;
    if (ended == 0) continue;
    TraceInterval& stretch = stretches[i];
    stretch.previous = by_end[ended - 1];
    const TimeRange range{kernels[stretch.previous].end_ns() - trace.origin_unix_ns,
                          kernels[i].start_ns - trace.origin_unix_ns};
    stretch.length_ns = range.length_ns();
    stretch.times = time.times(range);
    const CommunicationKernel& before = kernels[stretch.previous];
    stretch.overlapped_ns = time.computed({before.start_ns - trace.origin_unix_ns, range.begin_ns});
  }
  return stretches;
}

}  // namespace kino
