#include "core/idle_gaps.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/parallel.hpp"

namespace kino {
namespace {

/// Calls visit(gap) for each gap of the stream within the range.
template <class Visit>
void for_each_gap(const Trace& trace, const StreamWork& stream, TimeRange range, Visit&& visit) {
  SliceId before = kNoSlice;
  std::int64_t end = 0;
  for (const SliceId slice : stream.slices) {
    const std::int64_t start = trace.slices.start_ns[index_of(slice)];
    if (before != kNoSlice && start > end) {
      IdleGap gap{clipped(range, end, start), before, slice, IdleCause::other};
      const SliceId launch = trace.slices.link[index_of(slice)];
      if (launch != kNoSlice && trace.slices.start_ns[index_of(launch)] > end) {
        gap.cause = IdleCause::host_wait;
      } else if (start - end < kKernelWaitNs) {
        gap.cause = IdleCause::kernel_wait;
      }
      visit(gap);
    }
    if (before == kNoSlice || trace.end_ns(slice) >= end) {
      end = trace.end_ns(slice);
      before = slice;
    }
  }
}

}  // namespace

std::string_view text_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::host_wait:
      return "host wait";
    case IdleCause::kernel_wait:
      return "kernel wait";
    case IdleCause::other:
      break;
  }
  return "other";
}

std::vector<IdleGap> idle_gaps(const Trace& trace, const StreamWork& stream, TimeRange range) {
  std::vector<IdleGap> gaps;
  for_each_gap(trace, stream, range, [&](const IdleGap& gap) { gaps.push_back(gap); });
  return gaps;
}

std::vector<StreamIdle> idle_by_stream(const Trace& trace, const GpuWork& work, TimeRange range,
                                       const std::stop_token& stop) {
  std::vector<StreamIdle> streams;
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    StreamIdle idle;
    idle.track = stream.track;
    for_each_gap(trace, stream, range, [&](const IdleGap& gap) {
      StreamIdle::Sum& sum = idle.causes[static_cast<std::size_t>(gap.cause)];
      sum.total_ns += gap.range.length_ns();
      ++sum.gaps;
      if (trace.slices.link[index_of(gap.after)] == kNoSlice) {
        idle.unknown_launch.total_ns += gap.range.length_ns();
        ++idle.unknown_launch.gaps;
      }
      if (gap.range.length_ns() > idle.longest_ns) {
        idle.longest_ns = gap.range.length_ns();
        idle.longest_after = gap.after;
      }
    });
    if (idle.longest_after != kNoSlice) streams.push_back(idle);
  }
  return streams;
}

SliceId cpu_frame_at(const Trace& trace, SliceId gpu_slice, std::int64_t time_ns) {
  const SliceId launch = trace.slices.link[index_of(gpu_slice)];
  if (launch == kNoSlice) return kNoSlice;
  const Track& track = trace.tracks[index_of(trace.rows[index_of(trace.row_of(launch))].track)];
  for (std::uint32_t lane = track.row_count; lane-- > 0;) {
    const SliceId slice = trace.slice_at(RowId{track.first_row + lane}, time_ns);
    if (slice != kNoSlice) return slice;
  }
  return kNoSlice;
}

Table idle_table(const Trace& trace, const std::vector<StreamIdle>& streams) {
  Table table;
  table.name = "idle";
  table.title = "Idle time";
  table.definition =
      "A row a stream: the time between its work, by cause (HTA, idle time breakdown). Host wait: the next "
      "work was launched only after the stream had run dry. Kernel wait: it was launched before and the "
      "gap is below 30 µs. Other: a longer gap.";
  table.texts_of(streams, "stream", "Stream", "The stream's number",
                 [&](const StreamIdle& it) { return stream_name(trace, it.track); });
  const auto sum = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.integers_of(streams, key, title, Unit::ns, about, get);
  };
  sum("idle_ns", "Idle", "All gaps", [](const StreamIdle& it) { return it.total_ns(); });
  sum("host_wait_ns", "Host wait", "Gaps before work that was launched after they began",
      [](const StreamIdle& it) { return it.causes[0].total_ns; });
  sum("kernel_wait_ns", "Kernel wait", "Gaps below 30 µs before work that was launched earlier",
      [](const StreamIdle& it) { return it.causes[1].total_ns; });
  sum("other_ns", "Other", "Longer gaps before work that was launched earlier",
      [](const StreamIdle& it) { return it.causes[2].total_ns; });
  sum("unknown_launch_ns", "Unknown launch",
      "The part of kernel wait and other before work whose launch is not in the trace",
      [](const StreamIdle& it) { return it.unknown_launch.total_ns; });
  const auto count = [&](const char* key, const char* title, std::size_t cause) {
    table.integers_of(streams, key, title, Unit::count, "Number of these gaps",
                      [cause](const StreamIdle& it) { return it.causes[cause].gaps; });
  };
  count("host_wait_gaps", "Host wait gaps", 0);
  count("kernel_wait_gaps", "Kernel wait gaps", 1);
  count("other_gaps", "Other gaps", 2);
  sum("longest_ns", "Longest", "The longest gap", [](const StreamIdle& it) { return it.longest_ns; });
  for (const StreamIdle& it : streams) table.examples.push_back(it.longest_after);
  return table;
}

Table gap_table(const Trace& trace, const GpuWork& work, TimeRange range, std::size_t limit,
                const std::stop_token& stop) {
  struct Placed {
    IdleGap gap;
    TrackId track{};
  };
  std::vector<Placed> gaps;
  for (const StreamWork& stream : work.streams) {
    for_each_gap(trace, stream, range, [&](const IdleGap& gap) {
      if (gaps.size() % kCancelStride == 0 && stop.stop_requested()) return;
      gaps.push_back({gap, stream.track});
    });
  }
  const auto longer = [](const Placed& a, const Placed& b) {
    return a.gap.range.length_ns() > b.gap.range.length_ns();
  };
  const std::size_t shown = std::min(limit, gaps.size());
  std::partial_sort(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(shown), gaps.end(), longer);
  gaps.resize(shown);
  Table table;
  table.name = "gaps";
  table.title = "Gaps";
  table.definition =
      "The longest gaps between the work of a stream, with what the launching thread did at their middle.";
  table.texts_of(gaps, "stream", "Stream", "The stream's number",
                 [&](const Placed& it) { return stream_name(trace, it.track); });
  table.integers_of(gaps, "start_ns", "Start", Unit::ns, "Since the trace's begin",
                    [](const Placed& it) { return it.gap.range.begin_ns; });
  table.integers_of(gaps, "duration_ns", "Duration", Unit::ns, "Within the range",
                    [](const Placed& it) { return it.gap.range.length_ns(); });
  table.texts_of(gaps, "cause", "Cause", "As in the table of idle time",
                 [](const Placed& it) { return std::string(text_of(it.gap.cause)); });
  table.texts_of(gaps, "cpu_frame", "CPU meanwhile",
                 "The innermost CPU slice of the launching thread at its middle", [&](const Placed& it) {
                   const std::int64_t middle = it.gap.range.begin_ns + it.gap.range.length_ns() / 2;
                   const SliceId frame = cpu_frame_at(trace, it.gap.after, middle);
                   return frame == kNoSlice ? std::string() : std::string(trace.name_of(frame));
                 });
  table.texts_of(gaps, "next", "Next work", "What ends the gap",
                 [&](const Placed& it) { return std::string(trace.name_of(it.gap.after)); });
  for (const Placed& it : gaps) table.examples.push_back(it.gap.after);
  return table;
}

}  // namespace kino
