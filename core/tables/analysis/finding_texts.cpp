#include "core/tables/analysis/finding_texts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/step_words.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/finding_fixes.hpp"
#include "core/tables/gpu/step_choice.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/links/doubtful_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/trace_maker.hpp"
#include "core/trace/recorder_notes.hpp"

namespace kino {
namespace {

constexpr double kUnexplained = 0.1;    // of the step
constexpr std::uint64_t kFewWork = 10;  // without steps: no round of anything
constexpr std::size_t kNamedIdle = 3;

double part_of_whole(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// "The GPU"; of several: "Every GPU", for none of them works then.
std::string subject(const Trace& trace, bool begins = true) {
  return std::string(count_of_gpus(trace) > 1 ? (begins ? "Every " : "every ") : (begins ? "The " : "the ")) +
         device_word(trace);
}

/// The GPUs that a claim on launches holds for: subject(), unless launches are known of some GPUs only.
std::string launched_subject(const StepCosts& costs, const Trace& trace) {
  if (!costs.gpus.differ()) return subject(trace);
  return (costs.gpus.known.size() > 1 ? "Each of " : "") + listed_gpus(trace, costs.gpus.known);
}

/// Idle time of the findings is that of no single GPU if there are several.
std::string at_once_text(const Trace& trace) {
  const std::uint64_t gpus = count_of_gpus(trace);
  if (gpus < 2) return {};
  return " This is time in which " + (gpus == 2 ? "both" : "all " + grouped(gpus)) + " " +
         device_word(trace) + "s are idle.";
}

bool is_per_step(const FindingBase& base) { return base.kind == FindingBase::Kind::steps; }

/// "at most 51.5 ms of 214.3 ms a step (24.0 %)".
std::string amount(const Finding& finding, const FindingBase& base) {
  constexpr std::array<const char*, 3> kBounds{"at most ", "at least ", ""};  // by WonBound
  return kBounds[static_cast<std::size_t>(finding.bound)] + text_from_duration(finding.won_ns.value_or(0)) +
         " of " + text_from_duration(base.mean_ns) + (is_per_step(base) ? " a step" : "") + " (" +
         text_from_share(finding.share) + ")";
}

std::string times_text(double times) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", times);
  return text.data();
}

/// "median 14.06 µs"; "mean 3 ms" of two calls and "3 ms" of one, since fewer than three have no median.
std::string usual_duration(const LaunchCost& launches, std::size_t windows) {
  if (launches.count < 3) {
    return (launches.count == 2 ? "mean " : "") +
           text_from_duration(launches.total_ns / static_cast<std::int64_t>(launches.count));
  }
  const bool one_per_step = windows > 1 && launches.count / windows == 1;
  return "median " + text_from_duration(launches.median_ns) + (one_per_step ? " over the steps" : "");
}

/// " Launches a step: 136 of kernels (median 14.06 µs), 8 of graphs (median 4.3 ms)."
std::string launches_text(const StepCosts& costs) {
  const std::size_t windows = costs.base.windows.size();
  if (windows == 0) return {};
  if ((costs.kernel_launches.count + costs.graph_launches.count) / windows < 2) return {};
  std::string parts;
  const auto add = [&](const LaunchCost& launches, std::string_view of) {
    if (launches.count / windows == 0) return;
    parts += (parts.empty() ? "" : ", ") + grouped(launches.count / windows) + std::string(of) + " (" +
             usual_duration(launches, windows) + ")";
  };
  add(costs.kernel_launches, " of kernels");
  add(costs.graph_launches, " of graphs");
  if (parts.empty()) return {};
  std::string text = (is_per_step(costs.base) ? " Launches a step: " : " Launches: ") + parts + ".";
  // One that loads code may take longer than all others together.
  const LaunchCost& kernels = costs.kernel_launches;
  if (kernels.count > 1 && kernels.longest_ns > kernels.total_ns - kernels.longest_ns)
    text += " The longest launch of a kernel takes " + text_from_duration(kernels.longest_ns) + ".";
  return text;
}

/// A kernel without its template arguments and parameters: "deep_ep::internode_ll::combine".
std::string without_arguments(std::string_view kernel) {
  if (kernel.starts_with("void ")) kernel.remove_prefix(5);
  const std::string_view name = kernel.substr(0, kernel.find_first_of("<("));
  return std::string(name.empty() ? kernel : name);
}

std::string mean_text(std::int64_t ns, const FindingBase& base) {
  return text_from_duration(ns / std::max<std::int64_t>(1, static_cast<std::int64_t>(base.windows.size())));
}

/// " 16 s of this is one-off start-up, such as cudaFree (7.99 s)."
std::string start_up_text(FindingKind kind, const StepCosts& costs, const Trace& trace) {
  constexpr double kNamedPart = 0.1;  // of the finding
  if (costs.start_up(kind) == nullptr) return {};
  const StartUpCost& start_up = *costs.start_up(kind);
  if (start_up.longest == kNoSlice || part_of_whole(start_up.ns, costs[kind].ns) < kNamedPart) return {};
  std::string text = " " + mean_text(start_up.ns, costs.base) + " of this is one-off start-up, such as " +
                     std::string(trace.name_of(start_up.longest));
  // A call that goes on while the GPU works is longer than its part.
  if (start_up.longest_ns - start_up.ns <= start_up.ns / 10)
    text += " (" + text_from_duration(start_up.longest_ns) + ")";
  return text + ".";
}

std::string before_kernels_text(FindingKind kind, const StepCosts& costs) {
  if (!is_before_kernels(kind, costs)) return {};
  return " " + mean_text(costs.before_kernels_ns(kind), costs.base) + " of this is before the first kernel.";
}

std::string silent_text(FindingKind kind, const StepCosts& costs) {
  if (!is_silent(kind, costs)) return {};
  return " In " + mean_text(costs.silent_ns, costs.base) +
         " of this, nothing but enclosing ranges is recorded of the threads that launch.";
}

std::string most_text(const std::string& name) {
  return name.empty() ? std::string() : " Most of this is in " + name + ".";
}

/// " In the longest gap (463.3 ms), the launching thread spends 99.9 % in hipMemcpyWithStream itself." Empty
/// unless that gap is half of the finding, most of the gap has this cause, and the call half of the gap.
std::string gap_call_text(const GapCall& gap, const StepCost& cost) {
  constexpr double kMostOfGap = 0.5;
  constexpr double kOfThisCause = 0.8;
  if (gap.name.empty() || gap.name.starts_with("ProfilerStep#") || gap.share < kMostOfGap ||
      2 * gap.own_ns < cost.ns)
    return {};
  if (part_of_whole(gap.own_ns, gap.gap_ns) < kOfThisCause) return {};
  return " In the longest gap (" + text_from_duration(gap.gap_ns) + "), the launching thread spends " +
         text_from_share(std::min(gap.share, 1.0)) + " in " + gap.name + " itself.";
}

std::string slow_step_text(const Finding& finding, const StepCosts& costs) {
  const FindingBase& base = costs.base;
  const TimeRange worst = finding.examples.front().range;
  const double times =
      static_cast<double>(worst.length_ns()) /
      static_cast<double>(std::max<std::int64_t>(1, worst.length_ns() - finding.examples.front().ns));
  if (costs.slow_steps > 1) {
    return grouped(costs.slow_steps) + " of " + grouped(base.windows.size()) +
           " steps take over 1.25 times the median, the longest " + times_text(times) +
           " times: " + amount(finding, base) + ".";
  }
  return "Step " + slowest_step(costs) + " takes " + text_from_duration(worst.length_ns()) + ", " +
         times_text(times) + " times the median: " + amount(finding, base) + ".";
}

/// Names the cause that grew most in the longest step, compared with the mean of the others.
std::string excess_cause(const StepCosts& costs) {
  constexpr std::array<std::string_view, kLedgerCauseCount> kWords{"exposed communication",
                                                                   "compute",
                                                                   "copies",
                                                                   "the CPU",
                                                                   "launches that come late",
                                                                   "launched work that has not started",
                                                                   "the data loader",
                                                                   "idle time after its last work"};
  const std::vector<TimeRange>& windows = costs.base.windows;
  const auto longest = std::ranges::max_element(windows, {}, &TimeRange::length_ns);
  const auto at = static_cast<std::size_t>(longest - windows.begin());
  const CauseTimes sums = costs.cause_sums();
  const auto others = static_cast<std::int64_t>(windows.size()) - 1;
  std::size_t best = 0;
  std::int64_t most = -1;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::int64_t excess =
        costs.causes[at][i] - (others > 0 ? (sums[i] - costs.causes[at][i]) / others : 0);
    if (excess <= most) continue;
    most = excess;
    best = i;
  }
  return std::string(kWords[best]);
}

std::string outliers_text(const Finding& finding, const StepCosts& costs) {
  const bool one = costs.outliers == 1;
  return (one ? std::string("One kernel or copy takes")
              : grouped(costs.outliers) + " kernels and copies take") +
         (costs.base.steps > 1 ? " much longer than at the same place of other steps: "
                               : " much longer than equal calls (name, configuration and input shapes): ") +
         amount(finding, costs.base) + ".";
}

/// " A step takes 1.14 s; its largest parts are aten::addmm (41.0 %) and aten::copy_ (12.0 %)."
std::string cpu_text(const StepCosts& costs, const Trace& trace) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> top;
  for (std::uint32_t i = 0; i < costs.cpu_ns.size(); ++i) {
    const bool counts = part_of_whole(costs.cpu_ns[i], costs.total_ns) >= kLeastFinding;
    if (counts && !is_step_name(trace.names[i])) top.emplace_back(-costs.cpu_ns[i], i);
  }
  std::ranges::sort(top);
  if (top.size() > 2) top.resize(2);
  std::string text;
  for (const auto& [ns, name] : top) {
    text += std::string(text.empty() ? "" : " and ") + std::string(trace.names[name]) + " (" +
            text_from_share(part_of_whole(-ns, costs.total_ns)) + ")";
  }
  if (text.empty()) return {};
  const std::string parts = top.size() > 1 ? "largest parts are " : "largest part is ";
  if (!is_per_step(costs.base)) return " The CPU's " + parts + text + ".";
  return " A step takes " + text_from_duration(costs.base.mean_ns) + "; its " + parts + text + ".";
}

/// Whether anything of a GPU was recorded, or was to be: annotations on it, calls, its model.
bool is_of_gpu_program(const Trace& trace) {
  return !trace.job.device_names.empty() || std::ranges::any_of(trace.processes, &Process::gpu) ||
         has_kind(trace, SliceKind::runtime);
}

/// Empty where neither launches nor operators are known: the recording is of another kind.
std::string verdict_of_cpu(const Findings& findings, const StepCosts& costs, const TrustReport& trust,
                           const Trace& trace) {
  if (std::string note = unanalysed_device_note(trace).str(); !note.empty()) return note;
  if (trust.launches.all.calls.count == 0 && costs.total_ns == 0 && !is_of_gpu_program(trace)) return {};
  std::string text = "No GPU work was recorded.";
  if (has_kind(trace, SliceKind::gpu_annotation))
    text = "No GPU work was recorded, only times of operators or annotations on the GPU.";
  if (trust.launches.gpu_side_missing()) {
    text = "No GPU work was recorded, although there are " + grouped(trust.launches.all.without_work.count) +
           " launches: the GPU's side of the recording is missing.";
  }
  text += cpu_text(costs, trace);
  if (!findings.list.empty() && findings.list.front().won_ns) text += " " + findings.list.front().sentence;
  return text;
}

bool is_idle_kind(FindingKind kind) { return kind <= FindingKind::garbage_collection; }

std::int64_t idle_ns(const StepCosts& costs) {
  const CauseTimes sums = costs.cause_sums();
  std::int64_t idle = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) idle += is_idle(static_cast<LedgerCause>(i)) ? sums[i] : 0;
  return idle;
}

std::string of_step(const FindingBase& base) { return is_per_step(base) ? " of each step" : " of the time"; }

/// Two to three causes of idle time that are close to each other.
std::string idle_text(const Findings& findings, const StepCosts& costs, const Trace& trace) {
  std::string text = subject(trace) + " is idle for " +
                     text_from_share(part_of_whole(idle_ns(costs), costs.total_ns)) + of_step(costs.base) +
                     ": ";
  std::size_t named = 0;
  for (const Finding& it : findings.list) {
    if (!is_idle_kind(it.kind) || named == kNamedIdle) continue;
    text += (named++ > 0 ? ", " : "") + std::string(text_of(it.kind)) + " (" +
            text_from_duration(it.won_ns.value_or(0)) + ")";
  }
  text += "." + at_once_text(trace) + unknown_launches_text(trace, costs.gpus);
  const std::int64_t start_up_ns = costs.launch_start_up.ns + costs.memory_start_up.ns;
  if (2 * start_up_ns >= idle_ns(costs) && start_up_ns > 0)
    text += " " + mean_text(start_up_ns, costs.base) + " of this is one-off start-up.";
  return text;
}

/// Empty unless much idle time precedes work without a launch.
std::string unknown_text(const StepCosts& costs, const Trace& trace) {
  const double share = part_of_whole(costs.unknown_idle_ns, costs.total_ns);
  if (share < kUnexplained) return {};
  return "Why " + subject(trace, false) + " is idle for " + text_from_share(share) + of_step(costs.base) +
         " is not known: the launches of the work that follows are not in the trace." + at_once_text(trace);
}

/// Whether graphs that were recorded whole fill so much of the time that it shows.
bool has_whole_graphs(const StepCosts& costs, const Trace& trace) {
  constexpr double kLeastShare = 0.0005;
  return part_of_whole(whole_graph_ns(trace, costs.base.windows), costs.total_ns) >= kLeastShare;
}

std::string nothing_text(const StepCosts& costs, const Trace& trace) {
  const CauseTimes sums = costs.cause_sums();
  const std::int64_t idle = idle_ns(costs);
  const std::int64_t tail = sums[static_cast<std::size_t>(LedgerCause::idle_tail)];
  if (std::string unknown = unknown_text(costs, trace); !unknown.empty()) return unknown;
  if (part_of_whole(tail, costs.total_ns) >= kUnexplained) {
    return "No " + device_word(trace) + " work follows for " +
           text_from_share(part_of_whole(tail, costs.total_ns)) + of_step(costs.base) +
           ": none was launched any more, or it was not recorded.";
  }
  const std::string busy =
      count_of_gpus(trace) > 1 ? "at least one " + device_word(trace) : subject(trace, false);
  const std::string share =
      text_from_share(part_of_whole(costs.total_ns - idle, costs.total_ns)) + of_step(costs.base) + ".";
  if (has_whole_graphs(costs, trace)) return subject(trace) + " is busy at most " + share;
  return "Nothing stands out: " + busy + " is busy " + share;
}

/// Whether captures of graphs take more of the time than any finding.
bool is_mostly_capturing(const Findings& findings, const StepCosts& costs) {
  if (part_of_whole(costs.capturing_ns, costs.total_ns) < kUnexplained) return false;
  return std::ranges::none_of(findings.list, [&](const Finding& it) {
    return it.won_ns.value_or(0) * static_cast<std::int64_t>(costs.base.windows.size()) > costs.capturing_ns;
  });
}

std::string lead_text(const Findings& findings, const StepCosts& costs, const TrustReport& trust,
                      const Trace& trace) {
  const auto timed = static_cast<std::size_t>(
      std::ranges::count_if(findings.list, [](const Finding& it) { return it.won_ns.has_value(); }));
  if (timed == 0 && !findings.caveat.empty()) {
    return subject(trace) + " is idle for at most " +
           text_from_share(part_of_whole(idle_ns(costs), costs.total_ns)) + of_step(costs.base) +
           "; how much less is not known." + at_once_text(trace);
  }
  if (timed == 0 && costs.doubtful_ns > 0 && is_mostly_doubtful(costs.doubtful_ns, costs.total_ns))
    return "How long " + subject(trace, false) + " was idle is not known.";
  if (is_mostly_capturing(findings, costs)) {
    return subject(trace) + " is idle for " +
           text_from_share(part_of_whole(costs.capturing_ns, costs.total_ns)) + of_step(costs.base) +
           " while the CPU captures graphs." + at_once_text(trace);
  }
  if (timed == 0) return nothing_text(costs, trace);
  const Finding& first = findings.list.front();
  const bool close = timed > 1 && *first.won_ns < 2 * *findings.list[1].won_ns;
  const bool idle = is_idle_kind(first.kind) && close && is_idle_kind(findings.list[1].kind);
  if (idle) return idle_text(findings, costs, trace);
  // If most work has no launch in the trace, the few known launches do not explain it.
  const auto without =
      std::ranges::find(trust.lines, TrustFinding::gpu_work_without_launch, &TrustLine::finding);
  const bool few_known = first.bound == WonBound::at_least && without != trust.lines.end() &&
                         2 * without->count > trust.gpu_work;
  const std::string unknown = few_known ? unknown_text(costs, trace) : std::string();
  return unknown.empty() ? first.sentence : unknown + " " + first.sentence;
}

/// Names the window if it covers less than 90 % of the recording; empty otherwise.
std::string window_text(const StepCosts& costs, const TrustReport& trust, const Trace& trace) {
  constexpr double kMostOfRecording = 0.9;
  const std::int64_t whole_ns = trust.believed_ns;
  if (costs.base.kind != FindingBase::Kind::gpu_window ||
      part_of_whole(costs.base.mean_ns, whole_ns) >= kMostOfRecording)
    return {};
  const std::string device = device_word(trace);
  return " This is of the " + device + "'s window, " + text_from_duration(costs.base.mean_ns) + " of " +
         text_from_duration(whole_ns) + ": outside of it, no " + device + " work was recorded.";
}

/// A recording of which the GPU's window is a small part would have been long enough.
std::string few_work_advice(const StepCosts& costs, const TrustReport& trust, const Trace& trace) {
  if (has_operators(trace)) return "Let the profiler's schedule record whole steps (wait, warmup, active).";
  if (2 * part_of_whole(costs.base.mean_ns, trust.believed_ns) >= 1) return "Record longer.";
  return "Record while the program works on the " + device_word(trace) + ".";
}

/// Whether the file breaks off before anything could be read of it.
bool is_cut_before_events(const Trace& trace) {
  const Damage* const cut = trace.damage.cut();
  return cut != nullptr && cut->reason != DamageReason::gzip_checksum && trace.slice_count() == 0 &&
         trace.content.length_ns() <= 0;
}

std::string cut_text(const Trace& trace) {
  const Damage* const cut = trace.damage.cut();
  if (cut == nullptr) return {};
  if (cut->reason == DamageReason::gzip_checksum)
    return "The file does not match its checksum, so its contents may be wrong. ";
  if (has_all_events(cut->reason))
    return "The file is cut at byte " + grouped(cut->first_offset) + ", behind its last event. ";
  // The place of a cut in a compressed stream is one of the unpacked text.
  const bool placed = cut->reason != DamageReason::truncated_gzip && cut->first_offset != ~std::uint64_t{0};
  const std::string place = placed ? " at byte " + grouped(cut->first_offset) : std::string();
  if (is_cut_before_events(trace)) return "The file is cut" + place + ", before any slice could be read. ";
  return "The file is cut" + place + ": figures cover its first " +
         text_from_duration(trace.content.length_ns()) + ". ";
}

}  // namespace

std::string_view text_of(FindingKind kind) {
  constexpr std::array<std::string_view, kFindingKindCount> kNames{"data loading",
                                                                   "launch-bound",
                                                                   "launch gaps",
                                                                   "waiting for the GPU",
                                                                   "driver's memory calls",
                                                                   "garbage collection",
                                                                   "exposed communication",
                                                                   "copies",
                                                                   "recompute",
                                                                   "slow step",
                                                                   "outliers",
                                                                   "no Tensor Cores",
                                                                   "memory near the limit"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view text_of(Effort effort) {
  constexpr std::array<std::string_view, 3> kNames{"one argument", "a code change", "a rewrite"};
  return kNames[static_cast<std::size_t>(effort) - 1];
}

std::string FindingBase::brief(std::string_view device) const {
  switch (kind) {
    case Kind::steps:
      if (windows.size() == 1) return steps <= 1 ? "1 step" : "1 of " + grouped(steps) + " steps";
      return windows.size() == steps
                 ? "the mean of " + grouped(windows.size()) + " steps"
                 : "the mean of " + grouped(windows.size()) + " of " + grouped(steps) + " steps";
    case Kind::step:
      return "step " + (names.empty() ? std::string() : names.front());
    case Kind::range:
      return "the range";
    case Kind::gpu_window:
      return "the " + std::string(device) + "'s window";
    case Kind::thread:
      break;
  }
  return "the busiest thread";
}

std::string FindingBase::text(std::string_view device) const {
  std::string text = brief(device);
  if (kind == Kind::steps && !names.empty()) text += " (" + listed_steps(names).str() + ")";
  if (kind == Kind::gpu_window) text += ", from the first " + std::string(device) + " work to the last";
  if (kind == Kind::thread) text += ", from its first event to its last";
  return text + ", " + text_from_duration(mean_ns);
}

std::string Findings::order() const {
  return "Ordered by the time that a fix would win, of " + base.text(device) +
         ". Among those within 1.5 times of the largest, the least effort comes first. What wins less than 1 "
         "% is left out.";
}

namespace {

/// Exposed communication and copies. Of several GPUs, the ledger has a moment in which one computes as such.
std::string exposed_text(const Finding& finding, const StepCosts& costs, const Trace& trace) {
  const bool copies = finding.kind == FindingKind::copies;
  const std::string most = most_text(copies ? costs.copy_name : without_arguments(costs.comm_name));
  std::string text = copies ? "Copies run and " : "Communication runs and ";
  const bool several = finding.bound == WonBound::neither;
  if (several) {
    const std::string no_device = "no " + std::string(device_word(trace));
    text += copies ? no_device + " does anything else" : no_device + " computes";
  } else {
    text += copies ? "nothing else" : "nothing computes";
  }
  text.append(costs.work_lost ? " that was recorded" : "").append(": ");
  text += amount(finding, costs.base) + "." + most;
  if (copies) text += before_kernels_text(finding.kind, costs);
  if (several) {
    text.append(" Time in which another ").append(device_word(trace));
    text.append(copies ? " computes or communicates" : " computes").append(" is not part of this.");
  }
  return text;
}

}  // namespace

std::uint64_t count_of_gpus(const Trace& trace) {
  return static_cast<std::uint64_t>(std::ranges::count_if(trace.processes, &Process::gpu));
}

std::string sentence_of(const Finding& finding, const StepCosts& costs, const Trace& trace) {
  const std::string time = amount(finding, costs.base) + ".";
  const std::string idle_time = time + at_once_text(trace);
  const std::string launch_time = idle_time + unknown_launches_text(trace, costs.gpus);
  switch (finding.kind) {
    case FindingKind::data_loading:
      return costs.of_gpu ? launched_subject(costs, trace) + " waits for the data loader: " + launch_time
                          : "The data loader takes " + time;
    case FindingKind::launch_bound:
      return launched_subject(costs, trace) + " waits for work that is launched too late: " + launch_time +
             start_up_text(finding.kind, costs, trace) + before_kernels_text(finding.kind, costs) +
             silent_text(finding.kind, costs) +
             (is_start_up(finding.kind, costs) ? std::string()
                                               : gap_call_text(costs.late_gap, costs[finding.kind])) +
             launches_text(costs);
    case FindingKind::launch_gaps:
      return launched_subject(costs, trace) +
             " is idle although the call that launches its next work has returned: " + launch_time +
             gap_call_text(costs.launched_gap, costs[finding.kind]);
    case FindingKind::waiting:
      return launched_subject(costs, trace) +
             " is idle while the CPU is in a call that waits for it: " + launch_time +
             most_text(costs.wait_site);
    case FindingKind::driver_memory:
      return subject(trace) + " is idle while the driver gets or frees memory: " + idle_time +
             most_text(costs.memory_call) + start_up_text(finding.kind, costs, trace);
    case FindingKind::garbage_collection:
      return subject(trace) + " is idle while Python collects garbage: " + idle_time;
    case FindingKind::exposed_communication:
    case FindingKind::copies:
      return exposed_text(finding, costs, trace);
    case FindingKind::recompute:
      return "The backward pass repeats forward computations: " + time;
    case FindingKind::slow_step:
      return slow_step_text(finding, costs) +
             (costs.of_gpu ? " Most of the excess is " + excess_cause(costs) + "." : std::string());
    case FindingKind::outliers:
      return outliers_text(finding, costs);
    case FindingKind::no_tensor_cores:
    case FindingKind::memory_limit:
      break;
  }
  return finding.sentence;
}

std::string idle_caveat(const LaunchCounts& launches) {
  return launches.idle_unknown() ? lost_note(launches).str() : std::string();
}

std::string verdict_of(const Findings& findings, const StepCosts& costs, const TrustReport& trust,
                       const Trace& trace) {
  const std::string cut = cut_text(trace);
  if (is_cut_before_events(trace)) return cut.substr(0, cut.size() - 1);
  if (!costs.of_gpu) return cut + verdict_of_cpu(findings, costs, trust, trace);
  if (findings.base.kind == FindingBase::Kind::gpu_window && trust.gpu_work < kFewWork) {
    const std::string caveat = findings.caveat.empty() ? std::string() : " " + findings.caveat;
    const std::string advice = cut.empty() ? " " + few_work_advice(costs, trust, trace) : std::string();
    return cut + "No complete step: " + grouped(trust.gpu_work) +
           (trust.gpu_work == 1 ? " piece" : " pieces") + " of " + findings.device + " work in " +
           text_from_duration(trust.believed_ns) + "." + advice + caveat;
  }
  std::string text = cut + lead_text(findings, costs, trust, trace) + window_text(costs, trust, trace);
  if (const double graphs = graph_share(trace); graphs >= kMostlyGraphs) {
    text += " " + text_from_share(graphs) + " of " + findings.device +
            " time is in graphs: each has one launch, and the causes inside are not recorded.";
    if (has_whole_graphs(costs, trace))
      text += " Graphs that were recorded whole count as busy throughout, for gaps within are not recorded.";
  }
  if (!findings.caveat.empty() && text.find(findings.caveat) == std::string::npos)
    text += " " + findings.caveat;
  return text;
}

}  // namespace kino
