#include "core/tables/analysis/trace_summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/known_shares.hpp"
#include "core/tables/gpu/cpu_collectives.hpp"
#include "core/tables/gpu/gpu_breakdown.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

constexpr std::size_t kMaxGpus = 256;  // maximum number of GPUs with separate rows; other tables contain all
                                       // GPUs
constexpr std::size_t kTopKernels = 5;

template <class Gpu>
std::span<const Gpu> first_gpus(const std::vector<Gpu>& gpus) {
  return {gpus.data(), std::min(gpus.size(), kMaxGpus)};
}

/// Formats a figure of the summary; returns "unknown" if it has no value.
Message text_of_figure(double value, std::string_view unit, ByteUnits units) {
  if (std::isnan(value)) return msg::unknown;
  if (unit == "ns") return text_from_duration(std::llround(value));
  if (unit == "bytes") return text_from_bytes(value, units);
  if (unit == "share") return text_from_share(value);
  if (unit == "percent") return text_from_share(value / 100);
  return grouped(static_cast<std::uint64_t>(value));
}

double share_of(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? kNoNumber : static_cast<double>(part) / static_cast<double>(whole);
}

/// Whether the trace contains operators or GPU work of a profiler, not only spans of a program.
bool has_profiled_work(const Trace& trace) {
  return std::ranges::any_of(trace.name_kind, [](SliceKind kind) {
    return is_gpu_work(kind) || kind == SliceKind::cpu_op || kind == SliceKind::runtime;
  });
}

/// Adds the finding's share to the text of the data-loading role. The role is the loader's time minus GPU
/// work and calls; the finding is the time in which the GPU waits for the loader. If the two shares differ,
/// the row contains both.
void name_waiting_part(const Findings& findings, ShownShare& share) {
  const auto waits = std::ranges::find(findings.list, FindingKind::data_loading, &Finding::kind);
  if (waits == findings.list.end() || std::isnan(share.value)) return;
  constexpr double kSame = 0.005;
  if (std::abs(waits->share - share.value) < kSame) return;
  // Calls within the loader belong to another role, but the GPU may also wait during these calls.
  if (share.text.empty()) share.text = text_from_share(share.value);
  share.text = {waits->share > share.value ? msg::outside_of_calls_the_waits_for : msg::the_waits_for_it_in,
                share.text, findings.device, text_from_share(waits->share)};
}

/// Adds the rows on steps, on the base and on the base's time by role. Parameters of add(): figure, of,
/// value, unit, share of, text.
template <class Add>
void add_times(const Add& add, const TraceSummary& summary, const KnownShares& known, bool profiled) {
  const FindingBase& base = summary.findings.base;
  const auto marked =
      std::ranges::count_if(summary.steps, [](const StepBreakdown& row) { return row.slice != kNoSlice; });
  const auto mean_ns = static_cast<double>(base.mean_ns);
  if (base.kind == FindingBase::Kind::step) {
    if (marked == 1) add(msg::word_step, summary.steps.front().name, mean_ns, "ns");
  } else if (profiled || marked > 0) {
    const bool in_range = base.kind == FindingBase::Kind::range;
    add(msg::word_steps, in_range ? msg::with_a_part_in_the_range : msg::nothing, static_cast<double>(marked),
        "count");
  }
  if (base.windows.empty()) return;
  const std::string& device = summary.findings.device;
  const Message brief = base.brief(device);
  if (base.kind == FindingBase::Kind::steps) add(msg::mean_step, msg::as_marked, mean_ns, "ns", brief);
  add(msg::base, brief, mean_ns, "ns", {}, base.text(device));
  if (!summary.split.known()) return;
  for (std::size_t role = 0; role < kStepRoleCount; ++role) {
    const auto step_role = static_cast<StepRole>(role);
    if (step_role == StepRole::communication && summary.cpu_collectives > 0) {
      const std::uint64_t count = summary.cpu_collectives;
      add(msg::word_time, std::string(text_of(step_role)), kNoNumber, "share", brief,
          {count == 1 ? msg::unknown_collective_on_cpu_threads_beside
                      : msg::unknown_collectives_on_cpu_threads_beside,
           grouped(count)});
      continue;
    }
    ShownShare share =
        known.of_role(step_role, share_of(summary.split.role_ns[role], summary.split.window.length_ns()));
    if (!profiled && std::isnan(share.value)) continue;
    if (step_role == StepRole::data_loading) name_waiting_part(summary.findings, share);
    add(msg::word_time,
        step_role == StepRole::idle ? Message(shown_name(step_role)) : Message(text_of(step_role)),
        share.value, "share", brief, share.text);
  }
}

TimeBreakdown split_of(const SliceRoles& roles, const std::vector<TimeRange>& windows) {
  TimeBreakdown sum;
  for (const TimeRange& window : windows) {
    const TimeBreakdown part = roles.split(window);
    add_saturating(sum.window.end_ns, window.length_ns());
    for (std::size_t role = 0; role < kStepRoleCount; ++role)
      add_saturating(sum.role_ns[role], part.role_ns[role]);
    add_saturating(sum.hidden_communication_ns, part.hidden_communication_ns);
    sum.communication_on_cpu = sum.communication_on_cpu || part.communication_on_cpu;
  }
  return sum;
}

std::vector<BusyGpu> busy_gpus(const Trace& trace, const std::vector<TimeRange>& windows,
                               const std::stop_token& stop) {
  std::map<std::uint32_t, std::int64_t> busy_ns;
  for (const TimeRange& window : windows) {
    for (const GpuBreakdown& gpu : gpu_breakdown(trace, gpu_work_in(trace, window, stop), window, stop))
      add_saturating(busy_ns[gpu.process], gpu.busy_ns());
  }
  std::vector<BusyGpu> gpus;
  gpus.reserve(busy_ns.size());
  for (const auto& [process, ns] : busy_ns) gpus.push_back({process, ns});
  return gpus;
}

std::vector<TopWork> top_work(const Trace& trace, const std::vector<TimeRange>& windows,
                              const std::stop_token& stop) {
  std::vector<TopWork> by_name(trace.names.size());
  for (const TimeRange& window : windows) {
    for (const StreamWork& stream : gpu_work_in(trace, window, stop).streams) {
      for (const SliceId slice : stream.slices) {
        const std::int64_t start_ns = trace.start_ns(slice);
        TopWork& work = by_name[index_of(trace.name(slice))];
        work.name = trace.name(slice);
        add_saturating(work.total_ns, clipped(window, start_ns, trace.end_ns(slice)).length_ns());
        if (work.longest == kNoSlice || trace.duration_ns(slice) > trace.duration_ns(work.longest))
          work.longest = slice;
      }
    }
  }
  std::erase_if(by_name, [](const TopWork& work) { return work.total_ns <= 0; });
  std::ranges::stable_sort(by_name, std::ranges::greater(), &TopWork::total_ns);
  if (by_name.size() > kTopKernels) by_name.resize(kTopKernels);
  return by_name;
}

/// Adds the columns that have values only in the rows of findings (the last rows). Also adds links to the
/// examples of findings: the row's own link precedes the range and the slice of each example.
void add_finding_columns(Table& table, const std::vector<Finding>& findings) {
  const std::size_t rows = table.row_count();
  const std::size_t first = rows - findings.size();
  const auto texts = [&](const char* key, msg::Id title, msg::Id about, const auto& get) {
    table.add_texts(key, title, about);
    TableColumn& column = table.columns.back();
    for (std::size_t i = 0; i < first; ++i) column.add_word({});
    for (const Finding& finding : findings) column.add_word(std::invoke(get, finding));
    column.export_only = true;
  };
  const auto integers = [&](const char* key, msg::Id title, msg::Id about, const auto& get) {
    TableColumn::Integers& column = table.add_integers(key, title, Unit::ns, about);
    column.assign(rows, kNoInteger);
    for (std::size_t i = 0; i < findings.size(); ++i) column[first + i] = get(findings[i]);
    table.columns.back().export_only = true;
  };
  integers("won_ns", msg::saving, msg::time_a_fix_would_save,
           [](const Finding& finding) { return finding.won_ns.value_or(kNoInteger); });
  texts("bound", msg::bound, msg::whether_that_time_is_an_upper, [](const Finding& finding) {
    if (!finding.won_ns || finding.bound == WonBound::neither) return msg::nothing;
    return finding.bound == WonBound::at_most ? msg::bound_at_most : msg::bound_at_least;
  });
  texts("effort", msg::effort, msg::effort_of_a_fix,
        [](const Finding& finding) { return text_of(finding.effort); });
  texts("overlaps", msg::overlaps, msg::overlaps_other_findings,
        [](const Finding& finding) { return finding.overlaps ? msg::yes : msg::no; });
  texts("fix", msg::fix, msg::recommended_change, &Finding::fix);
  table.columns.back().export_only = false;
  texts("table", msg::table, msg::the_table_that_lists_its_examples, &Finding::table);
  texts("filter", msg::filter, msg::text_in_those_rows, &Finding::filter);
  const auto worst = [](std::int64_t TimeRange::*end) {
    return [end](const Finding& finding) {
      return finding.examples.empty() ? kNoInteger : finding.examples.front().shown().*end;
    };
  };
  integers("example_start_ns", msg::example_starts, msg::start_of_the_worst_example_since,
           worst(&TimeRange::begin_ns));
  integers("example_end_ns", msg::example_ends, msg::end_of_the_worst_example_since,
           worst(&TimeRange::end_ns));
  std::size_t most = 0;
  for (const Finding& finding : findings) most = std::max(most, finding.examples.size());
  std::vector<RowLink> links;
  for (std::size_t row = 0; row < rows; ++row) {
    links.push_back(table.links[row]);
    for (std::size_t i = 0; i < most; ++i) {
      const bool has = row >= first && i < findings[row - first].examples.size();
      links.push_back(has ? RowLink(findings[row - first].examples[i].shown()) : RowLink());
      links.push_back(has ? RowLink(findings[row - first].examples[i].slice) : RowLink());
    }
  }
  table.links = std::move(links);
}

/// Returns the row title for the work: memset, copy, graph or kernel. A CUDA graph recorded without its
/// kernels is a graph.
msg::Id top_item(const Trace& trace, SliceId work) {
  if (trace.kind(work) == SliceKind::copy) {
    const std::string name = lowered(trace.name_of(work));
    return contains(name, "memset") || contains(name, "fill") ? msg::top_memset : msg::top_copy;
  }
  const std::string_view category = trace.category_text(trace.category(work));
  return category == "cuda_graph" ? msg::top_graph : msg::top_kernel;
}

/// Adds the rows on GPUs, kernels and memory. add() has the parameters listed at add_times(), and then the
/// slice that the row links to.
template <class Add>
void add_devices(const Add& add, const Trace& trace, const TraceSummary& summary, const KnownShares& known) {
  const std::string& word = summary.base.device;
  const FindingBase& base = summary.findings.base;
  const Message of_windows = base.brief(word);
  const std::int64_t whole = summary.split.window.length_ns();
  const std::vector<std::string> titles = unique_process_titles(trace);
  for (const BusyGpu& gpu : first_gpus(summary.gpus)) {
    const ShownShare idle = known.idle(share_of(whole - gpu.busy_ns, whole));
    add({msg::device_idle, word}, titles[gpu.process], idle.value, "share", of_windows, idle.text);
  }
  const msg::Id matrix_units =
      gpu_vendor(trace) == GpuVendor::amd ? msg::matrix_core_share : msg::tensor_core_share;
  const Message of_base = summary.base.brief();
  const Message of_kernels(msg::kernel_time_of, of_base);
  for (const GpuMetrics& gpu : first_gpus(summary.metrics)) {
    const std::string& title = titles[gpu.process];
    const ShownShare use = known.busy(gpu.utilization);
    add({msg::device_utilization, word}, title, use.value, "share", {msg::kernels_alone, of_base}, use.text);
    if (word != "GPU") continue;  // the other figures exist for GPUs only
    const ShownShare efficiency = known.busy(known_or_none(gpu.sm_efficiency));
    add(msg::sm_efficiency, title, efficiency.value, "share", of_base, efficiency.text);
    const bool part_recorded = gpu.occupancy >= 0 && gpu.occupancy_known_share < 1;
    add(msg::word_occupancy, title, known_or_none(gpu.occupancy), "percent", of_kernels,
        part_recorded ? Message(msg::recorded_for_of_kernel_time, text_from_share(gpu.occupancy / 100),
                                text_from_share(gpu.occupancy_known_share))
                      : Message());
    const bool part_unknown = gpu.tensor_core_share >= 0 && gpu.tensor_core_unknown_share > 0;
    add(matrix_units, title, known_or_none(gpu.tensor_core_share), "share", of_kernels,
        part_unknown ? Message(msg::unknown_for_of_kernel_time, text_from_share(gpu.tensor_core_share),
                               text_from_share(gpu.tensor_core_unknown_share))
                     : Message());
  }
  // A window of GPU work is named without its device here, since several GPUs are summed.
  const Message of_work =
      base.kind == FindingBase::Kind::gpu_window ? Message(msg::the_window_of_work, word) : of_windows;
  const Message of_top = summary.gpus.size() < 2
                             ? of_windows
                             : Message(msg::summed_over_devices, of_work, grouped(summary.gpus.size()), word);
  for (const TopWork& work : summary.kernels) {
    const auto mean_ns = work.total_ns / static_cast<std::int64_t>(base.windows.size());
    const bool doubtful =
        std::ranges::find(summary.doubtful, work.longest, &DoubtfulWork::slice) != summary.doubtful.end();
    add(top_item(trace, work.longest), std::string(trace.name_text(work.name)), static_cast<double>(mean_ns),
        "ns", of_top, doubtful ? Message(msg::at_most, text_from_duration(mean_ns)) : Message(),
        work.longest);
  }
  for (const MemoryDevice& device : summary.memory) {
    add(msg::memory_peak, memory_device_name(trace, device.device), static_cast<double>(device.peak_bytes),
        "bytes", {}, {}, device.peak_slice);
  }
}

constexpr std::string_view kSummaryKeys[] = {"item", "of"};

}  // namespace

TraceSummary summarize_trace(const OperatorParts& parts, ByteUnits units, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  TraceSummary summary;
  // Each task uses one thread, and depends only on the work and the base.
  summary.base = parts.base(stop);
  const std::array<std::function<void()>, 4> tasks{
      [&] { parts.outliers(stop); }, [&] { parts.metrics(stop); }, [&] { parts.roles(stop); },
      [&] { summary.launches = count_launches(trace, whole_range(trace), stop); }};
  parallel_for(thread_count_or_default(0), tasks.size(), stop, [&](std::size_t i, unsigned) { tasks[i](); });
  summary.findings = find_findings(parts, units, stop);
  const std::vector<TimeRange>& windows = summary.findings.base.windows;
  const std::array<std::function<void()>, 2> sums{[&] { summary.gpus = busy_gpus(trace, windows, stop); },
                                                  [&] { summary.kernels = top_work(trace, windows, stop); }};
  parallel_for(thread_count_or_default(0), sums.size(), stop, [&](std::size_t i, unsigned) { sums[i](); });
  summary.steps = parts.steps_in_range(stop);
  if (summary.base.kind == TimeBase::Kind::steps) {
    for (Message& note : mark_notes(trace, parts.steps(stop))) summary.base.notes.push_back(std::move(note));
  }
  summary.split = split_of(parts.roles(stop), windows);
  summary.metrics = parts.metrics(stop);
  summary.memory = memory_devices(trace, parts.range());
  if (summary.split.communication_on_cpu) summary.cpu_collectives = cpu_collectives(trace, stop).size();
  summary.doubtful = doubtful_work(trace, stop);
  std::erase_if(summary.doubtful, [&](const DoubtfulWork& work) {
    return std::ranges::none_of(windows, [&](const TimeRange& window) {
      return in_range(window, trace.start_ns(work.slice), trace.duration_ns(work.slice));
    });
  });
  return summary;
}

Table summary_table(const Trace& trace, const TraceSummary& summary, ByteUnits units) {
  Table table{.name = "summary", .title = msg::summary, .definition = msg::verdict_metrics_and_fixes};
  table.add_texts("item", msg::summary_item, msg::row_content);
  table.add_texts("of", msg::row_subject, msg::the_step_gpu_kernel_or_device);
  auto& values = table.add_numbers("value", msg::value, Unit::number, msg::in_unit_of_next_column);
  auto& unit_names = table.add_texts("unit", msg::unit, msg::ns_bytes_share_0_1_percent);
  table.add_texts("share_of", msg::base_title, msg::what_the_value_is_a_share);
  table.add_texts("text", msg::text, msg::formatted_value_or_sentence);
  for (TableColumn& column : table.columns)
    column.export_only = column.key == "value" || column.key == "unit";
  const auto add = [&](const Message& item, const Message& subject, double value, const char* unit,
                       const Message& share_of_what = {}, const Message& text = {},
                       SliceId example = kNoSlice) {
    table.columns[0].add_word(item);
    table.columns[1].add_word(subject);
    values.push_back(value);
    unit_names.emplace_back(unit);
    table.columns[4].add_word(share_of_what);
    table.columns[5].add_word(text.empty() ? text_of_figure(value, unit, units) : text);
    table.links.emplace_back(example);
  };
  const KnownShares known(trace, summary.launches, summary.doubtful, summary.findings.base.windows);
  if (!summary.findings.verdict.empty()) add(msg::verdict, {}, kNoNumber, "", {}, summary.findings.verdict);
  const bool profiled = has_profiled_work(trace);
  add_times(add, summary, known, profiled);
  if (const CallSum& lost = summary.launches.all.without_work; summary.launches.idle_unknown()) {
    add(msg::launches_without_gpu_work, {}, static_cast<double>(lost.count), "count", {},
        lost_note(summary.launches), lost.first);
  }
  if (!summary.doubtful.empty()) {
    add(msg::doubtful_durations, {}, static_cast<double>(summary.doubtful.size()), "count", {},
        doubtful_note(trace, summary.doubtful), summary.doubtful.front().slice);
  }
  add_devices(add, trace, summary, known);
  if (!summary.findings.list.empty()) add(msg::order, {}, kNoNumber, "", {}, summary.findings.order());
  for (const Finding& finding : summary.findings.list) {
    add(msg::finding, text_of(finding.kind), finding.share, "share", finding.share_of, finding.sentence,
        finding.evidence());
  }
  add_finding_columns(table, summary.findings.list);
  table.notes = summary.base.notes;
  if (!profiled && summary.findings.verdict.empty()) {
    table.notes.emplace_back(msg::nothing_to_analyze);
  }
  if (const std::size_t gpus = std::max(summary.gpus.size(), summary.metrics.size()); gpus > kMaxGpus) {
    table.notes.emplace_back(msg::covers_first_gpus, grouped(kMaxGpus), grouped(gpus - kMaxGpus));
  }
  return table;
}

constexpr TableKind<OperatorParts> kSummaryTable{
    {.name = "summary",
     .title = msg::summary,
     .heading = msg::whole_trace,
     .about = msg::about_summary,
     .keys = kSummaryKeys},
    [](const OperatorParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      return summary_table(parts.trace(), summarize_trace(parts, query.units, stop), query.units);
    }};

}  // namespace kino
