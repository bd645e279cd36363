#include "core/tables/ledger/host_activity.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/tables/compare/host_causes.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

struct CauseRow {
  HostCause cause;
  StepRow row;
};
constexpr std::array kCauseRows{
    CauseRow{HostCause::synchronise, StepRow::idle_sync}, CauseRow{HostCause::allocate, StepRow::idle_malloc},
    CauseRow{HostCause::collect, StepRow::idle_gc}, CauseRow{HostCause::lock, StepRow::idle_lock}};

void append_rows(std::vector<RowRange>& rows, std::span<const TimeRange> ranges, StepRow row) {
  for (const TimeRange& range : ranges) rows.push_back({range, row});
}

/// The idle_host parts by the track that launches the next work. Ranges are in order.
std::map<std::uint32_t, std::vector<TimeRange>> waits_by_track(const Trace& trace,
                                                               const TimeAttribution& ledger) {
  std::map<std::uint32_t, std::vector<TimeRange>> waits;
  const std::vector<AttributionPart>& parts = ledger.parts();
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i].cause != TimeCategory::idle_host || parts[i].slice == kNoSlice) continue;
    const SliceId launch = trace.link(parts[i].slice);
    if (launch == kNoSlice) continue;
    append_range(waits[index_of(trace.track_of(launch))], {parts[i].begin_ns, parts[i + 1].begin_ns});
  }
  return waits;
}

/// Times of one thread in operators or calls, and in Python code between them.
struct ThreadTimes {
  std::vector<TimeRange> polls;  // calls that ask whether the GPU is done
  std::vector<TimeRange> dispatch;
  std::vector<TimeRange> python;
};

ThreadTimes times_of_thread(const Trace& trace, std::uint32_t index, std::span<const std::uint8_t> wrapper,
                            std::span<const std::uint8_t> polls, const std::stop_token& stop) {
  ThreadTimes times;
  const Track& track = trace.tracks[index];
  for (std::uint32_t r = track.first_row; r < track.first_row + track.row_count; ++r) {
    const Row& row = trace.rows[r];
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return times;
      const TimeRange range = trace.range_of(SliceId{i});
      switch (trace.slices.kind[i]) {
        case SliceKind::cpu_op:
          append_range(wrapper[index_of(trace.slices.name[i])] != 0 ? times.python : times.dispatch, range);
          break;
        case SliceKind::runtime:
          append_range(polls[index_of(trace.slices.name[i])] != 0 ? times.polls : times.dispatch, range);
          break;
        case SliceKind::python:
        case SliceKind::annotation:
          if (!trace.names[index_of(trace.slices.name[i])].starts_with("ProfilerStep#"))
            append_range(times.python, range);
          break;
        default:
          break;
      }
    }
  }
  times.polls = united(std::move(times.polls));
  times.dispatch = united(std::move(times.dispatch));
  times.python = united(std::move(times.python));
  return times;
}

/// Calls that return at once; programs call them in a loop until the GPU is done.
bool polls_gpu(std::string_view call) {
  return call.ends_with("EventQuery") || call.ends_with("StreamQuery");
}

}  // namespace

bool is_wrapper(std::string_view op) {
  // torch 1.8 to 1.11 record the annotations of optimizers as operators.
  constexpr auto kWrappers =
      std::to_array<std::string_view>({"Torch-Compiled Region", "CompiledFunction", "## Call CompiledFxGraph",
                                       "autograd::engine", "DistributedDataParallel", "Optimizer."});
  return std::ranges::any_of(kWrappers, [&](std::string_view begin) { return op.starts_with(begin); });
}

std::vector<RowRange> host_activity(const Trace& trace, const TimeAttribution& ledger,
                                    std::span<const SliceId> calls, const std::stop_token& stop) {
  std::vector<RowRange> rows;
  const HostCauses causes(trace, ledger, calls, stop);
  std::vector<TimeRange> held;
  for (const CauseRow& known : kCauseRows) {
    const BusyLine& line = causes.line(known.cause);
    for (const TimeRange range : line) {
      rows.push_back({range, known.row});
      held.push_back(range);
    }
  }
  held = united(std::move(held));

  std::vector<std::uint8_t> wrapper(trace.names.size());
  std::vector<std::uint8_t> polls(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    wrapper[i] = is_wrapper(trace.names[i]) ? 1 : 0;
    polls[i] = polls_gpu(trace.names[i]) ? 1 : 0;
  }
  for (const auto& [track, waits] : waits_by_track(trace, ledger)) {
    if (stop.stop_requested()) return rows;
    const ThreadTimes times = times_of_thread(trace, track, wrapper, polls, stop);
    std::vector<TimeRange> rest = without_ranges(waits, held);
    const auto take = [&](std::span<const TimeRange> times_of_row, StepRow row) {
      std::vector<TimeRange> left = without_ranges(rest, times_of_row);
      append_rows(rows, without_ranges(rest, left), row);
      rest = std::move(left);
    };
    take(times.polls, StepRow::idle_sync);
    take(times.dispatch, StepRow::idle_dispatch);
    take(times.python, StepRow::idle_python);
  }
  std::ranges::sort(rows, {}, [](const RowRange& row) { return row.range.begin_ns; });
  return rows;
}

}  // namespace kino
