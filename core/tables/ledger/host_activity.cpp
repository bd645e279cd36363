#include "core/tables/ledger/host_activity.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
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
    CauseRow{HostCause::synchronize, StepRow::idle_sync}, CauseRow{HostCause::allocate, StepRow::idle_malloc},
    CauseRow{HostCause::collect, StepRow::idle_gc}, CauseRow{HostCause::lock, StepRow::idle_lock}};

void append_rows(std::vector<RowRange>& rows, std::span<const TimeRange> ranges, StepRow row) {
  for (const TimeRange& range : ranges) rows.push_back({range, row});
}

/// Returns the idle_host parts by the track that launches the next work. Ranges are sorted.
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

/// Whether the call checks if GPU work is done. It returns at once, so programs call it in a loop.
bool polls_gpu(std::string_view call) {
  return call.ends_with("EventQuery") || call.ends_with("StreamQuery");
}

/// Ranges of one thread by activity. Ranges of different activities may overlap.
struct ThreadTimes {
  std::vector<TimeRange> polls;  // calls that query whether the GPU is done
  std::vector<TimeRange> dispatch;
  std::vector<TimeRange> python;
};

/// Properties of names for the activity of a thread, by NameId.
struct ActivityNames {
  explicit ActivityNames(const Trace& trace)
      : wrapper(trace.names.size()), polls(trace.names.size()), step(trace.names.size()) {
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      wrapper[i] = is_wrapper(trace.names[i]) ? 1 : 0;
      polls[i] = polls_gpu(trace.names[i]) ? 1 : 0;
      step[i] = trace.names[i].starts_with("ProfilerStep#") ? 1 : 0;
    }
  }
  std::vector<std::uint8_t> wrapper;  // see is_wrapper()
  std::vector<std::uint8_t> polls;    // see polls_gpu()
  std::vector<std::uint8_t> step;     // annotations that mark steps
};

/// Appends the ranges of a row's slices.
void add_row(const Trace& trace, const Row& row, const ActivityNames& names, ThreadTimes& times,
             const std::stop_token& stop) {
  for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return;
    const TimeRange range = trace.range_of(SliceId{i});
    const std::uint32_t name = index_of(trace.slices.name[i]);
    switch (trace.slices.kind[i]) {
      case SliceKind::cpu_op:
        append_range(names.wrapper[name] != 0 ? times.python : times.dispatch, range);
        break;
      case SliceKind::runtime:
        append_range(names.polls[name] != 0 ? times.polls : times.dispatch, range);
        break;
      case SliceKind::python:
      case SliceKind::annotation:
        if (names.step[name] == 0) append_range(times.python, range);
        break;
      default:
        break;
    }
  }
}

/// Returns the union of one activity's ranges in all rows.
std::vector<TimeRange> united_rows(std::vector<ThreadTimes>& rows,
                                   std::vector<TimeRange> ThreadTimes::*list) {
  std::vector<TimeRange> all;
  std::size_t size = 0;
  for (const ThreadTimes& row : rows) size += (row.*list).size();
  all.reserve(size);
  for (ThreadTimes& row : rows) {
    for (const TimeRange& range : row.*list) append_range(all, range);
    row.*list = {};
  }
  return united(std::move(all));
}

ThreadTimes times_of_thread(const Trace& trace, std::uint32_t index, const ActivityNames& names,
                            const std::stop_token& stop) {
  const Track& track = trace.tracks[index];
  std::vector<ThreadTimes> rows(track.row_count);
  parallel_for(thread_count_or_default(0), rows.size(), stop, [&](std::size_t row, unsigned) {
    add_row(trace, trace.rows[track.first_row + row], names, rows[row], stop);
  });
  ThreadTimes times;
  constexpr std::array kLists{&ThreadTimes::polls, &ThreadTimes::dispatch, &ThreadTimes::python};
  parallel_for(thread_count_or_default(0), kLists.size(), stop,
               [&](std::size_t list, unsigned) { times.*kLists[list] = united_rows(rows, kLists[list]); });
  return times;
}

}  // namespace

bool is_wrapper(std::string_view op) {
  // PyTorch 1.8 to 1.11 records the annotations of optimizers as operators.
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

  const ActivityNames names(trace);
  for (const auto& [track, waits] : waits_by_track(trace, ledger)) {
    if (stop.stop_requested()) return rows;
    const ThreadTimes times = times_of_thread(trace, track, names, stop);
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
  // Each list is a sorted run, and ranges are disjoint.
  run_merge_sort(rows.data(), rows.size(),
                 [](const RowRange& a, const RowRange& b) { return a.range.begin_ns < b.range.begin_ns; });
  return rows;
}

}  // namespace kino
