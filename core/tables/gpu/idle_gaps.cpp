#include "core/tables/gpu/idle_gaps.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/gpu_parts.hpp"

namespace kino {
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
    for_each_gap(trace, stream, range, [&](const IdleGap& gap) {
      StreamIdle::Sum& sum = idle.causes[static_cast<std::size_t>(gap.cause)];
      sum.total_ns += gap.range.length_ns();
      ++sum.gaps;
      if (trace.link(gap.after) == kNoSlice) {
        for (StreamIdle::Sum* const it :
             {&idle.unlaunched[static_cast<std::size_t>(gap.cause)], &idle.unknown_launch}) {
          it->total_ns += gap.range.length_ns();
          ++it->gaps;
        }
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
  Table table{.name = "idle", .title = msg::idle_time, .definition = msg::a_row_a_stream_the_time};
  table.words_of(streams, "stream", msg::stream, msg::the_streams_number,
                 [&](const StreamIdle& it) { return stream_name(trace, it.track); });
  const auto sum = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(streams, key, title, Unit::ns, about, get);
  };
  sum("idle_ns", msg::idle, msg::all_gaps, &StreamIdle::total_ns);
  sum("host_wait_ns", msg::host_wait, msg::gaps_before_work_that_was_launched,
      [](const StreamIdle& it) { return it.known(IdleCause::host_wait).total_ns; });
  sum("kernel_wait_ns", msg::kernel_wait, msg::gaps_below_30_us_before_work,
      [](const StreamIdle& it) { return it.known(IdleCause::kernel_wait).total_ns; });
  sum("other_ns", msg::other, msg::longer_gaps_before_work_that_was,
      [](const StreamIdle& it) { return it.known(IdleCause::other).total_ns; });
  sum("unknown_launch_ns", msg::unknown_launch, msg::gaps_before_work_whose_launch_is,
      [](const StreamIdle& it) { return it.unknown_launch.total_ns; });
  const auto count = [&](const char* key, msg::Id title, IdleCause cause) {
    table.integers_of(streams, key, title, Unit::count, msg::number_of_these_gaps,
                      [cause](const StreamIdle& it) { return it.known(cause).gaps; });
  };
  count("host_wait_gaps", msg::host_wait_gaps, IdleCause::host_wait);
  count("kernel_wait_gaps", msg::kernel_wait_gaps, IdleCause::kernel_wait);
  count("other_gaps", msg::other_gaps, IdleCause::other);
  table.integers_of(streams, "unknown_launch_gaps", msg::unknown_launch_gaps, Unit::count,
                    msg::number_of_these_gaps, [](const StreamIdle& it) { return it.unknown_launch.gaps; });
  sum("longest_ns", msg::longest, msg::the_longest_gap, &StreamIdle::longest_ns);
  for (const StreamIdle& it : streams) table.links.emplace_back(it.longest_after);
  const bool by_thread = std::ranges::any_of(trace.tracks, [](const Track& it) {
    return it.kind == TrackKind::gpu_stream &&
           it.name.str() == Message(msg::kernels_of_thread, it.tid.str()).str();
  });
  if (by_thread && !streams.empty()) {
    table.notes.emplace_back(msg::kernels_whose_stream_is_not_recorded);
  }
  return table;
}

namespace {

constexpr std::string_view kIdleKeys[] = {"stream"};

}  // namespace

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
