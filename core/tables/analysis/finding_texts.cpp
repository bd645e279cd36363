#include "core/tables/analysis/finding_texts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
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

constexpr double kUnexplained = 0.1;    // share of the step
constexpr std::uint64_t kFewWork = 10;  // number of pieces of work below which a trace without steps is too
                                        // short to contain a repetition
constexpr std::size_t kNamedIdle = 3;

double part_of_whole(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Returns "The GPU", or "Every GPU" if there are several: idle time of findings is time in which no GPU
/// works.
Message subject(const Trace& trace) {
  return {count_of_gpus(trace) > 1 ? msg::subject_every_device : msg::subject_the_device, device_word(trace)};
}

/// Returns the text of subject() for the middle of a sentence.
Message inner_subject(const Trace& trace) {
  return {count_of_gpus(trace) > 1 ? msg::every_device : msg::the_device_named, device_word(trace)};
}

/// Returns the GPUs to which a statement about launches applies: subject(), or a list if the launches of only
/// some GPUs are known.
Message launched_subject(const StepCosts& costs, const Trace& trace) {
  if (!costs.gpus.differ()) return subject(trace);
  const std::string gpus = listed_gpus(trace, costs.gpus.known);
  return costs.gpus.known.size() > 1 ? Message(msg::each_of, gpus) : Message(gpus);
}

/// Returns a note that idle time is time in which all GPUs are idle. Empty for a single GPU.
Message at_once_text(const Trace& trace) {
  const std::uint64_t gpus = count_of_gpus(trace);
  if (gpus < 2) return {};
  if (gpus == 2) return {msg::both_devices_idle, device_word(trace)};
  return {msg::all_devices_idle, grouped(gpus), device_word(trace)};
}

bool is_per_step(const FindingBase& base) { return base.kind == FindingBase::Kind::steps; }

/// Selects the sentence for steps or for a window.
msg::Id by_base(const FindingBase& base, msg::Id of_steps, msg::Id of_window) {
  return is_per_step(base) ? of_steps : of_window;
}

/// Returns "at most 51.5 ms of 214.3 ms per step (24.0 %)".
Message amount(const Finding& finding, const FindingBase& base) {
  constexpr std::array kOfSteps{msg::at_most_per_step, msg::at_least_per_step, msg::amount_per_step};
  constexpr std::array kOfWindow{msg::at_most_of, msg::at_least_of, msg::amount_of};
  const auto bound = static_cast<std::size_t>(finding.bound);
  return {by_base(base, kOfSteps[bound], kOfWindow[bound]), text_from_duration(finding.won_ns.value_or(0)),
          text_from_duration(base.mean_ns), text_from_share(finding.share)};
}

std::string times_text(double times) { return formatted("%.1f", times); }

/// Returns "median 14.06 µs"; for two calls "mean 3 ms", and for a single call "3 ms".
Message usual_duration(const LaunchCost& launches, std::size_t windows) {
  if (launches.count < 3) {
    const std::string mean =
        text_from_duration(launches.total_ns / static_cast<std::int64_t>(launches.count));
    return launches.count == 2 ? Message(msg::word_mean, mean) : Message(mean);
  }
  const bool one_per_step = windows > 1 && launches.count / windows == 1;
  return {one_per_step ? msg::median_over_the_steps : msg::word_median,
          text_from_duration(launches.median_ns)};
}

/// Returns "Kernel launches per step: 136 (median 14.06 µs). Graph launches per step: 8 (median 4.3 ms)."
/// Empty if there are fewer than two launches per window.
Message launches_text(const StepCosts& costs) {
  const std::size_t windows = costs.base.windows.size();
  const LaunchCost& kernels = costs.kernel_launches;
  const LaunchCost& graphs = costs.graph_launches;
  if (windows == 0 || (kernels.count + graphs.count) / windows < 2) return {};
  const std::uint64_t kernel_count = kernels.count / windows;
  const std::uint64_t graph_count = graphs.count / windows;
  Message text;
  if (kernel_count > 0 && graph_count > 0) {
    text =
        Message(by_base(costs.base, msg::kernel_and_graph_launches_per_step, msg::kernel_and_graph_launches),
                grouped(kernel_count), usual_duration(kernels, windows), grouped(graph_count),
                usual_duration(graphs, windows));
  } else if (kernel_count > 0) {
    text = Message(by_base(costs.base, msg::kernel_launches_per_step, msg::kernel_launch_count),
                   grouped(kernel_count), usual_duration(kernels, windows));
  } else if (graph_count > 0) {
    text = Message(by_base(costs.base, msg::graph_launches_per_step, msg::graph_launch_count),
                   grouped(graph_count), usual_duration(graphs, windows));
  } else {
    return {};
  }
  // A launch that loads code may take longer than all others together.
  if (kernels.count > 1 && kernels.longest_ns > kernels.total_ns - kernels.longest_ns)
    text.then({msg::the_longest_launch_of_a_kernel, text_from_duration(kernels.longest_ns)});
  return text;
}

/// Returns the name of a kernel without template arguments and parameters: "deep_ep::internode_ll::combine".
std::string without_arguments(std::string_view kernel) {
  if (kernel.starts_with("void ")) kernel.remove_prefix(5);
  const std::string_view name = kernel.substr(0, kernel.find_first_of("<("));
  return std::string(name.empty() ? kernel : name);
}

std::string mean_text(std::int64_t ns, const FindingBase& base) {
  return text_from_duration(ns / std::max<std::int64_t>(1, static_cast<std::int64_t>(base.windows.size())));
}

/// Returns "16 s of this time is one-off start-up, such as cudaFree (7.99 s)."
Message start_up_text(FindingKind kind, const StepCosts& costs, const Trace& trace) {
  constexpr double kNamedPart = 0.1;  // share of the finding
  if (costs.start_up(kind) == nullptr) return {};
  const StartUpCost& start_up = *costs.start_up(kind);
  if (start_up.longest == kNoSlice || part_of_whole(start_up.ns, costs[kind].ns) < kNamedPart) return {};
  const std::string mean = mean_text(start_up.ns, costs.base);
  const std::string_view call = trace.name_of(start_up.longest);
  // A call that continues while the GPU works is longer than its idle part.
  if (start_up.longest_ns - start_up.ns > start_up.ns / 10)
    return {msg::of_this_is_one_off_start, mean, call};
  return {msg::of_this_is_one_off_start_up_such, mean, call, text_from_duration(start_up.longest_ns)};
}

Message before_kernels_text(FindingKind kind, const StepCosts& costs) {
  if (!is_before_kernels(kind, costs)) return {};
  return {msg::of_this_is_before_the_first, mean_text(costs.before_kernels_ns(kind), costs.base)};
}

Message silent_text(FindingKind kind, const StepCosts& costs) {
  if (!lacks_launch_thread_events(kind, costs)) return {};
  return {msg::only_enclosing_ranges_recorded, mean_text(costs.untraced_ns, costs.base)};
}

Message most_text(const Message& name) {
  return name.empty() ? Message() : Message(msg::most_of_this_is_in, name);
}

/// Returns "In the longest gap (463.3 ms), the launching thread spends 99.9 % of the time in
/// hipMemcpyWithStream itself." The text is empty unless the gap makes up half of the finding, 80 % of the
/// gap has this cause, and the call fills half of the gap. It is also empty if the call is a step.
Message gap_call_text(const GapCall& gap, const StepCost& cost) {
  constexpr double kMostOfGap = 0.5;
  constexpr double kOfThisCause = 0.8;
  if (gap.name.empty() || gap.name.starts_with("ProfilerStep#") || gap.share < kMostOfGap ||
      2 * gap.own_ns < cost.ns)
    return {};
  if (part_of_whole(gap.own_ns, gap.gap_ns) < kOfThisCause) return {};
  return {msg::in_the_longest_gap_the_launching, text_from_duration(gap.gap_ns),
          text_from_share(std::min(gap.share, 1.0)), gap.name};
}

Message slow_step_text(const Finding& finding, const StepCosts& costs) {
  const FindingBase& base = costs.base;
  const TimeRange worst = finding.examples.front().range;
  const double times =
      static_cast<double>(worst.length_ns()) /
      static_cast<double>(std::max<std::int64_t>(1, worst.length_ns() - finding.examples.front().ns));
  if (costs.slow_steps > 1) {
    return {msg::of_steps_take_over_1_25, grouped(costs.slow_steps), grouped(base.windows.size()),
            times_text(times), amount(finding, base)};
  }
  return {msg::step_takes_times_the_median, slowest_step(costs), text_from_duration(worst.length_ns()),
          times_text(times), amount(finding, base)};
}

/// Returns the cause whose time in the longest step exceeds its mean over the other steps by the largest
/// amount.
msg::Id excess_cause(const StepCosts& costs) {
  constexpr std::array<msg::Id, kTimeCategoryCount> kWords{msg::word_exposed_communication,
                                                           msg::word_compute,
                                                           msg::word_copies,
                                                           msg::the_cpu,
                                                           msg::late_launches,
                                                           msg::launched_work_that_has_not_started,
                                                           msg::the_data_loader,
                                                           msg::idle_time_after_its_last_work};
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
  return kWords[best];
}

Message outliers_text(const Finding& finding, const StepCosts& costs) {
  const Message time = amount(finding, costs.base);
  const bool of_steps = costs.base.steps > 1;
  if (costs.outliers == 1) {
    return {of_steps ? msg::one_outlier_by_position : msg::one_outlier_by_equal_calls, time};
  }
  return {of_steps ? msg::outliers_by_position : msg::outliers_by_equal_calls, grouped(costs.outliers), time};
}

/// Returns "A step takes 1.14 s. Its largest parts by self time are aten::addmm (41.0 %) and aten::copy_
/// (12.0 %)." Parts below 1 % are left out.
Message cpu_text(const StepCosts& costs, const Trace& trace) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> top;
  for (std::uint32_t i = 0; i < costs.cpu_ns.size(); ++i) {
    const bool counts = part_of_whole(costs.cpu_ns[i], costs.total_ns) >= kMinFindingShare;
    if (counts && !is_step_name(trace.names[i])) top.emplace_back(-costs.cpu_ns[i], i);
  }
  std::ranges::sort(top);
  if (top.empty()) return {};
  const auto name = [&](std::size_t i) { return trace.names[top[i].second]; };
  const auto share = [&](std::size_t i) {
    return text_from_share(part_of_whole(-top[i].first, costs.total_ns));
  };
  const std::string step = text_from_duration(costs.base.mean_ns);
  if (!is_per_step(costs.base)) {
    return top.size() == 1
               ? Message(msg::the_cpus_largest_part_is, name(0), share(0))
               : Message(msg::the_cpus_largest_parts_are_and, name(0), share(0), name(1), share(1));
  }
  return top.size() == 1
             ? Message(msg::a_step_takes_its_largest_part, step, name(0), share(0))
             : Message(msg::a_step_takes_its_largest_parts, step, name(0), share(0), name(1), share(1));
}

/// Whether the trace contains device names, a GPU process or runtime calls: signs of a GPU program even if no
/// GPU work was recorded.
bool is_of_gpu_program(const Trace& trace) {
  return !trace.job.device_names.empty() || std::ranges::any_of(trace.processes, &Process::gpu) ||
         has_kind(trace, SliceKind::runtime);
}

/// Returns the verdict on a trace without GPU work. Empty if the trace has no launches, no time to attribute
/// and no sign of a GPU program. Such a trace is a different kind of recording.
Message verdict_of_cpu(const Findings& findings, const StepCosts& costs, const DataQualityReport& trust,
                       const Trace& trace) {
  if (Message note = unanalysed_device_note(trace); !note.empty()) return note;
  if (trust.launches.all.calls.count == 0 && costs.total_ns == 0 && !is_of_gpu_program(trace)) return {};
  Message text = msg::no_gpu_work_was_recorded;
  if (has_kind(trace, SliceKind::gpu_annotation)) text = msg::no_gpu_work_was_recorded_only;
  if (trust.launches.gpu_side_missing()) {
    text = Message(msg::no_gpu_work_was_recorded_although, grouped(trust.launches.all.without_work.count));
  }
  if (!findings.list.empty() && findings.list.front().won_ns) text.then(findings.list.front().sentence);
  return text.then(cpu_text(costs, trace));
}

bool is_idle_kind(FindingKind kind) { return kind <= FindingKind::garbage_collection; }

std::int64_t idle_ns(const StepCosts& costs) {
  const CauseTimes sums = costs.cause_sums();
  std::int64_t idle = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) idle += is_idle(static_cast<TimeCategory>(i)) ? sums[i] : 0;
  return idle;
}

/// Returns sentences on the idle time, the first idle findings (at most three), and the start-up part.
Message idle_text(const Findings& findings, const StepCosts& costs, const Trace& trace) {
  std::vector<Message> causes;
  for (const Finding& finding : findings.list) {
    if (!is_idle_kind(finding.kind) || causes.size() == kNamedIdle) continue;
    causes.emplace_back(msg::with_parentheses, text_of(finding.kind),
                        text_from_duration(finding.won_ns.value_or(0)));
  }
  Message text(by_base(costs.base, msg::is_idle_for_of_each_step, msg::is_idle_for_of_the_time),
               subject(trace), text_from_share(part_of_whole(idle_ns(costs), costs.total_ns)),
               comma_list(causes));
  text.then(at_once_text(trace)).then(unknown_launches_text(trace, costs.gpus));
  const std::int64_t start_up_ns = costs.launch_start_up.ns + costs.memory_start_up.ns;
  if (2 * start_up_ns >= idle_ns(costs) && start_up_ns > 0)
    text.then({msg::of_this_is_one_off_start_up, mean_text(start_up_ns, costs.base)});
  return text;
}

/// Returns a note if at least 10 % of the time is idle before work without a recorded launch, so that its
/// cause is unknown. Empty otherwise.
Message unknown_text(const StepCosts& costs, const Trace& trace) {
  const double share = part_of_whole(costs.unknown_idle_ns, costs.total_ns);
  if (share < kUnexplained) return {};
  return Message(by_base(costs.base, msg::unknown_why_idle_per_step, msg::unknown_why_idle),
                 inner_subject(trace), text_from_share(share))
      .then(at_once_text(trace));
}

/// Whether CUDA graphs that were recorded without their kernels fill a visible share of the time.
bool has_whole_graphs(const StepCosts& costs, const Trace& trace) {
  constexpr double kMinShare = 0.0005;
  return part_of_whole(whole_graph_ns(trace, costs.base.windows), costs.total_ns) >= kMinShare;
}

Message nothing_text(const StepCosts& costs, const Trace& trace) {
  const FindingBase& base = costs.base;
  const CauseTimes sums = costs.cause_sums();
  const double tail = part_of_whole(sums[static_cast<std::size_t>(TimeCategory::idle_tail)], costs.total_ns);
  if (Message unknown = unknown_text(costs, trace); !unknown.empty()) return unknown;
  if (tail >= kUnexplained) {
    return {by_base(base, msg::no_work_follows_for_of_each, msg::no_work_follows_for_of_the),
            device_word(trace), text_from_share(tail)};
  }
  const std::string share = text_from_share(part_of_whole(costs.total_ns - idle_ns(costs), costs.total_ns));
  if (has_whole_graphs(costs, trace))
    return {by_base(base, msg::is_busy_at_most_of_each, msg::is_busy_at_most_of_the), subject(trace), share};
  const Message busy =
      count_of_gpus(trace) > 1 ? Message(msg::at_least_one_device, device_word(trace)) : inner_subject(trace);
  return {by_base(base, msg::no_notable_problem_busy_per_step, msg::no_notable_problem_busy), busy, share};
}

/// Whether graph captures take at least 10 % of the time, and more time than any finding.
bool is_mostly_capturing(const Findings& findings, const StepCosts& costs) {
  if (part_of_whole(costs.capturing_ns, costs.total_ns) < kUnexplained) return false;
  return std::ranges::none_of(findings.list, [&](const Finding& finding) {
    return finding.won_ns.value_or(0) * static_cast<std::int64_t>(costs.base.windows.size()) >
           costs.capturing_ns;
  });
}

Message lead_text(const Findings& findings, const StepCosts& costs, const DataQualityReport& trust,
                  const Trace& trace) {
  const auto timed = static_cast<std::size_t>(std::ranges::count_if(
      findings.list, [](const Finding& finding) { return finding.won_ns.has_value(); }));
  if (timed == 0 && !findings.caveat.empty()) {
    return Message(by_base(costs.base, msg::is_idle_for_at_most_of_each_step, msg::is_idle_for_at_most_of),
                   subject(trace), text_from_share(part_of_whole(idle_ns(costs), costs.total_ns)))
        .then(at_once_text(trace));
  }
  if (timed == 0 && costs.doubtful_ns > 0 && is_mostly_doubtful(costs.doubtful_ns, costs.total_ns))
    return {msg::unknown_idle_time, inner_subject(trace)};
  if (is_mostly_capturing(findings, costs)) {
    return Message(by_base(costs.base, msg::is_idle_for_of_each_step_while_the,
                           msg::is_idle_for_of_the_time_while_the),
                   subject(trace), text_from_share(part_of_whole(costs.capturing_ns, costs.total_ns)))
        .then(at_once_text(trace));
  }
  if (timed == 0) return nothing_text(costs, trace);
  const Finding& first = findings.list.front();
  const bool close = timed > 1 && *first.won_ns < 2 * *findings.list[1].won_ns;
  const bool idle = is_idle_kind(first.kind) && close && is_idle_kind(findings.list[1].kind);
  if (idle) return idle_text(findings, costs, trace);
  // If most work has no recorded launch, the few known launches do not explain the idle time.
  const auto without =
      std::ranges::find(trust.lines, QualityFinding::gpu_work_without_launch, &DataQualityLine::finding);
  const bool few_known = first.bound == WonBound::at_least && without != trust.lines.end() &&
                         2 * without->count > trust.gpu_work;
  return (few_known ? unknown_text(costs, trace) : Message()).then(first.sentence);
}

/// Returns a sentence on the GPU's window if it is the base and covers less than 90 % of the recording; empty
/// otherwise.
Message window_text(const StepCosts& costs, const DataQualityReport& trust, const Trace& trace) {
  constexpr double kMostOfRecording = 0.9;
  const std::int64_t whole_ns = trust.reliable_ns;
  if (costs.base.kind != FindingBase::Kind::gpu_window ||
      part_of_whole(costs.base.mean_ns, whole_ns) >= kMostOfRecording)
    return {};
  const std::string device = device_word(trace);
  return {msg::covers_device_window, device, text_from_duration(costs.base.mean_ns),
          text_from_duration(whole_ns), device};
}

/// Returns advice for a trace with few pieces of GPU work. A longer recording helps only if the GPU's window
/// is at least half of the recording.
Message few_work_advice(const StepCosts& costs, const DataQualityReport& trust, const Trace& trace) {
  if (has_operators(trace)) return msg::let_the_profilers_schedule_record_whole;
  if (2 * part_of_whole(costs.base.mean_ns, trust.reliable_ns) >= 1) return msg::record_longer;
  return {msg::record_while_the_program_works_on, device_word(trace)};
}

/// Whether the file is truncated before its first event.
bool is_cut_before_events(const Trace& trace) {
  const Damage* const cut = trace.damage.cut();
  return cut != nullptr && cut->reason != DamageReason::gzip_checksum && trace.slice_count() == 0 &&
         trace.content.length_ns() <= 0;
}

Message cut_text(const Trace& trace) {
  const Damage* const cut = trace.damage.cut();
  if (cut == nullptr) return {};
  if (cut->reason == DamageReason::gzip_checksum) return msg::the_file_does_not_match_its;
  const std::string place = grouped(cut->first_offset);
  if (has_all_events(cut->reason)) return {msg::file_truncated_after_last_event, place};
  // The offset of a cut in a compressed stream refers to the unpacked text, so it is not a position in the
  // file.
  const bool placed = cut->reason != DamageReason::truncated_gzip && cut->first_offset != ~std::uint64_t{0};
  if (is_cut_before_events(trace)) {
    return placed ? Message(msg::file_truncated_at_byte_no_slice, place)
                  : Message(msg::file_truncated_no_slice);
  }
  const std::string first = text_from_duration(trace.content.length_ns());
  return placed ? Message(msg::file_truncated_at_byte, place, first) : Message(msg::file_truncated, first);
}

}  // namespace

msg::Id text_of(FindingKind kind) {
  constexpr std::array<msg::Id, kFindingKindCount> kNames{msg::word_data_loading,
                                                          msg::launch_bound,
                                                          msg::launch_gaps,
                                                          msg::waiting_for_the_gpu,
                                                          msg::drivers_memory_calls,
                                                          msg::word_garbage_collection,
                                                          msg::word_exposed_communication,
                                                          msg::word_copies,
                                                          msg::recompute,
                                                          msg::slow_step,
                                                          msg::word_outliers,
                                                          msg::no_tensor_cores,
                                                          msg::memory_near_the_limit};
  return kNames[static_cast<std::size_t>(kind)];
}

msg::Id text_of(Effort effort) {
  constexpr std::array kNames{msg::a_one_line_change, msg::a_code_change, msg::an_investigation};
  return kNames[static_cast<std::size_t>(effort) - 1];
}

Message FindingBase::brief(std::string_view device) const {
  switch (kind) {
    case Kind::steps:
      if (windows.size() == 1)
        return steps <= 1 ? Message(msg::n_1_step) : Message(msg::n_1_of_steps, grouped(steps));
      return windows.size() == steps
                 ? Message(msg::the_mean_of_steps, grouped(steps))
                 : Message(msg::the_mean_of_of_steps, grouped(windows.size()), grouped(steps));
    case Kind::step:
      return {msg::step_named, names.empty() ? std::string() : names.front()};
    case Kind::range:
      return msg::the_range;
    case Kind::gpu_window:
      return {msg::the_device_window, device};
    case Kind::thread:
      break;
  }
  return msg::the_busiest_thread;
}

Message FindingBase::text(std::string_view device) const {
  Message text = brief(device);
  if (kind == Kind::steps && !names.empty()) text = Message(msg::with_parentheses, text, listed_steps(names));
  if (kind == Kind::gpu_window) text = Message(msg::from_the_first_work_to_the, text, device);
  if (kind == Kind::thread) text = Message(msg::from_its_first_event_to_its, text);
  return {msg::comma_pair, text, text_from_duration(mean_ns)};
}

Message Findings::order() const {
  return Message(msg::ordered_by_the_time_that_a, base.text(device))
      .then(msg::among_those_within_1_5_times)
      .then(msg::savings_below_1_percent);
}

namespace {

/// Returns the sentence on exposed communication or copies. With several GPUs, TimeAttribution counts a
/// moment as compute if any GPU computes.
Message exposed_text(const Finding& finding, const StepCosts& costs, const Trace& trace) {
  const bool copies = finding.kind == FindingKind::copies;
  const bool several = finding.bound == WonBound::neither;
  const Message time = amount(finding, costs.base);
  Message text;
  if (several) {
    constexpr std::array kOfCopies{msg::copies_run_and_no_does_anything,
                                   msg::copies_without_recorded_work_on_any};
    constexpr std::array kOfCommunication{msg::communication_runs_and_no_computes,
                                          msg::communication_without_recorded_compute_on_any};
    text =
        Message((copies ? kOfCopies : kOfCommunication)[costs.work_lost ? 1 : 0], device_word(trace), time);
  } else {
    constexpr std::array kOfCopies{msg::copies_run_and_nothing_else, msg::copies_without_recorded_work};
    constexpr std::array kOfCommunication{msg::communication_runs_and_nothing_computes,
                                          msg::communication_without_recorded_compute};
    text = Message((copies ? kOfCopies : kOfCommunication)[costs.work_lost ? 1 : 0], time);
  }
  text.then(most_text(copies ? costs.copy_name : without_arguments(costs.comm_name)));
  if (copies) text.then(before_kernels_text(finding.kind, costs));
  if (several) {
    text.then({copies ? msg::time_in_which_another_computes_or : msg::time_in_which_another_computes_is,
               device_word(trace)});
  }
  return text;
}

}  // namespace

std::uint64_t count_of_gpus(const Trace& trace) {
  return static_cast<std::uint64_t>(std::ranges::count_if(trace.processes, &Process::gpu));
}

Message sentence_of(const Finding& finding, const StepCosts& costs, const Trace& trace) {
  const FindingKind kind = finding.kind;
  const Message time = amount(finding, costs.base);
  const auto idle = [&](msg::Id id) { return Message(id, subject(trace), time).then(at_once_text(trace)); };
  const auto launched = [&](msg::Id id) {
    return Message(id, launched_subject(costs, trace), time)
        .then(at_once_text(trace))
        .then(unknown_launches_text(trace, costs.gpus));
  };
  switch (kind) {
    case FindingKind::data_loading:
      return costs.of_gpu ? launched(msg::waits_for_the_data_loader)
                          : Message(msg::the_data_loader_takes, time);
    case FindingKind::launch_bound:
      return launched(msg::waits_for_work_that_is_launched)
          .then(start_up_text(kind, costs, trace))
          .then(before_kernels_text(kind, costs))
          .then(silent_text(kind, costs))
          .then(is_start_up(kind, costs) ? Message() : gap_call_text(costs.late_gap, costs[kind]))
          .then(launches_text(costs));
    case FindingKind::launch_gaps:
      return launched(msg::is_idle_although_the_call_that)
          .then(gap_call_text(costs.launched_gap, costs[kind]));
    case FindingKind::waiting:
      return launched(msg::is_idle_while_the_cpu_is).then(most_text(costs.wait_site));
    case FindingKind::driver_memory:
      return idle(msg::is_idle_while_the_driver_gets)
          .then(most_text(costs.memory_call))
          .then(start_up_text(kind, costs, trace));
    case FindingKind::garbage_collection:
      return idle(msg::is_idle_while_python_collects_garbage);
    case FindingKind::exposed_communication:
    case FindingKind::copies:
      return exposed_text(finding, costs, trace);
    case FindingKind::recompute:
      return {msg::the_backward_pass_repeats_forward, time};
    case FindingKind::slow_step:
      return slow_step_text(finding, costs)
          .then(costs.of_gpu ? Message(msg::most_of_the_excess_is, excess_cause(costs)) : Message());
    case FindingKind::outliers:
      return outliers_text(finding, costs);
    case FindingKind::no_tensor_cores:
    case FindingKind::memory_limit:
      break;
  }
  return finding.sentence;
}

Message idle_caveat(const LaunchCounts& launches) {
  return launches.idle_unknown() ? Message(lost_note(launches)) : Message();
}

Message verdict_of(const Findings& findings, const StepCosts& costs, const DataQualityReport& trust,
                   const Trace& trace) {
  Message text = cut_text(trace);
  if (is_cut_before_events(trace)) return text;
  if (!costs.of_gpu) return text.then(verdict_of_cpu(findings, costs, trust, trace));
  if (findings.base.kind == FindingBase::Kind::gpu_window && trust.gpu_work < kFewWork) {
    const Message advice = text.empty() ? few_work_advice(costs, trust, trace) : Message();
    return text
        .then(
            {trust.gpu_work == 1 ? msg::no_complete_step_piece_of_work : msg::no_complete_step_pieces_of_work,
             grouped(trust.gpu_work), findings.device, text_from_duration(trust.reliable_ns)})
        .then(advice)
        .then(findings.caveat);
  }
  const Message lead = lead_text(findings, costs, trust, trace);
  text.then(lead).then(window_text(costs, trust, trace));
  if (const double graphs = graph_share(trace); graphs >= kMostlyGraphs) {
    text.then({msg::of_time_is_in_graphs_each, text_from_share(graphs), findings.device});
    if (has_whole_graphs(costs, trace)) text.then(msg::graphs_that_were_recorded_whole_count);
  }
  if (lead.str().find(findings.caveat.str()) == std::string::npos) text.then(findings.caveat);
  return text;
}

}  // namespace kino
