#include "core/tables/gpu/data_quality_report.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/links/doubtful_work.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/recorder_notes.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

struct Words {
  msg::Id title;
  msg::Id title_of_one;
  msg::Id meaning;
};
constexpr std::array<Words, kQualityFindingCount> kWords = {{
    {msg::pieces_of_gpu_work_without_a_launch, msg::piece_of_gpu_work_without_a_launch,
     msg::its_call_was_made_before_the_recording},
    {msg::launches_without_gpu_work, msg::launch_without_gpu_work, msg::their_kernels_were_lost_or_ran_after},
    {msg::launches_without_gpu_work, msg::launch_without_gpu_work, msg::the_trace_has_no_gpu_work_at_all},
    {msg::launches_without_gpu_work, msg::launch_without_gpu_work, msg::the_trace_has_no_kernel_at_all},
    {msg::memset_or_copy_calls_without_gpu_work, msg::memset_or_copy_call_without_gpu_work,
     msg::zero_bytes_or_not_recorded},
    {msg::launches_captured_into_graphs, msg::launch_captured_into_a_graph, msg::they_did_not_run_themselves},
    {msg::steps_without_gpu_work, msg::step_without_gpu_work, msg::steps_with_lost_gpu_work},
    {msg::steps_that_launch_no_gpu_work, msg::step_that_launches_no_gpu_work,
     msg::steps_without_launching_calls},
    {msg::pieces_of_gpu_work_that_start_before, msg::piece_of_gpu_work_that_starts_before,
     msg::the_clocks_of_cpu_and_gpu_disagree_here},
    {msg::pieces_of_gpu_work_that_overlap, msg::piece_of_gpu_work_that_overlaps,
     msg::a_stream_runs_in_order_or_kernels_start_early},
    {msg::slices_that_overlap_their_neighbors, msg::slice_that_overlaps_its_neighbors,
     msg::shown_in_additional_lane},
    {msg::launches_of_whole_graphs, msg::launch_of_a_whole_graph, msg::one_call_launches_many_kernels},
    {msg::collectives_but_no_rank, msg::collectives_but_no_rank, msg::process_of_job_unknown},
}};

const Words& words_of(QualityFinding finding) { return kWords[static_cast<std::size_t>(finding)]; }

class Reporter {
 public:
  Reporter(const Trace& trace, const std::stop_token& stop) : trace_(trace), stop_(stop) {
    for (int i = 0; i < kQualityFindingCount; ++i)
      lines_[static_cast<std::size_t>(i)].finding = static_cast<QualityFinding>(i);
  }

  DataQualityReport run() {
    const std::vector<DoubtfulWork> doubtful = doubtful_work(trace_, stop_);
    for (const DoubtfulWork& work : doubtful) {
      if (work.longer_than_recording) impossible_.insert(index_of(work.slice));
    }
    report_.outlasting_work = impossible_.size();
    report_.reliable_ns = plausible_length_ns(trace_, doubtful);
    report_.programmatic_launches = device_word(trace_) == "GPU" && gpu_vendor(trace_) == GpuVendor::nvidia;
    for (const Row& row : trace_.rows) {
      if (!check_row(row)) return {};
    }
    check_launches();
    line(QualityFinding::gpu_work_without_launch).of = report_.gpu_work;
    line(QualityFinding::start_before_launch).of = report_.gpu_work;
    check_overlaps();
    check_steps();
    if (communicates_ && trace_.job.rank < 0) line(QualityFinding::no_rank).count = 1;
    std::ranges::copy_if(lines_, std::back_inserter(report_.lines),
                         [](const DataQualityLine& line) { return line.count > 0; });
    report_.notes = recorder_notes(trace_);
    return stop_.stop_requested() ? DataQualityReport{} : std::move(report_);
  }

 private:
  DataQualityLine& line(QualityFinding finding) { return lines_[static_cast<std::size_t>(finding)]; }

  void find(QualityFinding finding, std::uint32_t slice, std::int64_t duration_ns) {
    DataQualityLine& found = line(finding);
    ++found.count;
    add_saturating(found.duration_ns, duration_ns);
    note_first(found.first, SliceId{slice});
  }
  /// Sets `first` to `slice` if `slice` starts earlier.
  void note_first(SliceId& first, SliceId slice) const {
    if (first == kNoSlice || trace_.start_ns(slice) < trace_.start_ns(first)) first = slice;
  }

  bool check_row(const Row& row) {
    const SliceColumns& slices = trace_.slices;
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return false;
      if (!is_gpu_work(slices.kind[i])) continue;
      const SliceId link = slices.link[i];
      const std::int64_t duration = impossible_.contains(i) ? 0 : slices.duration_ns[i];
      communicates_ = communicates_ || slices.kind[i] == SliceKind::communication;
      ++report_.gpu_work;
      add_saturating(report_.gpu_work_ns, duration);
      if (link == kNoSlice) {
        find(QualityFinding::gpu_work_without_launch, i, duration);
        continue;
      }
      add_saturating(report_.linked_gpu_work_ns, duration);
      const std::int64_t early_ns = saturating_subtract(trace_.start_ns(link), slices.start_ns[i]);
      if (early_ns > 0) find(QualityFinding::start_before_launch, i, early_ns);
    }
    return true;
  }

  void check_launches() {
    report_.launches = count_launches(trace_, whole_range(trace_), stop_);
    const LaunchCounts& counts = report_.launches;
    const QualityFinding lost = counts.gpu_side_missing()  ? QualityFinding::gpu_side_missing
                                : counts.kernels_missing() ? QualityFinding::kernels_missing
                                                           : QualityFinding::launch_without_gpu_work;
    take(lost, counts.all.without_work, counts.all.calls.count);
    take(QualityFinding::transfer_without_gpu_work, counts.all.transfers_without_work,
         counts.of(LaunchKind::transfer).calls.count);
    take(QualityFinding::captured_launch, counts.all.captured, counts.all.calls.count);
    report_.launch_side = counts.all.covered()            ? LaunchSide::counted
                          : counts.all.captured.count > 0 ? LaunchSide::captured
                          : has_cpu_events()              ? LaunchSide::unknown
                                                          : LaunchSide::none;
    take(QualityFinding::graph_launch, counts.of(LaunchKind::graph).calls, 0);
  }

  bool has_cpu_events() const {
    return std::ranges::any_of(trace_.rows, [&](const Row& row) {
      return row.slice_count > 0 && trace_.track(row.track).kind == TrackKind::cpu_thread;
    });
  }

  void take(QualityFinding finding, const CallSum& sum, std::uint64_t total) {
    line(finding) = {finding, sum.count, total, sum.duration_ns, sum.first};
  }

  /// Counts overlapping slices. A slice that is not in the lane directly below its parent overlaps another
  /// slice of its track.
  void check_overlaps() {
    for (const Track& track : trace_.tracks) {
      if (track.spilled_count == 0 || track.kind == TrackKind::async || track.kind == TrackKind::counter)
        continue;
      const bool stream = track.kind == TrackKind::gpu_stream;
      if (!stream && track.kind != TrackKind::cpu_thread) continue;
      DataQualityLine& found = line(stream ? QualityFinding::stream_overlap : QualityFinding::thread_overlap);
      const auto [count, first] =
          stream ? spilled_work(track) : Spilled{track.spilled_count, first_spilled(track)};
      found.count += count;
      report_.spilled += count;
      if (first != kNoSlice) note_first(found.first, first);
    }
    check_holders();
  }

  /// Counts overlaps that lanes hide: work within earlier work of its stream is shown as nested, although it
  /// overlaps.
  void check_holders() {
    DataQualityLine& found = line(QualityFinding::stream_overlap);
    for (const StreamHolder& holder : stream_holders(trace_, stop_)) {
      if (!holder.spilled) ++found.count;
      note_first(found.first, holder.slice);
    }
  }

  struct Spilled {
    std::uint64_t count = 0;
    SliceId first = kNoSlice;  ///< spilled slice that starts first
  };

  /// Whether the slice is not in the lane directly below its parent.
  bool is_spilled(std::uint32_t slice, std::uint32_t lane) const {
    const SliceId parent = trace_.slices.parent[slice];
    return parent == kNoSlice || trace_.row(trace_.row_of(parent)).lane + 1 != lane;
  }

  /// Counts spilled GPU work. Waits and marks are ignored, since they may overlap the work they refer to.
  Spilled spilled_work(const Track& track) const {
    Spilled found;
    for (std::uint32_t lane = 1; lane < track.row_count; ++lane) {
      const Row& row = trace_.rows[track.first_row + lane];
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        if (!is_gpu_work(trace_.slices.kind[i]) || !is_spilled(i, lane)) continue;
        ++found.count;
        note_first(found.first, SliceId{i});
      }
    }
    return found;
  }

  SliceId first_spilled(const Track& track) const {
    SliceId first = kNoSlice;
    for (std::uint32_t lane = 1; lane < track.row_count; ++lane) {
      const Row& row = trace_.rows[track.first_row + lane];
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        if (!is_spilled(i, lane)) continue;
        note_first(first, SliceId{i});
        break;  // rows are in order of time
      }
    }
    return first;
  }

  void check_steps() {
    if (report_.gpu_work == 0) return;
    const Steps steps = find_steps(trace_, stop_);
    if (steps.steps.size() < 2) return;
    std::vector<std::uint64_t> launched(steps.steps.size(), 0);
    for (std::uint32_t i = 0; i < trace_.slice_count(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return;
      if (!is_gpu_work(trace_.slices.kind[i]) || trace_.slices.link[i] == kNoSlice) continue;
      const std::size_t step = steps.at(trace_.start_ns(trace_.slices.link[i]));
      if (step != Steps::kNone) ++launched[step];
    }
    const bool any = std::ranges::any_of(launched, [](std::uint64_t count) { return count > 0; });
    if (!any || std::ranges::find(launched, 0U) == launched.end()) return;
    const std::vector<std::uint8_t> lost = steps_with_launches(steps);
    if (stop_.stop_requested()) return;
    for (std::size_t i = 0; i < launched.size(); ++i) {
      if (launched[i] > 0) continue;
      const Step& step = steps.steps[i];
      find(lost[i] != 0 ? QualityFinding::step_without_gpu_work : QualityFinding::step_without_launch,
           index_of(step.slice), step.range.length_ns());
    }
    line(QualityFinding::step_without_gpu_work).of = launched.size();
    line(QualityFinding::step_without_launch).of = launched.size();
  }

  /// Returns by step whether a call in it launches a kernel or a graph. Captured launches do not count, since
  /// they run nothing. Transfers do not count, since they may have zero bytes.
  std::vector<std::uint8_t> steps_with_launches(const Steps& steps) const {
    std::vector<std::uint8_t> found(steps.steps.size());
    const LaunchCalls calls(trace_);
    const CapturedWork captured = captured_work(trace_, stop_);
    for (std::uint32_t i = 0; i < trace_.slice_count(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return found;
      if (trace_.slices.kind[i] != SliceKind::runtime) continue;
      const LaunchKind kind = calls.kind_of(SliceId{i});
      if (kind != LaunchKind::kernel && kind != LaunchKind::graph) continue;
      if (std::ranges::binary_search(captured.launches, SliceId{i})) continue;
      const std::size_t step = steps.at(trace_.slices.start_ns[i]);
      if (step != Steps::kNone) found[step] = 1;
    }
    return found;
  }

  const Trace& trace_;
  const std::stop_token& stop_;
  DataQualityReport report_;
  std::array<DataQualityLine, kQualityFindingCount> lines_;
  std::set<std::uint32_t> impossible_;  // work that outlasts the recording; its time is ignored
  bool communicates_ = false;
};

}  // namespace

msg::Id text_of(QualityFinding finding) { return words_of(finding).title; }

msg::Id text_of(QualityFinding finding, std::uint64_t count) {
  return count == 1 ? words_of(finding).title_of_one : words_of(finding).title;
}

msg::Id meaning_of(QualityFinding finding) { return words_of(finding).meaning; }

msg::Id meaning_of(QualityFinding finding, const DataQualityReport& report) {
  if (finding == QualityFinding::gpu_work_without_launch && knows_no_launch(report.launch_side))
    return msg::no_call_in_the_trace_is_known_to_launch_it;
  if (finding == QualityFinding::stream_overlap && !report.programmatic_launches)
    return msg::a_stream_runs_in_order_or_streams_share;
  return meaning_of(finding);
}

std::optional<double> DataQualityReport::covered_gpu_time() const {
  if (gpu_work_ns <= 0) return std::nullopt;
  return static_cast<double>(linked_gpu_work_ns) / static_cast<double>(gpu_work_ns);
}

DataQualityReport data_quality_report(const Trace& trace, const std::stop_token& stop) {
  return Reporter(trace, stop).run();
}

}  // namespace kino
