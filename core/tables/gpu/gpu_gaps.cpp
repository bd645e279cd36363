#include "core/tables/gpu/gpu_gaps.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <span>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/cpu_meanwhile.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/tables/gpu/idle_gaps.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

bool is_work(const Trace& trace, std::uint32_t slice) { return is_gpu_work(trace.slices.kind[slice]); }

template <class Visit>
void for_each_stream_row(const Trace& trace, std::uint32_t process, Visit&& visit) {
  const Process& gpu = trace.processes[process];
  for (const Track& track : std::span(trace.tracks).subspan(gpu.first_track, gpu.track_count)) {
    if (track.kind != TrackKind::gpu_stream) continue;
    for (const Row& row : rows_of(trace, track)) visit(row);
  }
}

/// Returns the GPU work that ends last, among work that starts before `time_ns`. Slices of a row do not
/// overlap, so only the last slice of each row is compared.
SliceId last_before(const Trace& trace, std::uint32_t process, std::int64_t time_ns) {
  SliceId last = kNoSlice;
  for_each_stream_row(trace, process, [&](const Row& row) {
    std::uint32_t i = first_start_at(trace, row, time_ns);
    while (i > row.first_slice && !is_work(trace, i - 1)) --i;
    if (i == row.first_slice) return;
    const SliceId slice{i - 1};
    if (last == kNoSlice || trace.end_ns(slice) > trace.end_ns(last)) last = slice;
  });
  return last;
}

SliceId first_from(const Trace& trace, std::uint32_t process, std::int64_t time_ns) {
  SliceId first = kNoSlice;
  for_each_stream_row(trace, process, [&](const Row& row) {
    const std::uint32_t end = row.first_slice + row.slice_count;
    std::uint32_t i = first_start_at(trace, row, time_ns);
    while (i < end && !is_work(trace, i)) ++i;
    if (i == end) return;
    if (first == kNoSlice || trace.slices.start_ns[i] < trace.start_ns(first)) first = SliceId{i};
  });
  return first;
}

GapCause cause_of(const Trace& trace, SliceId after, std::int64_t ran_dry_ns) {
  if (after == kNoSlice) return GapCause::end_of_work;
  if (trace.link(after) == kNoSlice) return GapCause::unknown_launch;
  const std::int64_t start_ns = trace.start_ns(after);
  const std::int64_t gap_ns = saturating_subtract(start_ns, ran_dry_ns);
  const std::int64_t late_ns = launched_at(trace, after, ran_dry_ns, start_ns) - ran_dry_ns;
  if (late_ns >= gap_ns - late_ns) return GapCause::host_wait;
  return gap_ns < kKernelWaitNs ? GapCause::kernel_wait : GapCause::other;
}

/// Iterates over the work of several streams in order of start.
class MergedWork {
 public:
  MergedWork(const Trace& trace, std::span<const StreamWork> streams) : trace_(trace) {
    for (const StreamWork& stream : streams) push({&stream, 0});
  }

  SliceId next() {
    if (heads_.empty()) return kNoSlice;
    const Head head = heads_.top().second;
    heads_.pop();
    push({head.stream, head.at + 1});
    return head.stream->slices[head.at];
  }

 private:
  struct Head {
    const StreamWork* stream = nullptr;
    std::size_t at = 0;
  };
  using Entry = std::pair<std::int64_t, Head>;
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const { return a.first > b.first; }
  };

  void push(Head head) {
    if (head.at >= head.stream->slices.size()) return;
    heads_.push({trace_.start_ns(head.stream->slices[head.at]), head});
  }

  const Trace& trace_;
  std::priority_queue<Entry, std::vector<Entry>, Later> heads_;
};

/// Adds the gaps of one GPU.
class GapFinder {
 public:
  GapFinder(const Trace& trace, TimeRange window, std::uint32_t process, std::vector<GpuGap>& out)
      : trace_(trace), window_(window), process_(process), out_(out) {}

  void run(MergedWork work, const std::stop_token& stop) {
    before_ = last_before(trace_, process_, window_.begin_ns);
    ran_dry_ns_ = before_ == kNoSlice ? window_.begin_ns : trace_.end_ns(before_);
    std::uint64_t seen = 0;
    bool any = false;
    for (SliceId slice = work.next(); slice != kNoSlice; slice = work.next()) {
      if (seen++ % kCancelStride == 0 && stop.stop_requested()) return;
      const std::int64_t start = trace_.start_ns(slice);
      if (start > ran_dry_ns_) add(start, slice, any ? GapPosition::between : GapPosition::before_first);
      any = true;
      if (before_ != kNoSlice && trace_.end_ns(slice) < ran_dry_ns_) continue;
      before_ = slice;
      ran_dry_ns_ = trace_.end_ns(slice);
    }
    if (ran_dry_ns_ >= window_.end_ns) return;
    const SliceId after = first_from(trace_, process_, window_.end_ns);
    if (before_ == kNoSlice && after == kNoSlice) return;
    add(window_.end_ns, after, any ? GapPosition::after_last : GapPosition::before_first);
  }

 private:
  void add(std::int64_t end_ns, SliceId after, GapPosition place) {
    const TimeRange range = clipped(window_, ran_dry_ns_, end_ns);
    if (range.length_ns() <= 0) return;
    GpuGap gap{range, process_, kNoTrack, place, GapCause::other, ran_dry_ns_, before_, after};
    gap.cause = cause_of(trace_, after, ran_dry_ns_);
    out_.push_back(gap);
  }

  const Trace& trace_;
  const TimeRange window_;
  const std::uint32_t process_;
  std::vector<GpuGap>& out_;
  SliceId before_ = kNoSlice;
  std::int64_t ran_dry_ns_ = 0;
};

/// Returns the maximum number of gaps whose CPU activity is determined. A limit is necessary because this is
/// slow for deep stacks.
std::size_t most_described_gaps(const Trace& trace, const LaunchingThreads& launching) {
  constexpr std::size_t kMaxRows = 20'000'000;
  constexpr std::size_t kMin = 1000;
  std::size_t lanes = 1;
  for (const TrackId thread : launching.threads()) lanes += trace.track(thread).row_count;
  return std::max(kMin, kMaxRows / lanes);
}

std::string step_text(const Steps& steps, TimeRange range) {
  const std::size_t first = steps.at(range.begin_ns);
  const std::size_t last = steps.at(range.end_ns - 1);
  const auto number = [&](std::size_t at) {
    return at == Steps::kNone ? std::string() : std::to_string(steps.steps[at].number);
  };
  if (first == last || last == Steps::kNone) return number(first);
  return first == Steps::kNone ? number(last) : number(first) + "-" + number(last);
}

/// Returns the name of the window in which gaps were searched.
Message searched_window(const TimeBase& base, const Steps& steps) {
  switch (base.kind) {
    case TimeBase::Kind::step:
    case TimeBase::Kind::range:
      return base.brief();
    default:
      return steps.steps.empty() ? Message(msg::the_trace)
                                 : Message(msg::all_steps_and_their_work, base.device);
  }
}

void note_what_is_listed(Table& table, const Trace& trace, const std::vector<GpuGap>& gaps, TimeRange window,
                         const TimeBase& base, const Steps& steps, bool of_gpus) {
  const std::vector<TimeRange>& windows = base.marked;
  std::int64_t sum_ns = 0;
  std::int64_t in_base_ns = 0;
  for (const GpuGap& gap : gaps) {
    add_saturating(sum_ns, gap.range.length_ns());
    auto at = std::ranges::upper_bound(windows, gap.range.begin_ns, {}, &TimeRange::end_ns);
    for (; at != windows.end() && at->begin_ns < gap.range.end_ns; ++at)
      add_saturating(in_base_ns, clipped(*at, gap.range.begin_ns, gap.range.end_ns).length_ns());
  }
  table.notes.emplace_back(gaps.size() == 1 ? msg::gap_over_range : msg::gaps_over_range,
                           searched_window(base, steps), text_from_duration(window.begin_ns),
                           text_from_duration(window.end_ns), grouped(gaps.size()),
                           text_from_duration(sum_ns));
  std::int64_t base_ns = 0;
  for (const TimeRange& base_window : windows) add_saturating(base_ns, base_window.length_ns());
  if (!of_gpus || base_ns <= 0 || windows == std::vector{window}) return;
  std::vector<std::uint32_t> gpus;
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::gpu_stream && std::ranges::find(gpus, track.process) == gpus.end())
      gpus.push_back(track.process);
  }
  const double whole_ns = static_cast<double>(base_ns) * static_cast<double>(gpus.size());
  table.notes.emplace_back(msg::gaps_within_summary_base, base.as_marked(),
                           text_from_share(static_cast<double>(in_base_ns) / whole_ns));
}

/// Returns the gaps of GPUs or streams, longest first. `stream`: only gaps of streams with this number.
std::vector<GpuGap> longest_gaps(const Trace& trace, const GpuWork& work, TimeRange window, bool by_stream,
                                 const std::optional<std::string>& stream, const std::stop_token& stop) {
  std::vector<GpuGap> gaps =
      by_stream ? stream_gaps(trace, work, window, stop) : gpu_gaps(trace, work, window, stop);
  if (stream) {
    std::erase_if(gaps, [&](const GpuGap& gap) {
      return gap.track == kNoTrack || stream_number(trace.track(gap.track)) != *stream;
    });
  }
  std::ranges::sort(gaps, {},
                    [](const GpuGap& gap) { return std::pair(-gap.range.length_ns(), gap.range.begin_ns); });
  return gaps;
}

/// Adds the columns for the place, time and cause of each gap.
void add_gaps(Table& table, const Trace& trace, const std::vector<GpuGap>& gaps, const Steps& steps,
              TimeRange window, bool by_stream) {
  const std::vector<std::string> titles = unique_process_titles(trace);
  table.texts_of(gaps, by_stream ? "stream" : "gpu", by_stream ? msg::stream : msg::gpu,
                 by_stream ? msg::the_streams_number : msg::gpu_of_gap, [&](const GpuGap& gap) {
                   return by_stream ? stream_name(trace, gap.track).str() : titles[gap.process];
                 });
  table.integers_of(gaps, "start_ns", msg::start, Unit::ns, msg::from_start_of_trace,
                    [](const GpuGap& gap) { return gap.range.begin_ns; });
  table.integers_of(gaps, "duration_ns", msg::duration, Unit::ns, msg::within_the_range,
                    [](const GpuGap& gap) { return gap.range.length_ns(); });
  table.number_column(
      gaps, "share", msg::share, Unit::share, msg::share_of_analysed_time, [&](const GpuGap& gap) {
        return static_cast<double>(gap.range.length_ns()) / static_cast<double>(window.length_ns());
      });
  table.texts_of(gaps, "step", msg::step, msg::step_of_gap,
                 [&](const GpuGap& gap) { return step_text(steps, gap.range); });
  table.text_column(gaps, "place", msg::gap_position, msg::between_work_or_before_the_first,
                    [](const GpuGap& gap) { return text_of(gap.place); });
  table.text_column(gaps, "cause", msg::cause, msg::host_wait_most_of_it_passed,
                    [](const GpuGap& gap) { return text_of(gap.cause); });
}

/// Groupings in the order of GapGrouping. They name no key column, because gaps of different runs do not
/// correspond.
constexpr TableGroup kGapGroups[] = {{"gpu", msg::by_gpu}, {"stream", msg::by_stream}};

}  // namespace

msg::Id text_of(GapCause cause) {
  switch (cause) {
    case GapCause::end_of_work:
      return msg::end_of_work;
    case GapCause::unknown_launch:
      return msg::word_unknown_launch;
    case GapCause::unknown:
      return msg::unknown;
    default:
      return text_of(static_cast<IdleCause>(cause));
  }
}

msg::Id text_of(GapPosition place) {
  constexpr std::array kNames{msg::before_the_first_work, msg::between, msg::after_the_last_work};
  return kNames[static_cast<std::size_t>(place)];
}

TimeRange gap_window(const Trace& trace, const GpuWork& work, const Steps& steps, TimeRange requested) {
  if (requested != whole_range(trace)) return requested;
  TimeRange window = trace.content;
  if (!steps.steps.empty()) {
    window = steps.steps.front().range;
    for (const Step& step : steps.steps) window.end_ns = std::max(window.end_ns, step.range.end_ns);
  }
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (steps.steps.empty()) {
        window.begin_ns = std::min(window.begin_ns, trace.start_ns(slice));
      }
      window.end_ns = std::max(window.end_ns, trace.end_ns(slice));
    }
  }
  return window;
}

std::vector<GpuGap> gpu_gaps(const Trace& trace, const GpuWork& work, TimeRange window,
                             const std::stop_token& stop) {
  std::vector<GpuGap> gaps;
  if (window.length_ns() <= 0) return gaps;
  std::vector<std::uint8_t> seen(trace.processes.size());
  for (const Track& track : trace.tracks) {
    if (stop.stop_requested()) return {};
    if (track.kind != TrackKind::gpu_stream || std::exchange(seen[track.process], std::uint8_t{1}) != 0)
      continue;
    GapFinder(trace, window, track.process, gaps)
        .run(MergedWork(trace, work.of_process(trace, track.process)), stop);
  }
  return gaps;
}

std::vector<GpuGap> stream_gaps(const Trace& trace, const GpuWork& work, TimeRange window,
                                const std::stop_token& stop) {
  std::vector<GpuGap> gaps;
  for (const StreamWork& stream : work.streams) {
    const std::uint32_t process = trace.track(stream.track).process;
    for_each_gap(trace, stream, window, [&](const IdleGap& gap) {
      if ((gaps.size() % kCancelStride == 0 && stop.stop_requested()) || gap.range.length_ns() <= 0) return;
      const std::int64_t ran_dry_ns = trace.end_ns(gap.before);
      gaps.push_back({gap.range, process, stream.track, GapPosition::between,
                      cause_of(trace, gap.after, ran_dry_ns), ran_dry_ns, gap.before, gap.after});
    });
  }
  return gaps;
}

Table gap_table(const Trace& trace, const GpuWork& work, const Steps& steps, TimeRange requested,
                GapGrouping grouping, const TimeBase& base, const std::optional<std::string>& stream,
                const std::stop_token& stop) {
  const TimeRange window = gap_window(trace, work, steps, requested);
  const bool by_stream = grouping == GapGrouping::stream;
  std::vector<GpuGap> gaps = longest_gaps(trace, work, window, by_stream, stream, stop);
  Table table{.name = "gaps",
              .title = msg::gaps,
              .definition = by_stream ? msg::row_per_stream_gap : msg::row_per_gpu_gap};
  if (!gaps.empty()) note_what_is_listed(table, trace, gaps, window, base, steps, !by_stream);
  const LaunchingThreads launching(trace, stop);
  const GapFacts facts = gap_facts(trace, stop);
  mark_lost_work(trace, gaps, facts);
  std::vector<CpuMeanwhile> meanwhile(gaps.size());
  const std::size_t described = std::min(gaps.size(), most_described_gaps(trace, launching));
  if (described < gaps.size())
    table.notes.emplace_back(msg::cpu_activity_of_longest_gaps_only, grouped(described));
  parallel_for(thread_count_or_default(0), described, stop, [&](std::size_t i, unsigned) {
    meanwhile[i] = cpu_meanwhile(trace, gaps[i], launching, facts);
  });
  if (stop.stop_requested()) return {};
  add_gaps(table, trace, gaps, steps, window, by_stream);
  table.texts_of(meanwhile, "cpu_frame", msg::cpu_meanwhile, msg::event_with_most_self_time,
                 [&](const CpuMeanwhile& cpu) {
                   return cpu.share > 0 ? std::string(trace.name_text(cpu.name)) : std::string();
                 });
  table.number_column(meanwhile, "cpu_share", msg::share_of_gap, Unit::share, msg::part_of_gap_by_event,
                      [](const CpuMeanwhile& cpu) { return cpu.share > 0 ? cpu.share : kNoNumber; });
  const auto name_of = [&](SliceId slice) {
    return slice == kNoSlice ? std::string() : std::string(trace.name_of(slice));
  };
  table.texts_of(gaps, "before", msg::work_before, msg::work_before_gap,
                 [&](const GpuGap& gap) { return name_of(gap.before); });
  table.texts_of(gaps, "next", msg::next_work, msg::work_that_ends_gap,
                 [&](const GpuGap& gap) { return name_of(gap.after); });
  table.links.reserve(2 * gaps.size());
  for (const GpuGap& gap : gaps) {
    table.links.emplace_back(gap.after != kNoSlice ? gap.after : gap.before);
    table.links.emplace_back(gap.range);
  }
  std::vector<GpuGap>().swap(gaps);  // freed early, since the last column needs as much memory
  table.text_column(meanwhile, "why", msg::reason, msg::conclusion_from_cause_and_cpu,
                    &CpuMeanwhile::meaning);
  return table;
}

constexpr TableKind<GpuParts> kGapTable{
    {.name = "gaps",
     .title = msg::gaps,
     .heading = msg::gpu,
     .about = msg::about_gaps,
     .groups = kGapGroups,
     .supports = {.stream = true}},
    [](const GpuParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      const Trace& trace = parts.trace();
      TimeRange range = parts.range();
      if (parts.step()) {
        // The GPU executes a step's work later than the CPU launches it. So gaps are searched from the start
        // of the step to the end of its work. Other work in this window also ends gaps.
        const TimeRange gpu = parts.gpu_range(stop);
        range = {std::min(range.begin_ns, gpu.begin_ns), std::max(range.end_ns, gpu.end_ns)};
      }
      const auto grouping = query.stream ? GapGrouping::stream : static_cast<GapGrouping>(query.group);
      return gap_table(trace, gpu_work_in(trace, range, stop), find_steps(trace, stop), range, grouping,
                       parts.base(stop), query.stream, stop);
    }};

}  // namespace kino
