#include "app/table_command.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include <nlohmann/json.hpp>

#include "app/category_rules.hpp"
#include "app/csv_text.hpp"
#include "app/cut_file.hpp"
#include "app/info_lines.hpp"
#include "app/snapshot_table_command.hpp"
#include "app/table_columns.hpp"
#include "app/terminal_text.hpp"
#include "core/byte_text.hpp"
#include "core/collective_table.hpp"
#include "core/copy_table.hpp"
#include "core/flops_table.hpp"
#include "core/gpu_breakdown.hpp"
#include "core/gpu_gaps.hpp"
#include "core/gpu_metrics.hpp"
#include "core/idle_gaps.hpp"
#include "core/kernel_table.hpp"
#include "core/key_averages.hpp"
#include "core/launch_table.hpp"
#include "core/memory_table.hpp"
#include "core/module_tree.hpp"
#include "core/name_text.hpp"
#include "core/operator_table.hpp"
#include "core/queue_length.hpp"
#include "core/step_split.hpp"
#include "core/steps.hpp"
#include "core/time_text.hpp"
#include "core/trace_summary.hpp"

namespace kino {
namespace {

constexpr std::size_t kTextLimit = 50;
constexpr std::size_t kTextColumns = 56;  // of one cell
constexpr std::size_t kMostGaps = 1000;

constexpr std::array<std::string_view, 4> kKernelGroups{"name", "short-name", "shape", "operator"};
constexpr std::array<std::string_view, 3> kOperatorGroups{"name", "shape", "stack"};
constexpr std::array<std::string_view, 3> kModuleGroups{"module", "annotation", "kernel"};
constexpr std::array<std::string_view, 2> kMemoryGroups{"device", "operator"};
constexpr std::array<std::string_view, 2> kFlopsGroups{"shape", "uncounted"};
constexpr std::array<std::string_view, 2> kGapGroups{"gpu", "stream"};

constexpr std::array<TableKind, 18> kKinds{
    {{"summary", "Figures of the trace, and what to look at first", {}},
     {"steps", "What each step's time went into", {}},
     {"operators", "Calls, host and device time", kOperatorGroups},
     {"modules", "Time of each nn.Module, forward and backward", kModuleGroups},
     {"key-averages", "PyTorch's own table; --sort self_cuda_time_total and so on", kOperatorGroups},
     {"kernels", "All GPU work", kKernelGroups},
     {"outliers", "GPU work that took many times longer than its like", {}},
     {"collectives", "By kind, group and size, with bandwidths", {}},
     {"breakdown", "How the time of each GPU splits", {}},
     {"kernel-types", "Which kinds of work ran at one time", {}},
     {"utilization", "GPU utilisation, SM efficiency, occupancy", {}},
     {"idle", "Why each stream was idle", {}},
     {"gaps", "When the GPU did nothing, why, and what the CPU did", kGapGroups},
     {"launch", "How late work starts after its launch", {}},
     {"queue", "Launched work that waits, by stream", {}},
     {"copies", "Copies and memsets by direction", {}},
     {"memory", "Allocations that were recorded", kMemoryGroups},
     {"flops", "Operations of matrix products, convolutions and attention", kFlopsGroups}}};

std::size_t place_of(std::span<const std::string_view> names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

Table key_average_table(const KeyAverages& averages, KeyAverageGrouping grouping) {
  Table table;
  table.name = "key-averages";
  table.title = "Key averages";
  table.definition = "What PyTorch's key_averages() computes from the run itself.";
  const auto& rows = averages.rows;
  table.texts_of(rows, "name", "Name", "Operator, runtime call or GPU work",
                 [](const KeyAverage& row) { return row.key; });
  if (grouping == KeyAverageGrouping::stack) {
    table.texts_of(rows, "source_location", "Source location", "The innermost frames of the call stack",
                   [](const KeyAverage& row) {
                     std::string text;
                     for (const std::string& frame : row.stack) text += (text.empty() ? "" : "; ") + frame;
                     return text;
                   });
  }
  if (grouping == KeyAverageGrouping::shape) {
    table.texts_of(rows, "input_shapes", "Input shapes", "As recorded",
                   [](const KeyAverage& row) { return row.input_shapes; });
  }
  table.texts_of(rows, "device", "Device", "CUDA for GPU work",
                 [](const KeyAverage& row) { return row.on_device ? "CUDA" : "CPU"; });
  table.integers_of(rows, "count", "Calls", Unit::count, "Number of events",
                    [](const KeyAverage& row) { return row.count; });
  const auto add = [&](const char* key, const char* title, Unit unit, const char* about, auto&& get) {
    table.integers_of(rows, key, title, unit, about, get);
  };
  add("self_cpu_time_total", "Self CPU", Unit::ns, "ns",
      [](const KeyAverage& row) { return row.self_cpu_ns; });
  add("cpu_time_total", "CPU total", Unit::ns, "ns", [](const KeyAverage& row) { return row.cpu_ns; });
  add("self_cuda_time_total", "Self CUDA", Unit::ns, "ns",
      [](const KeyAverage& row) { return row.self_device_ns; });
  add("cuda_time_total", "CUDA total", Unit::ns, "ns", [](const KeyAverage& row) { return row.device_ns; });
  add("cpu_memory_usage", "CPU memory", Unit::bytes, "Bytes",
      [](const KeyAverage& row) { return row.cpu_bytes; });
  add("self_cpu_memory_usage", "Self CPU memory", Unit::bytes, "Bytes",
      [](const KeyAverage& row) { return row.self_cpu_bytes; });
  add("cuda_memory_usage", "CUDA memory", Unit::bytes, "Bytes",
      [](const KeyAverage& row) { return row.device_bytes; });
  add("self_cuda_memory_usage", "Self CUDA memory", Unit::bytes, "Bytes",
      [](const KeyAverage& row) { return row.self_device_bytes; });
  for (const KeyAverage& row : rows) table.examples.push_back(row.longest);
  return table;
}

Table operators_by(const RangeAnalysis& analysis, OperatorGrouping grouping, const std::stop_token& stop) {
  const Trace& trace = analysis.trace();
  const LaunchCoverage coverage = analysis.coverage(stop);
  if (grouping == OperatorGrouping::name)
    return operator_table(trace, analysis.operators(stop), grouping, coverage);
  return operator_table(
      trace, operator_rows(trace, analysis.tree(stop), analysis.operator_groups(grouping, stop), stop),
      grouping, coverage);
}

Table kernels_by(const RangeAnalysis& analysis, KernelGrouping grouping, const std::stop_token& stop) {
  const Trace& trace = analysis.trace();
  if (grouping == KernelGrouping::name) return kernel_table(trace, analysis.kernels(stop), grouping);
  return kernel_table(
      trace, kernel_rows(trace, analysis.work(stop), analysis.gpu_range(stop), grouping, stop), grouping);
}

Table gaps_by(const RangeAnalysis& analysis, GapGrouping grouping, const std::optional<std::string>& stream,
              const std::stop_token& stop) {
  const Trace& trace = analysis.trace();
  TimeRange asked = analysis.range();
  if (analysis.step()) {
    // The GPU follows the CPU: a step's gaps are those from its begin to the end of its work, whosever work
    // runs meanwhile.
    const TimeRange gpu = analysis.gpu_range(stop);
    asked = {std::min(asked.begin_ns, gpu.begin_ns), std::max(asked.end_ns, gpu.end_ns)};
  }
  return gap_table(trace, gpu_work_in(trace, asked, stop), find_steps(trace, stop), asked,
                   stream ? GapGrouping::stream : grouping, stream, kMostGaps, stop);
}

Table table_of(const RangeAnalysis& analysis, const TableRequest& request, std::size_t group,
               const std::stop_token& stop) {
  const std::string_view name = request.name;
  const Trace& trace = analysis.trace();
  const TimeRange range = analysis.range();
  const TimeRange gpu_range = analysis.gpu_range(stop);
  if (name == "steps") return step_table(analysis.steps_in_range(stop));
  if (name == "operators") return operators_by(analysis, static_cast<OperatorGrouping>(group), stop);
  if (name == "modules") {
    if (group == 1) return module_table(analysis.modules_by(ModuleSource::annotation, stop));
    const ModuleTree& tree = analysis.modules(stop);
    return group == 2 ? module_kernel_table(trace, tree) : module_table(tree);
  }
  if (name == "key-averages") {
    const auto grouping = static_cast<KeyAverageGrouping>(group);
    return key_average_table(key_averages(trace, gpu_range, analysis.work(stop), analysis.key_tree(stop),
                                          analysis.key_groups(grouping, stop), stop),
                             grouping);
  }
  if (name == "kernels") return kernels_by(analysis, static_cast<KernelGrouping>(group), stop);
  if (name == "outliers") return outlier_table(trace, analysis.outliers(stop));
  if (name == "collectives")
    return collective_table(collective_rows(trace, analysis.work(stop), gpu_range, stop));
  if (name == "breakdown") return breakdown_table(trace, analysis.breakdown(stop));
  if (name == "kernel-types") return kernel_type_table(trace, analysis.breakdown(stop));
  if (name == "utilization") return gpu_metrics_table(trace, analysis.metrics(stop), analysis.base(stop));
  if (name == "idle") return idle_table(trace, analysis.idle(stop));
  if (name == "gaps") return gaps_by(analysis, static_cast<GapGrouping>(group), request.stream, stop);
  if (name == "launch") {
    const GpuWork& work = analysis.work(stop);
    return launch_table(trace, launch_rows(trace, work, stop), work.size());
  }
  if (name == "queue") return queue_table(trace, queue_rows(trace, analysis.work(stop), stop));
  if (name == "copies") return copy_table(copy_rows(trace, analysis.work(stop), gpu_range, stop));
  if (name == "memory" && group == 1)
    return memory_operator_table(trace, memory_operators(trace, range, stop));
  if (name == "memory") return memory_device_table(memory_devices(trace, range));
  if (name == "flops") {
    return flops_table(trace, flops_report(trace, analysis.tree(stop), range, stop),
                       static_cast<FlopsGrouping>(group));
  }
  return summary_table(trace, summarize_trace(analysis, stop));
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// The cell with all the digits it needs and no unit; empty without a value.
std::string exact_cell(const TableColumn& column, std::uint32_t row) {
  if (const auto* texts = std::get_if<TableColumn::Texts>(&column.values)) return csv_cell((*texts)[row]);
  if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values))
    return exact_digits((*numbers)[row]);
  const std::int64_t value = std::get<TableColumn::Integers>(column.values)[row];
  return value == kNoInteger ? std::string() : std::to_string(value);
}

/// Cells as people read them; of long ones the middle is left out, and what differs is kept.
std::vector<std::string> shown_cells(std::vector<std::string> texts) {
  const bool cut = std::any_of(texts.begin(), texts.end(),
                               [](const std::string& text) { return columns_of(text) > kTextColumns; });
  if (!cut) return texts;
  std::vector<std::string> shown;
  shown.reserve(texts.size());
  for (const std::string& text : texts) shown.push_back(shortened_text(text, kTextColumns));
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  return told_apart(names, std::move(shown), kTextColumns);
}

std::vector<const TableColumn*> shown_columns(const Table& table) {
  std::vector<const TableColumn*> shown;
  for (const TableColumn& column : table.columns) {
    if (!column.export_only) shown.push_back(&column);
  }
  return shown;
}

/// A name as it is, and no markup: neither HTML, which renderers run, nor emphasis.
std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("|\\`*").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

KeyAverageOrder key_average_order(std::string_view name) {
  constexpr std::array<std::string_view, 10> kNames{"",
                                                    "cpu_time_total",
                                                    "self_cpu_time_total",
                                                    "cuda_time_total",
                                                    "self_cuda_time_total",
                                                    "cpu_memory_usage",
                                                    "self_cpu_memory_usage",
                                                    "cuda_memory_usage",
                                                    "self_cuda_memory_usage",
                                                    "count"};
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? KeyAverageOrder::none : static_cast<KeyAverageOrder>(found - kNames.begin());
}

/// What PyTorch prints, escaped line by line.
Result<std::string> key_averages_output(const RangeAnalyses& analyses, const TableRequest& request) {
  const auto requested = requested_analysis(analyses, request, {});
  if (!requested) return requested.error();
  const std::size_t group = request.group.empty() ? 0 : place_of(kOperatorGroups, request.group);
  if (group == kOperatorGroups.size())
    return request_error("The table key-averages cannot be grouped by " + escaped(request.group));
  const auto grouping = static_cast<KeyAverageGrouping>(group);
  const std::string wanted = request.sort.empty() ? "self_cpu_time_total" : request.sort.front();
  const KeyAverageOrder order = key_average_order(wanted);
  if (order == KeyAverageOrder::none)
    return request_error("PyTorch's table has no column " + escaped(wanted));
  const auto limit = static_cast<std::int64_t>(request.limit.value_or(kTextLimit));
  const RangeAnalysis& analysis = *requested.value();
  const KeyAverages averages = key_averages(analyses.trace(), analysis.gpu_range(), analysis.work(),
                                            analysis.key_tree(), analysis.key_groups(grouping));
  const std::string text = key_averages_text(averages, grouping, order, limit == 0 ? -1 : limit);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out += escaped(std::string_view(text).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string exact_range(TimeRange range) {
  return "from " + std::to_string(range.begin_ns) + " ns to " + std::to_string(range.end_ns) + " ns";
}

/// Why the stream that is asked for cannot be told about.
std::optional<Error> stream_problem(const Trace& trace, const TableRequest& request) {
  if (!request.stream) return std::nullopt;
  if (request.name != "gaps") return request_error("Only the table of gaps can be of one stream");
  std::string known;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::gpu_stream) continue;
    const std::string number = stream_number(track);
    if (number == *request.stream) return std::nullopt;
    known += (known.empty() ? "" : ", ") + number;
  }
  return request_error(known.empty() ? "There is no GPU stream in this trace"
                                     : "There is no GPU stream " + escaped(*request.stream) +
                                           " in this trace, only " + escaped(known));
}

Result<std::string> text_of_rows(const Result<Table>& table, const TableRequest& request) {
  if (!table.ok()) return table.error();
  const Result<std::vector<std::uint32_t>> rows = chosen_rows(table.value(), request);
  if (!rows) return rows.error();
  switch (request.format) {
    case TableFormat::csv:
      return table_csv(table.value(), rows.value());
    case TableFormat::json:
      return table_json(table.value(), rows.value());
    case TableFormat::markdown:
      return table_markdown(table.value(), rows.value());
    case TableFormat::folded:
      return request_error("Only live memory of a snapshot can be written as folded stacks");
    case TableFormat::text:
      break;
  }
  return table_text(table.value(), rows.value());
}

Result<std::string> table_output(const RangeAnalyses& analyses, const TableRequest& request) {
  const auto of_snapshot = [&](const TableKind& kind) { return kind.name == request.name; };
  if (request.name == kCompareKind.name || std::ranges::any_of(snapshot_table_kinds(), of_snapshot))
    return request_error("The table " + request.name + " is of allocator snapshots, and this is a trace");
  if (!request.at.empty() || !request.since.empty() || !request.find.empty() || request.device) {
    return request_error(
        "--at, --since, --find and --device are for allocator snapshots, and this is a trace");
  }
  if (request.name == "key-averages" && request.format == TableFormat::text)
    return key_averages_output(analyses, request);
  return text_of_rows(compute_table(analyses, request), request);
}

CategoryRules category_rules_told() {
  CategoryRules rules = read_category_rules(category_rules_path());
  if (!rules.problem.empty()) std::fprintf(stderr, "kinetoscope: %s\n", rules.problem.c_str());
  return rules;
}

Result<std::string> table_output(const Snapshot& snapshot, const TableRequest& request) {
  if (request.name == "live" && request.format == TableFormat::folded)
    return compute_folded(snapshot, request);
  const CategoryRules rules = category_rules_told();
  return text_of_rows(compute_snapshot_table(snapshot, request, rules.rules), request);
}

Result<std::optional<std::string>> columns_output(const TableRequest& request) {
  Result<std::string> text = table_columns_text(request.name, request.format);
  if (!text.ok()) return text.error();
  return std::optional(std::move(text).value());
}

/// The text to print; nullopt when a file is cut, which has been said.
Result<std::optional<std::string>> table_output(const CommandLine& command, std::size_t& culprit) {
  LoadProgress progress;
  const auto refused = [&](const DamageLog& damage) {
    return refuses_cut(damage, command.files[culprit].string(), command.strict);
  };
  const auto present = [](Result<std::string> text) -> Result<std::optional<std::string>> {
    if (!text.ok()) return text.error();
    return std::optional(std::move(text).value());
  };
  if (command.files.size() == 1) {
    const Result<OpenedFile> first = open_file(command.files.front(), open_options(command), progress, {});
    if (!first.ok()) return first.error();
    if (refused(damage_of(first.value()))) return std::optional<std::string>();
    const auto* const snapshot = std::get_if<OpenedSnapshot>(&first.value());
    return present(
        snapshot != nullptr
            ? table_output(*snapshot->snapshot, command.table)
            : table_output(RangeAnalyses(*std::get<OpenedTrace>(first.value()).trace), command.table));
  }
  Result<OpenedSnapshot> before = open_snapshot(command.files.front(), open_options(command), progress, {});
  if (!before.ok()) return before.error();
  if (refused(before.value().snapshot->damage)) return std::optional<std::string>();
  culprit = 1;
  Result<OpenedSnapshot> after = open_snapshot(command.files.back(), open_options(command), progress, {});
  if (!after.ok()) return after.error();
  if (refused(after.value().snapshot->damage)) return std::optional<std::string>();
  const CategoryRules rules = category_rules_told();
  return present(text_of_rows(
      compute_comparison(*before.value().snapshot, *after.value().snapshot, command.table, rules.rules),
      command.table));
}

}  // namespace

Result<std::shared_ptr<const RangeAnalysis>> requested_analysis(const RangeAnalyses& analyses,
                                                                const TableRequest& request,
                                                                const std::stop_token& stop) {
  const TimeRange all = whole_range(analyses.trace());
  if (request.range && (request.range->begin_ns >= all.end_ns || request.range->end_ns <= all.begin_ns)) {
    return request_error("The range " + exact_range(*request.range) +
                         " lies outside of the trace, which goes " + exact_range(analyses.trace().range));
  }
  std::shared_ptr<const RangeAnalysis> whole = analyses.of(request.range.value_or(all));
  if (request.range || !request.step) return whole;
  const std::string wanted = std::to_string(*request.step);
  std::string known;
  const std::vector<StepWindow>& steps = whole->steps(stop);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].slice == kNoSlice) continue;
    if (steps[i].name == wanted) return analyses.of_step(steps[i], i);
    known += (known.empty() ? "" : ", ") + steps[i].name;
  }
  return request_error(known.empty() ? "There are no steps in this trace"
                                     : "There is no step " + wanted + " in this trace, only " + known);
}

std::string number_text(Unit unit, double value) {
  switch (unit) {
    case Unit::ns:
      return text_from_duration(std::llround(value));
    case Unit::bytes:
      return value < 0 ? "-" + text_from_bytes(-value) : text_from_bytes(value);
    case Unit::count:
      return value < 0 ? "-" + grouped(static_cast<std::uint64_t>(-value))
                       : grouped(static_cast<std::uint64_t>(value));
    case Unit::share:
      return formatted("%.1f %%", 100 * value);
    case Unit::percent:
      return formatted("%.1f %%", value);
    case Unit::gb_per_s:
      return formatted("%.3g GB/s", value);
    case Unit::tflop_per_s:
      return formatted("%.3g TFLOP/s", value);
    case Unit::flop:
      return formatted("%.4g", value);
    case Unit::text:
    case Unit::number:
      break;
  }
  return formatted("%.6g", value);
}

std::string cell_text(const TableColumn& column, std::uint32_t row) {
  if (const auto* texts = std::get_if<TableColumn::Texts>(&column.values)) return escaped((*texts)[row]);
  if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values)) {
    return std::isnan((*numbers)[row]) ? std::string() : number_text(column.unit, (*numbers)[row]);
  }
  const std::int64_t value = std::get<TableColumn::Integers>(column.values)[row];
  return value == kNoInteger ? std::string() : number_text(column.unit, static_cast<double>(value));
}

std::span<const TableKind> table_kinds() { return kKinds; }

Result<Table> compute_table(const RangeAnalyses& analyses, const TableRequest& request,
                            const std::stop_token& stop) {
  const std::span<const TableKind> kinds = table_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const TableKind& it) { return it.name == request.name; });
  if (kind == kinds.end()) return request_error("There is no table " + escaped(request.name));
  std::size_t group = 0;
  if (!request.group.empty()) {
    group = place_of(kind->groups, request.group);
    if (group == kind->groups.size()) {
      return request_error("The table " + request.name + " cannot be grouped by " + escaped(request.group));
    }
  }
  const auto analysis = requested_analysis(analyses, request, stop);
  if (!analysis) return analysis.error();
  if (const auto problem = stream_problem(analyses.trace(), request)) return *problem;
  return table_of(*analysis.value(), request, group, stop);
}

Result<std::vector<std::uint32_t>> chosen_rows(const Table& table, const TableRequest& request) {
  std::vector<TableOrder> order;
  for (const std::string& wanted : request.sort) {
    const std::size_t colon = std::min(wanted.find(':'), wanted.size());
    const std::string key = wanted.substr(0, colon);
    const std::string direction = wanted.substr(std::min(colon + 1, wanted.size()));
    const TableColumn* column = table.find(key);
    if (column == nullptr) return request_error("The table " + table.name + " has no column " + escaped(key));
    if (!direction.empty() && direction != "asc" && direction != "desc")
      return request_error("Columns are sorted with :asc or :desc, not :" + escaped(direction));
    std::size_t place = 0;
    while (&table.columns[place] != column) ++place;
    // Numbers are wanted the largest first, names by the alphabet.
    order.push_back({place, direction.empty() ? !column->is_text() : direction == "desc"});
  }
  std::vector<std::uint32_t> rows = ordered_rows(table, order);
  const std::uint64_t limit = request.limit.value_or(
      request.format == TableFormat::text && request.name != "summary" ? kTextLimit : 0);
  if (limit > 0 && rows.size() > limit) rows.resize(limit);
  return rows;
}

std::string table_text(const Table& table, std::span<const std::uint32_t> rows) {
  std::vector<std::vector<std::string>> cells;
  std::string out;
  std::vector<std::size_t> widths;
  const std::vector<const TableColumn*> shown = shown_columns(table);
  for (const TableColumn* it : shown) {
    const TableColumn& column = *it;
    std::vector<std::string> texts;
    // A sentence at the end of a line may be long.
    const bool last = it == shown.back() && column.is_text();
    for (const std::uint32_t row : rows) {
      const bool first = it == shown.front() && row < table.depths.size();
      texts.push_back(std::string(first ? 2 * table.depths[row] : 0, ' ') + cell_text(column, row));
    }
    cells.push_back(last ? std::move(texts) : shown_cells(std::move(texts)));
    std::size_t width = columns_of(column.title);
    for (const std::string& text : cells.back()) width = std::max(width, columns_of(text));
    widths.push_back(width);
  }
  const auto line = [&](const std::function<const std::string&(std::size_t)>& text) {
    std::string all;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (i > 0) all += "  ";
      all += shown[i]->is_text() ? padded_right(text(i), widths[i]) : padded_left(text(i), widths[i]);
    }
    while (!all.empty() && all.back() == ' ') all.pop_back();
    out += all + "\n";
  };
  line([&](std::size_t i) -> const std::string& { return shown[i]->title; });
  for (std::size_t row = 0; row < rows.size(); ++row) {
    line([&](std::size_t i) -> const std::string& { return cells[i][row]; });
  }
  if (rows.empty()) out += "(no rows)\n";
  if (rows.size() < table.row_count()) {
    out += "(" + grouped(table.row_count() - rows.size()) + " more rows; --limit 0 prints all)\n";
  }
  for (const std::string& note : table.notes) out += escaped(note) + "\n";
  return out;
}

std::string table_csv(const Table& table, std::span<const std::uint32_t> rows) {
  std::string out;
  const auto end_line = [&] { out.replace(out.size() - 1, 1, "\r\n"); };
  for (const TableColumn& column : table.columns) out += column.key + ",";
  end_line();
  for (const std::uint32_t row : rows) {
    for (const TableColumn& column : table.columns) {
      out += exact_cell(column, row) + ",";
    }
    end_line();
  }
  return out;
}

std::string table_json(const Table& table, std::span<const std::uint32_t> rows) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const std::uint32_t row : rows) {
    Json object = Json::object();
    for (const TableColumn& column : table.columns) {
      if (const auto* texts = std::get_if<TableColumn::Texts>(&column.values)) {
        object[column.key] = (*texts)[row];
      } else if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values)) {
        object[column.key] = std::isfinite((*numbers)[row]) ? Json((*numbers)[row]) : Json();
      } else {
        const std::int64_t value = std::get<TableColumn::Integers>(column.values)[row];
        object[column.key] = value == kNoInteger ? Json() : Json(value);
      }
    }
    list.push_back(std::move(object));
  }
  return list.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string table_markdown(const Table& table, std::span<const std::uint32_t> rows) {
  const std::vector<const TableColumn*> shown = shown_columns(table);
  std::string out = "|";
  for (const TableColumn* column : shown) out += " " + markdown_cell(column->title) + " |";
  out += "\n|";
  for (const TableColumn* column : shown) out += column->is_text() ? " --- |" : " ---: |";
  out += "\n";
  for (const std::uint32_t row : rows) {
    out += "|";
    for (const TableColumn* column : shown) out += " " + markdown_cell(cell_text(*column, row)) + " |";
    out += "\n";
  }
  return out;
}

int run_table_command(const CommandLine& command) {
  std::size_t culprit = 0;
  const Result<std::optional<std::string>> text =
      command.table.columns ? columns_output(command.table) : table_output(command, culprit);
  if (!text.ok()) {
    const std::string name = command.files.empty() ? command.table.name : command.files[culprit].string();
    std::fprintf(stderr, "kinetoscope: %s\n", error_sentence(text.error(), name).c_str());
    return 1;
  }
  if (!text.value()) return 1;
  if (std::fputs(text.value()->c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    std::fputs("kinetoscope: the table cannot be written to the standard output\n", stderr);
    return 1;
  }
  return 0;
}

}  // namespace kino
