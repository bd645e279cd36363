#include "core/gpu/trust_report.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/recorder_notes.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

struct Words {
  std::string_view title;
  std::string_view meaning;
};
constexpr std::array<Words, kTrustFindingCount> kWords = {{
    {"GPU work without a launch in the trace",
     "its call was made before the recording began, or was not recorded: tables by operator leave it out"},
    {"launches without GPU work",
     "their kernels were lost, or ran after the recording ended: GPU time is missing here"},
    {"steps without GPU work", "other steps have some: what belongs to these was not recorded"},
    {"GPU work that starts before its launch",
     "the clocks of CPU and GPU disagree here: delays and flows across them are not exact"},
    {"GPU work that overlaps other work of its stream",
     "a stream runs in order, so its times are not exact, or several streams share a number"},
    {"CPU slices that overlap their neighbours", "they do not nest, and stand in a further lane"},
    {"launches of graphs", "one call stands for many kernels: a delay counts from the launch of the graph"},
    {"collectives, but no rank", "the trace does not say which process of the job it is of"},
}};

class Reporter {
 public:
  Reporter(const Trace& trace, const std::stop_token& stop) : trace_(trace), stop_(stop) {
    for (int i = 0; i < kTrustFindingCount; ++i)
      lines_[static_cast<std::size_t>(i)].finding = static_cast<TrustFinding>(i);
    starts_work_.resize(trace.names.size());
    graph_.resize(trace.names.size());
    for (std::uint32_t name = 0; name < trace.names.size(); ++name) {
      const bool runtime = name < trace.name_kind.size() && trace.name_kind[name] == SliceKind::runtime;
      starts_work_[name] = runtime && starts_gpu_work(trace.names[name]);
      graph_[name] = runtime && launches_graph(trace.names[name]);
    }
  }

  TrustReport run() {
    for (const Row& row : trace_.rows) {
      if (!look_at(row)) return {};
    }
    // Without any GPU work a trace does not miss it.
    if (report_.gpu_work == 0) line(TrustFinding::launch_without_gpu_work).count = 0;
    line(TrustFinding::gpu_work_without_launch).of = report_.gpu_work;
    line(TrustFinding::start_before_launch).of = report_.gpu_work;
    line(TrustFinding::launch_without_gpu_work).of = report_.launches;
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
        const std::int64_t duration = slices.duration_ns[i];
        communicates_ = communicates_ || slices.kind[i] == SliceKind::communication;
        ++report_.gpu_work;
        report_.gpu_work_ns = saturating_add(report_.gpu_work_ns, duration);
        if (link == kNoSlice) {
          find(TrustFinding::gpu_work_without_launch, i, duration);
          continue;
        }
        report_.linked_gpu_work_ns = saturating_add(report_.linked_gpu_work_ns, duration);
        if (slices.start_ns[i] < slices.start_ns[index_of(link)]) {
          find(TrustFinding::start_before_launch, i,
               saturating_subtract(slices.start_ns[index_of(link)], slices.start_ns[i]));
        }
      } else if (starts_work_[index_of(slices.name[i])]) {
        ++report_.launches;
        if (graph_[index_of(slices.name[i])]) find(TrustFinding::graph_launch, i, slices.duration_ns[i]);
        if (link == kNoSlice) {
          find(TrustFinding::launch_without_gpu_work, i, slices.duration_ns[i]);
        } else {
          ++report_.linked_launches;
        }
      }
    }
    return true;
  }

  /// What stands in a lane other than below its parent overlaps something of its track.
  void look_at_overlaps() {
    for (const Track& track : trace_.tracks) {
      if (track.spilled_count == 0 || track.kind == TrackKind::async || track.kind == TrackKind::counter)
        continue;
      const bool stream = track.kind == TrackKind::gpu_stream;
      if (!stream && track.kind != TrackKind::cpu_thread) continue;
      TrustLine& it = line(stream ? TrustFinding::stream_overlap : TrustFinding::thread_overlap);
      it.count += track.spilled_count;
      const SliceId first = first_spilled(track);
      const bool earlier =
          first != kNoSlice && (it.first == kNoSlice || trace_.slices.start_ns[index_of(first)] <
                                                            trace_.slices.start_ns[index_of(it.first)]);
      if (earlier) it.first = first;
    }
  }

  SliceId first_spilled(const Track& track) const {
    SliceId first = kNoSlice;
    for (std::uint32_t lane = 1; lane < track.row_count; ++lane) {
      const Row& row = trace_.rows[track.first_row + lane];
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        const SliceId parent = trace_.slices.parent[i];
        const bool below =
            parent != kNoSlice && trace_.rows[index_of(trace_.row_of(parent))].lane + 1 == lane;
        if (below) continue;
        const bool earlier =
            first == kNoSlice || trace_.slices.start_ns[i] < trace_.slices.start_ns[index_of(first)];
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
      const std::size_t step = steps.at(trace_.slices.start_ns[index_of(trace_.slices.link[i])]);
      if (step != Steps::kNone) ++launched[step];
    }
    const bool any =
        std::any_of(launched.begin(), launched.end(), [](std::uint64_t count) { return count > 0; });
    if (!any) return;
    for (std::size_t i = 0; i < launched.size(); ++i) {
      if (launched[i] > 0) continue;
      const Step& step = steps.steps[i];
      find(TrustFinding::step_without_gpu_work, index_of(step.slice), step.range.length_ns());
    }
    line(TrustFinding::step_without_gpu_work).of = launched.size();
  }

  const Trace& trace_;
  const std::stop_token& stop_;
  TrustReport report_;
  std::array<TrustLine, kTrustFindingCount> lines_;
  std::vector<bool> starts_work_;  // by NameId
  std::vector<bool> graph_;        // by NameId
  bool communicates_ = false;
};

std::optional<double> share(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

}  // namespace

std::string_view text_of(TrustFinding finding) { return kWords[static_cast<std::size_t>(finding)].title; }

std::string_view meaning_of(TrustFinding finding) {
  return kWords[static_cast<std::size_t>(finding)].meaning;
}

std::optional<double> TrustReport::covered_gpu_time() const {
  return share(static_cast<double>(linked_gpu_work_ns), static_cast<double>(gpu_work_ns));
}

std::optional<double> TrustReport::covered_launches() const {
  return share(static_cast<double>(linked_launches), static_cast<double>(launches));
}

bool launches_graph(std::string_view call_name) {
  return call_name.starts_with("cudaGraphLaunch") || call_name.starts_with("cuGraphLaunch") ||
         call_name.starts_with("hipGraphLaunch");
}

bool starts_gpu_work(std::string_view call_name) {
  if (launches_graph(call_name)) return true;
  for (const std::string_view prefix : {"cuda", "cu", "hip"}) {
    if (!call_name.starts_with(prefix)) continue;
    const std::string_view rest = call_name.substr(prefix.size());
    if (rest.starts_with("LaunchHost")) return false;  // a function of the CPU
    const bool launch = rest.starts_with("Launch") || rest.starts_with("ExtLaunch") ||
                        rest.starts_with("ModuleLaunch") || rest.starts_with("ExtModuleLaunch");
    const bool transfer = rest.starts_with("Memcpy") || rest.starts_with("Memset");
    if (launch || (transfer && rest.find("Async") != std::string_view::npos)) return true;
  }
  return false;
}

TrustReport trust_report(const Trace& trace, const std::stop_token& stop) {
  return Reporter(trace, stop).run();
}

}  // namespace kino
