#include "app/table_command.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include <nlohmann/json.hpp>

#include "app/category_rules.hpp"
#include "app/csv_text.hpp"
#include "app/info_lines.hpp"
#include "app/snapshot_table_command.hpp"
#include "app/terminal_text.hpp"
#include "core/collective_table.hpp"
#include "core/copy_table.hpp"
#include "core/flops_table.hpp"
#include "core/gpu_breakdown.hpp"
#include "core/gpu_metrics.hpp"
#include "core/idle_gaps.hpp"
#include "core/kernel_table.hpp"
#include "core/key_averages.hpp"
#include "core/launch_table.hpp"
#include "core/memory_table.hpp"
#include "core/module_tree.hpp"
#include "core/operator_table.hpp"
#include "core/queue_length.hpp"
#include "core/step_split.hpp"
#include "core/time_text.hpp"
#include "core/trace_summary.hpp"

namespace kino {
namespace {

constexpr std::size_t kTextLimit = 50;
constexpr std::size_t kTextColumns = 56;  // of one cell

constexpr std::array<std::string_view, 4> kKernelGroups{"name", "short-name", "shape", "operator"};
constexpr std::array<std::string_view, 3> kOperatorGroups{"name", "shape", "stack"};
constexpr std::array<std::string_view, 3> kModuleGroups{"module", "annotation", "kernel"};
constexpr std::array<std::string_view, 2> kMemoryGroups{"device", "operator"};

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
     {"gaps", "The longest gaps, with what the CPU did", {}},
     {"launch", "How late work starts after its launch", {}},
     {"queue", "Launched work that waits, by stream", {}},
     {"copies", "Copies and memsets by direction", {}},
     {"memory", "Allocations that were recorded", kMemoryGroups},
     {"flops", "Operations of matrix products, convolutions and attention", {}}}};

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

Table steps_in(const RangeAnalysis& analysis, const std::stop_token& stop) {
  std::vector<SplitStep> rows = analysis.steps(stop);
  std::erase_if(rows, [&](const SplitStep& row) {
    return row.split.window.begin_ns >= analysis.range().end_ns ||
           row.split.window.end_ns <= analysis.range().begin_ns;
  });
  return step_table(rows);
}

Table operators_by(const RangeAnalysis& analysis, OperatorGrouping grouping, const std::stop_token& stop) {
  const Trace& trace = analysis.trace();
  const OperatorTreePart& tree = analysis.tree(stop);
  if (grouping == OperatorGrouping::name)
    return operator_table(trace, tree, analysis.operators(stop), grouping);
  return operator_table(trace, tree,
                        operator_rows(trace, tree, analysis.operator_groups(grouping, stop), stop), grouping);
}

Table kernels_by(const RangeAnalysis& analysis, KernelGrouping grouping, const std::stop_token& stop) {
  const Trace& trace = analysis.trace();
  if (grouping == KernelGrouping::name) return kernel_table(trace, analysis.kernels(stop), grouping);
  return kernel_table(trace, kernel_rows(trace, analysis.work(stop), analysis.range(), grouping, stop),
                      grouping);
}

Table table_of(const RangeAnalysis& analysis, std::string_view name, std::size_t group,
               const std::stop_token& stop) {
  const Trace& trace = analysis.trace();
  const TimeRange range = analysis.range();
  if (name == "steps") return steps_in(analysis, stop);
  if (name == "operators") return operators_by(analysis, static_cast<OperatorGrouping>(group), stop);
  if (name == "modules") {
    if (group == 1) {
      constexpr ModuleSource kSource = ModuleSource::annotation;
      return module_table(module_tree(trace, analysis.module_calls(kSource, stop),
                                      analysis.module_placers(kSource, stop), kSource, stop));
    }
    const ModuleTree& tree = analysis.modules(stop);
    return group == 2 ? module_kernel_table(trace, tree) : module_table(tree);
  }
  if (name == "key-averages") {
    const auto grouping = static_cast<KeyAverageGrouping>(group);
    return key_average_table(key_averages(trace, range, analysis.work(stop), analysis.key_tree(stop),
                                          analysis.key_groups(grouping, stop), stop),
                             grouping);
  }
  if (name == "kernels") return kernels_by(analysis, static_cast<KernelGrouping>(group), stop);
  if (name == "outliers") return outlier_table(trace, analysis.outliers(stop));
  if (name == "collectives")
    return collective_table(collective_rows(trace, analysis.work(stop), range, stop));
  if (name == "breakdown") return breakdown_table(trace, analysis.breakdown(stop));
  if (name == "kernel-types") return kernel_type_table(trace, analysis.breakdown(stop));
  if (name == "utilization") return gpu_metrics_table(trace, analysis.metrics(stop));
  if (name == "idle") return idle_table(trace, analysis.idle(stop));
  if (name == "gaps") return gap_table(trace, analysis.work(stop), range, 1000, stop);
  if (name == "launch") {
    const GpuWork& work = analysis.work(stop);
    return launch_table(trace, launch_rows(trace, work, stop), work.size());
  }
  if (name == "queue") return queue_table(trace, queue_rows(trace, analysis.work(stop), stop));
  if (name == "copies") return copy_table(copy_rows(trace, analysis.work(stop), range, stop));
  if (name == "memory" && group == 1)
    return memory_operator_table(trace, memory_operators(trace, range, stop));
  if (name == "memory") return memory_device_table(memory_devices(trace, range));
  if (name == "flops") return flops_table(trace, flops_rows(trace, analysis.tree(stop), stop), range);
  return summary_table(trace, summarize_trace(analysis, stop));
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// The cell with all its digits and no unit; empty without a value.
std::string cell_exact(const TableColumn& column, std::uint32_t row) {
  if (const auto* texts = std::get_if<TableColumn::Texts>(&column.values)) return escaped((*texts)[row]);
  if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values)) {
    return std::isfinite((*numbers)[row]) ? formatted("%.17g", (*numbers)[row]) : std::string();
  }
  const std::int64_t value = std::get<TableColumn::Integers>(column.values)[row];
  return value == kNoInteger ? std::string() : std::to_string(value);
}

/// At most so many columns, the middle left out.
std::string shortened(const std::string& text, std::size_t columns) {
  if (columns_of(text) <= columns) return text;
  std::vector<std::size_t> starts;  // of characters
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) starts.push_back(i);
  }
  constexpr std::string_view kGap = "...";
  const std::size_t tail = columns / 4;
  const std::size_t head = columns - tail - kGap.size();
  return text.substr(0, starts[head]) + std::string(kGap) + text.substr(starts[starts.size() - tail]);
}

std::vector<const TableColumn*> shown_columns(const Table& table) {
  std::vector<const TableColumn*> shown;
  for (const TableColumn& column : table.columns) {
    if (!column.export_only) shown.push_back(&column);
  }
  return shown;
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
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
  const auto range = requested_range(analyses, request, {});
  if (!range) return range.error();
  const std::size_t group = request.group.empty() ? 0 : place_of(kOperatorGroups, request.group);
  if (group == kOperatorGroups.size())
    return request_error("The table key-averages cannot be grouped by " + escaped(request.group));
  const auto grouping = static_cast<KeyAverageGrouping>(group);
  const std::string wanted = request.sort.empty() ? "self_cpu_time_total" : request.sort.front();
  const KeyAverageOrder order = key_average_order(wanted);
  if (order == KeyAverageOrder::none)
    return request_error("PyTorch's table has no column " + escaped(wanted));
  const auto limit = static_cast<std::int64_t>(request.limit.value_or(kTextLimit));
  const std::string text = key_averages_text(key_averages(analyses.trace(), range.value(), grouping),
                                             grouping, order, limit == 0 ? -1 : limit);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out += escaped(std::string_view(text).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
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
  if (request.name == "key-averages" && request.format == TableFormat::text)
    return key_averages_output(analyses, request);
  return text_of_rows(compute_table(analyses, request), request);
}

Result<std::string> table_output(const Snapshot& snapshot, const TableRequest& request) {
  if (request.name == "live" && request.format == TableFormat::folded)
    return compute_folded(snapshot, request);
  const CategoryRules rules = read_category_rules(category_rules_path());
  if (!rules.problem.empty()) std::fprintf(stderr, "kinetoscope: %s\n", rules.problem.c_str());
  return text_of_rows(compute_snapshot_table(snapshot, request, rules.rules), request);
}

Result<std::string> table_output(const CommandLine& command, std::size_t& culprit) {
  LoadProgress progress;
  if (command.files.size() == 1) {
    const Result<OpenedFile> first = open_file(command.files.front(), open_options(command), progress, {});
    if (!first.ok()) return first.error();
    const auto* const snapshot = std::get_if<OpenedSnapshot>(&first.value());
    return snapshot != nullptr
               ? table_output(*snapshot->snapshot, command.table)
               : table_output(RangeAnalyses(*std::get<OpenedTrace>(first.value()).trace), command.table);
  }
  Result<OpenedSnapshot> before = open_snapshot(command.files.front(), open_options(command), progress, {});
  if (!before.ok()) return before.error();
  culprit = 1;
  Result<OpenedSnapshot> after = open_snapshot(command.files.back(), open_options(command), progress, {});
  if (!after.ok()) return after.error();
  return text_of_rows(compute_comparison(*before.value().snapshot, *after.value().snapshot, command.table),
                      command.table);
}

}  // namespace

Result<TimeRange> requested_range(const RangeAnalyses& analyses, const TableRequest& request,
                                  const std::stop_token& stop) {
  if (request.range) return *request.range;
  const TimeRange whole = whole_range(analyses.trace());
  if (!request.step) return whole;
  const std::shared_ptr<const RangeAnalysis> analysis = analyses.of(whole);
  const std::string wanted = std::to_string(*request.step);
  std::string known;
  for (const SplitStep& row : analysis->steps(stop)) {
    if (row.slice == kNoSlice) continue;
    if (row.name == wanted) return row.split.window;
    known += (known.empty() ? "" : ", ") + row.name;
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
  const Result<TimeRange> range = requested_range(analyses, request, stop);
  if (!range) return range.error();
  return table_of(*analyses.of(range.value()), request.name, group, stop);
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
    std::vector<std::string>& list = cells.emplace_back();
    std::size_t width = columns_of(column.title);
    for (const std::uint32_t row : rows) {
      // A sentence at the end of a line may be long.
      const bool last = it == shown.back() && column.is_text();
      const bool first = it == shown.front() && row < table.depths.size();
      const std::string text = std::string(first ? 2 * table.depths[row] : 0, ' ') + cell_text(column, row);
      list.push_back(last ? text : shortened(text, kTextColumns));
      width = std::max(width, columns_of(list.back()));
    }
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
      const std::string text = cell_exact(column, row);
      out += (column.is_text() ? csv_quoted(text) : text) + ",";
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
  for (const TableColumn* column : shown) out += " " + column->title + " |";
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
  const Result<std::string> text = table_output(command, culprit);
  if (!text.ok()) {
    const std::string name = command.files[culprit].string();
    std::fprintf(stderr, "kinetoscope: %s\n", error_sentence(text.error(), name).c_str());
    return 1;
  }
  if (std::fputs(text.value().c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    std::fputs("kinetoscope: the table cannot be written to the standard output\n", stderr);
    return 1;
  }
  return 0;
}

}  // namespace kino
