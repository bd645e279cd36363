#include "core/tables/analysis/trace_tables.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/terminal_text.hpp"
#include "core/critical/critical_tables.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/capture/expert_table.hpp"
#include "core/tables/capture/replay_table.hpp"
#include "core/tables/gpu/collective_table.hpp"
#include "core/tables/gpu/copy_table.hpp"
#include "core/tables/gpu/gpu_breakdown.hpp"
#include "core/tables/gpu/gpu_gaps.hpp"
#include "core/tables/gpu/gpu_metrics.hpp"
#include "core/tables/gpu/idle_gaps.hpp"
#include "core/tables/gpu/kernel_outliers.hpp"
#include "core/tables/gpu/kernel_table.hpp"
#include "core/tables/gpu/launch_table.hpp"
#include "core/tables/gpu/queue_length.hpp"
#include "core/tables/gpu/step_breakdown.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/layers/layer_table.hpp"
#include "core/tables/ledger/ledger_tables.hpp"
#include "core/tables/ledger/roofline.hpp"
#include "core/tables/name_stats/annotation_table.hpp"
#include "core/tables/name_stats/api_table.hpp"
#include "core/tables/name_stats/category_table.hpp"
#include "core/tables/name_stats/graph_table.hpp"
#include "core/tables/name_stats/nsys_reports.hpp"
#include "core/tables/name_stats/python_table.hpp"
#include "core/tables/name_stats/sequence_table.hpp"
#include "core/tables/operators/flops_table.hpp"
#include "core/tables/operators/key_averages.hpp"
#include "core/tables/operators/memory_table.hpp"
#include "core/tables/operators/module_tree.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "core/tables/serving/serving_tables.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/launch_calls.hpp"

namespace kino {
namespace {

/// Entry of the list of tables. Its functions accept OperatorParts, whatever scope the table itself requires.
struct TraceTable {
  const TableInfo* info;
  Table (*compute)(const OperatorParts& parts, const TableQuery& query, const std::stop_token& stop);
  std::optional<std::vector<SliceId>> (*instances)(const OperatorParts& parts, const RowQuery& query,
                                                   const std::stop_token& stop);
};

template <const auto& kKind>
constexpr TraceTable kTraceTable{
    &kKind,
    [](const OperatorParts& parts, const TableQuery& query, const std::stop_token& stop) {
      return kKind.compute(parts, query, stop);
    },
    [](const OperatorParts& parts, const RowQuery& query,
       const std::stop_token& stop) -> std::optional<std::vector<SliceId>> {
      if (kKind.instances == nullptr) return std::nullopt;
      return kKind.instances(parts, query, stop);
    }};

/// In the order of lists, by heading.
constexpr std::array kTraceTables{
    kTraceTable<kSummaryTable>,         kTraceTable<kStepTable>,           kTraceTable<kLedgerTable>,
    kTraceTable<kCriticalPathTable>,    kTraceTable<kWhatIfTraceTable>,    kTraceTable<kIterationTable>,
    kTraceTable<kServingTable>,         kTraceTable<kStallTable>,          kTraceTable<kBreakdownTable>,
    kTraceTable<kKernelTypeTable>,      kTraceTable<kGpuMetricsTable>,     kTraceTable<kCategoryTable>,
    kTraceTable<kKernelTable>,          kTraceTable<kOutlierTable>,        kTraceTable<kSequenceTable>,
    kTraceTable<kLayerTable>,           kTraceTable<kIdleTable>,           kTraceTable<kGapTable>,
    kTraceTable<kLaunchTable>,          kTraceTable<kQueueTable>,          kTraceTable<kApiTable>,
    kTraceTable<kGraphTable>,           kTraceTable<kReplayTable>,         kTraceTable<kOperatorTable>,
    kTraceTable<kModuleTable>,          kTraceTable<kKeyAverageTable>,     kTraceTable<kFlopsTable>,
    kTraceTable<kRooflineTable>,        kTraceTable<kPythonTable>,         kTraceTable<kAnnotationTable>,
    kTraceTable<kCollectiveTable>,      kTraceTable<kExpertTable>,         kTraceTable<kCopyTable>,
    kTraceTable<kMemoryTable>,          kTraceTable<kNsysKernelReport>,    kTraceTable<kNsysApiReport>,
    kTraceTable<kNsysCopyTimeReport>,   kTraceTable<kNsysCopySizeReport>,  kTraceTable<kNsysRangeReport>,
    kTraceTable<kNsysProjectionReport>, kTraceTable<kNsysSystemCallReport>};

constexpr std::array kKinds = [] {
  std::array<const TableInfo*, kTraceTables.size()> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = kTraceTables[i].info;
  return kinds;
}();

const TraceTable& trace_table(const TableInfo& kind) {
  return *std::ranges::find(kTraceTables, &kind, &TraceTable::info);
}

/// Tables that contain idle times of GPUs.
constexpr std::array<const TableInfo*, 6> kIdleKinds{&kStepTable,       &kLedgerTable, &kBreakdownTable,
                                                     &kGpuMetricsTable, &kIdleTable,   &kGapTable};

/// Returns notes on the accuracy of idle times: much GPU work was lost, durations are implausible, or graphs
/// were recorded without their inner gaps.
std::vector<Message> idle_notes(const Trace& trace, const std::stop_token& stop) {
  std::vector<Message> notes;
  const LaunchCounts launches = count_launches(trace, whole_range(trace), stop);
  if (launches.idle_unknown())
    notes.push_back(Message(lost_note(launches)).then(msg::idle_times_are_upper_limits_and));
  if (Message doubt = doubtful_note(trace, doubtful_work(trace, stop)); !doubt.empty())
    notes.push_back(std::move(doubt));
  const std::array<TimeRange, 1> all{whole_range(trace)};
  if (whole_graph_ns(trace, all) > 0) {
    notes.emplace_back(msg::graphs_that_were_recorded_whole_count_as_busy);
  }
  return notes;
}

/// Returns an error if the table does not support a requested stream, or if the trace does not contain it.
std::optional<Error> stream_problem(const Trace& trace, const TableInfo& kind, const TableRequest& request) {
  if (!request.stream) return std::nullopt;
  if (!kind.supports.stream) return request_error(msg::only_gaps_supports_stream);
  std::string known;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::gpu_stream) continue;
    const std::string number = stream_number(track);
    if (number == *request.stream) return std::nullopt;
    known += (known.empty() ? "" : ", ") + number;
  }
  if (known.empty()) return request_error(msg::there_is_no_gpu_stream);
  return request_error({msg::there_is_no_such_gpu_stream, escaped(*request.stream), escaped(known)});
}

}  // namespace

Result<std::shared_ptr<const RangeAnalysis>> requested_analysis(const RangeAnalyses& analyses,
                                                                const TableRequest& request,
                                                                const std::stop_token& stop) {
  const TimeRange all = whole_range(analyses.trace());
  const bool outside =
      request.range && (request.range->begin_ns >= all.end_ns || request.range->end_ns <= all.begin_ns);
  if (outside) {
    const TimeRange recorded = analyses.trace().range;
    return request_error({msg::range_outside_trace, std::to_string(request.range->begin_ns),
                          std::to_string(request.range->end_ns), std::to_string(recorded.begin_ns),
                          std::to_string(recorded.end_ns)});
  }
  // Time outside of the trace was not recorded, so it does not count as idle.
  const TimeRange range = request.range ? clipped(all, request.range->begin_ns, request.range->end_ns) : all;
  std::shared_ptr<const RangeAnalysis> whole = analyses.of(range);
  if (request.range || !request.step) return whole;
  const std::string wanted = std::to_string(*request.step);
  std::string known;
  const std::vector<StepWindow>& steps = whole->steps(stop);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].slice == kNoSlice) continue;
    if (steps[i].name == wanted) return analyses.of_step(steps[i], i);
    known += (known.empty() ? "" : ", ") + steps[i].name;
  }
  if (known.empty()) return request_error(msg::there_are_no_steps);
  return request_error({msg::there_is_no_such_step, wanted, known});
}

Message clipped_note(const Trace& trace, const TableRequest& request) {
  const TimeRange all = whole_range(trace);
  if (!request.range || (request.range->begin_ns >= all.begin_ns && request.range->end_ns <= all.end_ns))
    return {};
  const TimeRange part = clipped(trace.range, request.range->begin_ns, request.range->end_ns);
  return {msg::range_clipped_to_trace, std::to_string(part.begin_ns), std::to_string(part.end_ns)};
}

std::span<const TableInfo* const> table_kinds() { return kKinds; }

Table table_of(const TableInfo& kind, const OperatorParts& parts, const TableQuery& query,
               const std::stop_token& stop) {
  Table table = trace_table(kind).compute(parts, query, stop);
  table.name = kind.name;
  if (table.title.empty()) table.title = kind.title;
  if (std::ranges::find(kIdleKinds, &kind) == kIdleKinds.end()) return table;
  for (Message& note : idle_notes(parts.trace(), stop)) table.notes.push_back(std::move(note));
  return table;
}

std::optional<std::vector<SliceId>> row_slices(const TableInfo& kind, const OperatorParts& parts,
                                               const RowQuery& query, const std::stop_token& stop) {
  if (std::ranges::find(kKinds, &kind) == kKinds.end()) return std::nullopt;
  return trace_table(kind).instances(parts, query, stop);
}

Result<Table> compute_table(const RangeAnalyses& analyses, const TableRequest& request,
                            const std::stop_token& stop) {
  const TableInfo* const kind = kind_named(table_kinds(), request.name);
  if (kind == nullptr) return request_error({msg::there_is_no_table, escaped(request.name)});
  const std::optional<std::size_t> group = kind->group_named(request.group);
  if (!group)
    return request_error({msg::the_table_cannot_be_grouped_by, request.name, escaped(request.group)});
  const auto analysis = requested_analysis(analyses, request, stop);
  if (!analysis) return analysis.error();
  if (const auto problem = stream_problem(analyses.trace(), *kind, request)) return *problem;
  IterationQuery iterations = request.iterations;
  iterations.batches = request.sizes;
  Result<Table> table =
      kind == &kWhatIfTraceTable
          ? what_if_trace_table(*analysis.value(), request.settings, request.force, stop)
          : table_of(*kind, *analysis.value(),
                     {*group, request.stream, request.units, request.captures.get(), std::move(iterations)},
                     stop);
  if (table.ok()) table.value().device = device_word(analyses.trace());
  if (const Message note = clipped_note(analyses.trace(), request); table.ok() && !note.empty())
    table.value().notes.push_back(note);
  return table;
}

}  // namespace kino
