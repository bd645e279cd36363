#include "core/tables/gpu/trust_report.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

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
  std::string_view title;
  std::string_view meaning;
};
constexpr std::array<Words, kTrustFindingCount> kWords = {{
    {"pieces of GPU work without a launch in the trace",
     "its call was made before the recording began, or was not recorded: tables by operator leave it out"},
    {"launches without GPU work",
     "their kernels were lost, or ran after the recording ended: GPU time is missing here"},
    {"launches without GPU work",
     "the trace has no GPU work at all: the GPU side of the recording is missing, so GPU and idle times are "
     "unknown"},
    {"launches without GPU work",
     "the trace has no kernel at all: kernels were not recorded, so GPU and idle times are unknown"},
    {"memset or copy calls without GPU work",
     "of zero bytes, which run nothing, or not recorded: they do not count as lost launches"},
    {"launches captured into graphs",
     "they did not run themselves: their kernels run with the launches of the graph"},
    {"steps without GPU work", "they launch some, and other steps have theirs: it was not recorded"},
    {"steps that launch no GPU work", "other steps do: in these, no call launches a kernel or a graph"},
    {"pieces of GPU work that start before their launch",
     "the clocks of CPU and GPU disagree here: delays and flows across them are not exact"},
    {"pieces of GPU work that overlap other work of their stream",
     "a stream runs in order, so its times are not exact, or several streams share a number, or kernels "
     "start early (programmatic launch)"},
    {"slices that overlap their neighbours", "they do not nest, and stand in a further lane"},
    {"launches of graphs", "one call stands for many kernels: a delay counts from the launch of the graph"},
    {"collectives, but no rank", "the trace does not say which process of the job it is of"},
}};

constexpr std::string_view kNoLaunchMeaning =
    "no call in the trace is known to launch it: tables by operator leave it out";
constexpr std::string_view kOverlapMeaning =
    "a stream runs in order, so its times are not exact, or several streams share a number";

class Reporter {
 public:
  Reporter(const Trace& trace, const std::stop_token& stop) : trace_(trace), stop_(stop) {
    for (int i = 0; i < kTrustFindingCount; ++i)
      lines_[static_cast<std::size_t>(i)].finding = static_cast<TrustFinding>(i);
  }

  TrustReport run() {
    const std::vector<DoubtfulWork> doubtful = doubtful_work(trace_, stop_);
    for (const DoubtfulWork& work : doubtful) {
      if (work.longer_than_recording) impossible_.insert(index_of(work.slice));
    }
    report_.outlasting_work = impossible_.size();
    report_.believed_ns = believed_length_ns(trace_, doubtful);
    report_.programmatic_launches = device_word(trace_) == "GPU" && gpu_vendor(trace_) == GpuVendor::nvidia;
    for (const Row& row : trace_.rows) {
      if (!look_at(row)) return {};
    }
    look_at_launches();
    line(TrustFinding::gpu_work_without_launch).of = report_.gpu_work;
    line(TrustFinding::start_before_launch).of = report_.gpu_work;
    look_at_overlaps();
    look_at_steps();
    if (communicates_ && trace_.job.rank < 0) line(TrustFinding::no_rank).count = 1;
    for (const TrustLine& it : lines_) {
      if (it.count > 0) report_.lines.push_back(it);
    }
    report_.notes = recorder_notes(trace_);
    return stop_.stop_requested() ? TrustReport{} : std::move(report_);
  }

 private:
  TrustLine& line(TrustFinding finding) { return lines_[static_cast<std::size_t>(finding)]; }

  void find(TrustFinding finding, std::uint32_t slice, std::int64_t duration_ns) {
    TrustLine& it = line(finding);
    ++it.count;
    it.duration_ns = saturating_add(it.duration_ns, duration_ns);
    const auto& starts = trace_.slices.start_ns;
    if (it.first == kNoSlice || starts[slice] < starts[index_of(it.first)]) it.first = SliceId{slice};
  }

  bool look_at(const Row& row) {
    const SliceColumns& slices = trace_.slices;
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return false;
      const SliceId link = slices.link[i];
      if (is_gpu_work(slices.kind[i])) {
        const std::int64_t duration = impossible_.contains(i) ? 0 : slices.duration_ns[i];
        communicates_ = communicates_ || slices.kind[i] == SliceKind::communication;
        ++report_.gpu_work;
        report_.gpu_work_ns = saturating_add(report_.gpu_work_ns, duration);
        if (link == kNoSlice) {
          find(TrustFinding::gpu_work_without_launch, i, duration);
          continue;
        }
        report_.linked_gpu_work_ns = saturating_add(report_.linked_gpu_work_ns, duration);
        if (slices.start_ns[i] < trace_.start_ns(link)) {
          find(TrustFinding::start_before_launch, i,
               saturating_subtract(trace_.start_ns(link), slices.start_ns[i]));
        }
      }
    }
    return true;
  }

  void look_at_launches() {
    report_.launches = count_launches(trace_, whole_range(trace_), stop_);
    const LaunchCounts& counts = report_.launches;
    const TrustFinding lost = counts.gpu_side_missing()  ? TrustFinding::gpu_side_missing
                              : counts.kernels_missing() ? TrustFinding::kernels_missing
                                                         : TrustFinding::launch_without_gpu_work;
    take(lost, counts.all.without_work, counts.all.calls.count);
    take(TrustFinding::transfer_without_gpu_work, counts.all.transfers_without_work,
         counts.of(LaunchKind::transfer).calls.count);
    take(TrustFinding::captured_launch, counts.all.captured, counts.all.calls.count);
    report_.launch_side = counts.all.covered()            ? LaunchSide::counted
                          : counts.all.captured.count > 0 ? LaunchSide::captured
                          : has_cpu_events()              ? LaunchSide::unknown
                                                          : LaunchSide::none;
    take(TrustFinding::graph_launch, counts.of(LaunchKind::graph).calls, 0);
  }

  bool has_cpu_events() const {
    return std::any_of(trace_.rows.begin(), trace_.rows.end(), [&](const Row& row) {
      return row.slice_count > 0 && trace_.track(row.track).kind == TrackKind::cpu_thread;
    });
  }

  void take(TrustFinding finding, const CallSum& sum, std::uint64_t of) {
    line(finding) = {finding, sum.count, of, sum.duration_ns, sum.first};
  }

  /// What stands in a lane other than below its parent overlaps something of its track.
  void look_at_overlaps() {
    for (const Track& track : trace_.tracks) {
      if (track.spilled_count == 0 || track.kind == TrackKind::async || track.kind == TrackKind::counter)
        continue;
      const bool stream = track.kind == TrackKind::gpu_stream;
      if (!stream && track.kind != TrackKind::cpu_thread) continue;
      TrustLine& it = line(stream ? TrustFinding::stream_overlap : TrustFinding::thread_overlap);
      const auto [count, first] =
          stream ? spilled_work(track) : Spilled{track.spilled_count, first_spilled(track)};
      it.count += count;
      report_.spilled += count;
      const bool earlier =
          first != kNoSlice && (it.first == kNoSlice || trace_.start_ns(first) < trace_.start_ns(it.first));
      if (earlier) it.first = first;
    }
    look_at_holders();
  }

  /// Lanes show later work of a stream within earlier work as nested, which it cannot be.
  void look_at_holders() {
    TrustLine& it = line(TrustFinding::stream_overlap);
    const auto& starts = trace_.slices.start_ns;
    for (const StreamHolder& holder : stream_holders(trace_, stop_)) {
      if (!holder.spilled) ++it.count;
      if (it.first == kNoSlice || starts[index_of(holder.slice)] < starts[index_of(it.first)])
        it.first = holder.slice;
    }
  }

  struct Spilled {
    std::uint64_t count = 0;
    SliceId first = kNoSlice;  ///< by start
  };

  /// Not directly below its parent.
  bool is_spilled(std::uint32_t slice, std::uint32_t lane) const {
    const SliceId parent = trace_.slices.parent[slice];
    return parent == kNoSlice || trace_.row(trace_.row_of(parent)).lane + 1 != lane;
  }

  /// Waits and marks on a stream may overlap what they stand for.
  Spilled spilled_work(const Track& track) const {
    Spilled found;
    const auto& starts = trace_.slices.start_ns;
    for (std::uint32_t lane = 1; lane < track.row_count; ++lane) {
      const Row& row = trace_.rows[track.first_row + lane];
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        if (!is_gpu_work(trace_.slices.kind[i]) || !is_spilled(i, lane)) continue;
        ++found.count;
        if (found.first == kNoSlice || starts[i] < starts[index_of(found.first)]) found.first = SliceId{i};
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
        const bool earlier = first == kNoSlice || trace_.slices.start_ns[i] < trace_.start_ns(first);
        if (earlier) first = SliceId{i};
        break;  // rows are in order of time
      }
    }
    return first;
  }

  void look_at_steps() {
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
    const bool any =
        std::any_of(launched.begin(), launched.end(), [](std::uint64_t count) { return count > 0; });
    if (!any || std::ranges::find(launched, 0U) == launched.end()) return;
    const std::vector<std::uint8_t> lost = steps_with_launches(steps);
    if (stop_.stop_requested()) return;
    for (std::size_t i = 0; i < launched.size(); ++i) {
      if (launched[i] > 0) continue;
      const Step& step = steps.steps[i];
      find(lost[i] != 0 ? TrustFinding::step_without_gpu_work : TrustFinding::step_without_launch,
           index_of(step.slice), step.range.length_ns());
    }
    line(TrustFinding::step_without_gpu_work).of = launched.size();
    line(TrustFinding::step_without_launch).of = launched.size();
  }

  /// By step, whether a call in it launches a kernel or a graph. Captured launches run nothing, and a
  /// transfer may be of zero bytes.
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
  TrustReport report_;
  std::array<TrustLine, kTrustFindingCount> lines_;
  std::set<std::uint32_t> impossible_;  // work that outlasts the recording: no share is of its time
  bool communicates_ = false;
};

}  // namespace

std::string_view text_of(TrustFinding finding) { return kWords[static_cast<std::size_t>(finding)].title; }

std::string_view text_of(TrustFinding finding, std::uint64_t count) {
  if (count != 1) return text_of(finding);
  switch (finding) {
    case TrustFinding::launch_without_gpu_work:
    case TrustFinding::gpu_side_missing:
    case TrustFinding::kernels_missing:
      return "launch without GPU work";
    case TrustFinding::transfer_without_gpu_work:
      return "memset or copy call without GPU work";
    case TrustFinding::captured_launch:
      return "launch captured into a graph";
    case TrustFinding::step_without_gpu_work:
      return "step without GPU work";
    case TrustFinding::step_without_launch:
      return "step that launches no GPU work";
    case TrustFinding::thread_overlap:
      return "slice that overlaps its neighbours";
    case TrustFinding::graph_launch:
      return "launch of a graph";
    case TrustFinding::gpu_work_without_launch:
      return "piece of GPU work without a launch in the trace";
    case TrustFinding::start_before_launch:
      return "piece of GPU work that starts before its launch";
    case TrustFinding::stream_overlap:
      return "piece of GPU work that overlaps other work of its stream";
    case TrustFinding::no_rank:
      break;
  }
  return text_of(finding);
}

std::string_view meaning_of(TrustFinding finding) {
  return kWords[static_cast<std::size_t>(finding)].meaning;
}

std::string_view meaning_of(TrustFinding finding, const TrustReport& report) {
  if (finding == TrustFinding::gpu_work_without_launch && knows_no_launch(report.launch_side))
    return kNoLaunchMeaning;
  if (finding == TrustFinding::stream_overlap && !report.programmatic_launches) return kOverlapMeaning;
  return meaning_of(finding);
}

std::optional<double> TrustReport::covered_gpu_time() const {
  if (gpu_work_ns <= 0) return std::nullopt;
  return static_cast<double>(linked_gpu_work_ns) / static_cast<double>(gpu_work_ns);
}

TrustReport trust_report(const Trace& trace, const std::stop_token& stop) {
  return Reporter(trace, stop).run();
}

}  // namespace kino
