#include "core/tables/gpu/idle_gaps.hpp"

#include <algorithm>

#include "core/tables/gpu/gpu_parts.hpp"

namespace kino {
namespace {

constexpr std::string_view kIdleKeys[] = {"stream"};

}  // namespace

msg::Id text_of(IdleCause cause) {
  constexpr std::array kNames{msg::word_host_wait, msg::word_kernel_wait, msg::word_other};
  return kNames[static_cast<std::size_t>(cause)];
}

std::int64_t launched_at(const Trace& trace, SliceId work, std::int64_t begin_ns, std::int64_t end_ns) {
  const SliceId launch = trace.link(work);
  return launch == kNoSlice ? begin_ns : std::clamp(trace.end_ns(launch), begin_ns, end_ns);
}

IdleCause idle_cause(const Trace& trace, SliceId after, std::int64_t ran_dry_ns) {
  const SliceId launch = trace.link(after);
  if (launch != kNoSlice && trace.start_ns(launch) > ran_dry_ns) return IdleCause::host_wait;
  return trace.start_ns(after) - ran_dry_ns < kKernelWaitNs ? IdleCause::kernel_wait : IdleCause::other;
}

std::vector<StreamIdle> idle_by_stream(const Trace& trace, const GpuWork& work, TimeRange range,
                                       const std::stop_token& stop) {
  std::vector<StreamIdle> streams;
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    StreamIdle idle;
    idle.track = stream.track;
    const auto add = [](StreamIdle::Sum& sum, std::int64_t ns) {
      sum.total_ns += ns;
      ++sum.gaps;
    };
    for_each_gap(trace, stream, range, [&](const IdleGap& gap) {
      const auto cause = static_cast<std::size_t>(gap.cause);
      add(idle.causes[cause], gap.range.length_ns());
      if (trace.link(gap.after) == kNoSlice) {
        add(idle.unlaunched[cause], gap.range.length_ns());
        add(idle.unknown_launch, gap.range.length_ns());
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

Table idle_table(const Trace& trace, const std::vector<StreamIdle>& streams) {
  Table table{.name = "idle", .title = msg::idle_time, .definition = msg::row_per_stream_idle_by_cause};
  table.text_column(streams, "stream", msg::stream, msg::the_streams_number,
                    [&](const StreamIdle& row) { return stream_name(trace, row.track); });
  const auto sum = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(streams, key, title, Unit::ns, about, get);
  };
  sum("idle_ns", msg::idle, msg::all_gaps, &StreamIdle::total_ns);
  const auto cause = [&](const char* key, msg::Id title, msg::Id about, IdleCause idle_cause) {
    sum(key, title, about, [idle_cause](const StreamIdle& row) { return row.known(idle_cause).total_ns; });
  };
  cause("host_wait_ns", msg::host_wait, msg::gaps_before_work_that_was_launched, IdleCause::host_wait);
  cause("kernel_wait_ns", msg::kernel_wait, msg::gaps_below_30_us_before_work, IdleCause::kernel_wait);
  cause("other_ns", msg::other, msg::longer_gaps_before_work_that_was, IdleCause::other);
  sum("unknown_launch_ns", msg::unknown_launch, msg::gaps_before_work_whose_launch_is,
      [](const StreamIdle& row) { return row.unknown_launch.total_ns; });
  const auto count = [&](const char* key, msg::Id title, IdleCause idle_cause) {
    table.integers_of(streams, key, title, Unit::count, msg::number_of_these_gaps,
                      [idle_cause](const StreamIdle& row) { return row.known(idle_cause).gaps; });
  };
  count("host_wait_gaps", msg::host_wait_gaps, IdleCause::host_wait);
  count("kernel_wait_gaps", msg::kernel_wait_gaps, IdleCause::kernel_wait);
  count("other_gaps", msg::other_gaps, IdleCause::other);
  table.integers_of(streams, "unknown_launch_gaps", msg::unknown_launch_gaps, Unit::count,
                    msg::number_of_these_gaps, [](const StreamIdle& row) { return row.unknown_launch.gaps; });
  sum("longest_ns", msg::longest, msg::the_longest_gap, &StreamIdle::longest_ns);
  for (const StreamIdle& row : streams) table.links.emplace_back(row.longest_after);
  const bool by_thread = std::ranges::any_of(trace.tracks, [](const Track& track) {
    return track.kind == TrackKind::gpu_stream &&
           track.name.str() == Message(msg::kernels_of_thread, track.tid.str()).str();
  });
  if (by_thread && !streams.empty()) table.notes.emplace_back(msg::kernels_whose_stream_is_not_recorded);
  return table;
}

constexpr TableKind<GpuParts> kIdleTable{
    {.name = "idle",
     .title = msg::idle_time,
     .heading = msg::gpu,
     .about = msg::about_idle,
     .keys = kIdleKeys},
    [](const GpuParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      return idle_table(parts.trace(), parts.idle(stop));
    }};

}  // namespace kino
