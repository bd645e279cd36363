#include "app/cli/table_command.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/cache_after.hpp"
#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/cli/command_line/table_columns.hpp"
#include "app/cli/job_traces.hpp"
#include "app/cli/named_jobs.hpp"
#include "app/cli/snapshot_set_info.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "app/ui/text/table_text.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/terminal_text.hpp"
#include "core/critical/critical_tables.hpp"
#include "core/job/flight/hang_tables.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/memory/snapshot_set/snapshot_set_tables.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/operators/key_averages.hpp"
#include "core/tables/table_kind.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

KeyAverageOrder key_average_order(std::string_view name) {
  constexpr std::string_view kNames[] = {// in the order of KeyAverageOrder
                                         "",
                                         "cpu_time_total",
                                         "self_cpu_time_total",
                                         "cuda_time_total",
                                         "self_cuda_time_total",
                                         "cpu_memory_usage",
                                         "self_cpu_memory_usage",
                                         "cuda_memory_usage",
                                         "self_cuda_memory_usage",
                                         "count"};
  const auto* const found = std::ranges::find(kNames, name);
  return found == std::end(kNames) ? KeyAverageOrder::none : static_cast<KeyAverageOrder>(found - kNames);
}

/// Returns the table in the form that PyTorch prints, escaped line by line.
Result<std::string> key_averages_output(const RangeAnalyses& analyses, const TableRequest& request) {
  const auto requested = requested_analysis(analyses, request, {});
  if (!requested) return requested.error();
  const std::optional<std::size_t> group = kKeyAverageTable.group_named(request.group);
  if (!group) return request_error("The table key-averages cannot be grouped by " + escaped(request.group));
  const auto grouping = static_cast<KeyAverageGrouping>(*group);
  const std::string sort_key = request.sort.empty() ? "self_cpu_time_total" : request.sort.front();
  const KeyAverageOrder order = key_average_order(sort_key);
  if (order == KeyAverageOrder::none)
    return request_error("PyTorch's table has no column " + escaped(sort_key));
  const auto limit = static_cast<std::int64_t>(request.limit.value_or(kTextRows));
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
  if (const Message note = clipped_note(analyses.trace(), request); !note.empty()) out += note.str() + "\n";
  return out;
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

/// Prints the table in pieces, without holding its whole text in memory. The caller checks stdout for write
/// errors.
std::optional<Error> print_rows(const Result<Table>& made, const TableRequest& request) {
  if (!made.ok()) return made.error();
  const Table& table = made.value();
  const Result<std::vector<std::uint32_t>> rows = chosen_rows(table, request);
  if (!rows) return rows.error();
  switch (request.format) {
    case TableFormat::csv:
      write_table_csv(table, rows.value(), print);
      break;
    case TableFormat::json:
      write_table_json(table, rows.value(), print);
      break;
    case TableFormat::markdown:
      write_table_markdown(table, rows.value(), print);
      break;
    case TableFormat::folded:
      return request_error("Only live memory of a snapshot can be written as folded stacks");
    case TableFormat::text:
      write_table_text(table, rows.value(), print);
      break;
  }
  return std::nullopt;
}

std::optional<Error> print_text(const Result<std::string>& text) {
  if (!text.ok()) return text.error();
  print(text.value());
  return std::nullopt;
}

std::optional<Error> print_table(const RangeAnalyses& analyses, const TableRequest& request) {
  const TableInfo* const kind = kind_named(table_kinds(), request.name);
  if (kind == nullptr && kind_named(snapshot_table_kinds(), request.name) != nullptr)
    return request_error("The table " + request.name + " is for allocator snapshots, but this is a trace");
  if (!request.at.empty() || !request.since.empty() || !request.find.empty() || request.device) {
    return request_error(
        "--at, --since, --find and --device are for allocator snapshots, but this is a trace");
  }
  const bool takes_settings = kind != nullptr && kind->supports.settings;
  if (!request.settings.empty() && !takes_settings)
    return request_error("--set applies to what-if, and to allocator snapshots, but this is a trace");
  if (request.name == kKeyAverageTable.name && request.format == TableFormat::text)
    return print_text(key_averages_output(analyses, request));
  return print_rows(compute_table(analyses, request), request);
}

std::optional<Error> print_table(const Snapshot& snapshot, const TableRequest& request) {
  if (request.name == kLiveTable.name && request.format == TableFormat::folded)
    return print_text(compute_folded(snapshot, request));
  const CategoryRules rules = category_rules_or_complaint();
  return print_rows(compute_snapshot_table(snapshot, request, rules.rules), request);
}

/// Prints a table for which the traces of all ranks are read again.
std::optional<Error> print_job_trace_table(const TableCommand& command, const NamedJob& job,
                                           const ContainedTraces& contained) {
  const TableRequest& request = command.table.request;
  const TableInfo* const kind = kind_named(job_trace_table_kinds(), request.name);
  if (!request.settings.empty() && !kind->supports.settings)
    return request_error("For a job, --set applies to what-if, but the table is " + request.name);
  const auto read = read_traces(job, contained, command.opening.open_options());
  if (!read.ok()) return read.error();
  std::vector<const Trace*> traces;
  traces.reserve(read.value().size());
  for (const std::shared_ptr<const Trace>& trace : read.value()) traces.push_back(trace.get());
  return print_rows(job_trace_table({*job.analysis, traces}, request), request);
}

/// Prints a table of one job among the contained files. Returns nullopt if the table is not for jobs, or if
/// there is no job. Returns false if a failure is already reported.
std::optional<Result<bool>> print_job_table(const TableCommand& command, const ContainedTraces& contained) {
  const bool of_traces = kind_named(job_trace_table_kinds(), command.table.request.name) != nullptr;
  const TableInfo* const kind = kind_named(job_table_kinds(), command.table.request.name);
  const bool only_memory = std::ranges::all_of(contained.traces, &ContainedTrace::snapshot);
  if (kind == nullptr && (!of_traces || only_memory)) return std::nullopt;
  const bool detailed = kind == &kJobLedgerTable || kind == &kJobLayerTable;
  const NamedJobs named = read_jobs(command.opening.open_options(), contained,
                                    detailed ? RankDetails::ledger_and_layers : RankDetails::none);
  if (named.jobs.empty()) return std::nullopt;
  const NamedJob* const chosen =
      chosen_job(named, command.table.input.files.front(), command.table.job.number);
  if (chosen == nullptr || (command.strict.on && named.incomplete)) return false;
  const NamedJob& job = *chosen;
  if (of_traces) {
    if (std::optional<Error> error = print_job_trace_table(command, job, contained)) return std::move(*error);
    return true;
  }
  std::vector<std::string> names;
  for (const std::filesystem::path& file : job.files) names.push_back(file.filename().string());
  if (std::optional<Error> error =
          print_rows(job_table({*job.analysis, names}, command.table.request), command.table.request))
    return std::move(*error);
  return true;
}

bool is_of_set(const TableCommand& command) {
  return kind_named(snapshot_set_table_kinds(), command.table.request.name) != nullptr;
}

/// Reorders `sizes` from the order of the files on the command line to the order of `contained`. Keeps the
/// order for a folder or archive. Fails if there are not as many sizes as files.
std::optional<Error> sizes_by_source(const TableCommand& command, const ContainedTraces& contained,
                                     std::vector<std::uint64_t>& sizes) {
  if (sizes.empty()) return std::nullopt;
  const std::size_t count = contained.traces.size();
  if (sizes.size() != count) {
    return request_error("--batch has " + std::to_string(sizes.size()) + " sizes, but there are " +
                         std::to_string(count) + " snapshots");
  }
  if (command.table.input.files.size() != count) return std::nullopt;
  std::vector<std::uint64_t> ordered;
  for (const ContainedTrace& trace : contained.traces) {
    const auto given = std::ranges::find(command.table.input.files, trace.path);
    if (given == command.table.input.files.end()) return std::nullopt;
    ordered.push_back(sizes[static_cast<std::size_t>(given - command.table.input.files.begin())]);
  }
  sizes = std::move(ordered);
  return std::nullopt;
}

/// Prints a table of the snapshots among the contained files. Returns false if a failure is already reported.
Result<bool> print_snapshot_set_table(const TableCommand& command, const ContainedTraces& contained) {
  const ContainedTraces snapshots = only_snapshots(contained);
  if (snapshots.traces.empty()) return request_error("None of these files is a snapshot");
  const ReadSnapshots read = read_snapshots(command.opening.open_options(), snapshots);
  for (const std::string& problem : read.problems) complain(escaped(problem));
  if (read.set.members.empty() || (command.strict.on && read.incomplete)) return false;
  TableRequest request = command.table.request;
  if (std::optional<Error> error = sizes_by_source(command, snapshots, request.sizes))
    return std::move(*error);
  if (std::optional<Error> error = print_rows(snapshot_set_table(read.set, request), request))
    return std::move(*error);
  return true;
}

/// Prints a table of a set of snapshots; a single snapshot also counts as a set.
Result<bool> print_snapshot_set_table(const TableCommand& command) {
  if (command.table.input.files.size() > 1) {
    const std::optional<ContainedTraces> given = as_snapshots(command.table.input.files);
    if (!given) return request_error("Some of these files are not snapshots");
    return print_snapshot_set_table(command, *given);
  }
  const std::filesystem::path& path = command.table.input.files.front();
  ContainedTraces contained;
  const Result<FileFacts> facts = file_facts(path);
  if (facts && facts.value().type == FileType::folder) {
    Result<ContainedTraces> found = traces_in_folder(path, {});
    if (!found.ok()) return found.error();
    return print_snapshot_set_table(command, found.value());
  }
  LoadProgress progress;
  OpenOptions options = command.opening.open_options();
  options.choices = &contained;
  const Result<OpenedSnapshot> one = open_snapshot(path, options, progress, {});
  if (!one.ok() && one.error().kind == Error::Kind::several_traces)
    return print_snapshot_set_table(command, contained);
  if (!one.ok()) return one.error();
  contained.traces.push_back({.path = path,
                              .name = path.filename().string(),
                              .size_bytes = std::nullopt,
                              .rank = rank_in_name(path.filename().string()),
                              .snapshot = true});
  return print_snapshot_set_table(command, contained);
}

/// Returns the request with the trace of --capture, if it was given.
Result<TableRequest> with_captures(const TableCommand& command) {
  TableRequest request = command.table.request;
  const std::filesystem::path& path = command.table.capture;
  if (path.empty()) return request;
  LoadProgress progress;
  Result<OpenedTrace> opened = open_trace(path, command.opening.open_options(), progress, {});
  if (!opened.ok()) {
    std::string problem = "Captures cannot be read from ";
    problem.append(escaped(path.string())).append(": ").append(opened.error().what.str());
    return request_error(problem);
  }
  request.captures = opened.value().trace;
  return request;
}

/// Prints a table of an opened file.
std::optional<Error> print_table(const OpenedFile& file, const TableRequest& request) {
  if (const auto* const hang = std::get_if<OpenedHang>(&file))
    return print_rows(hang_table(*hang->hang, request), request);
  if (const auto* const snapshot = std::get_if<OpenedSnapshot>(&file))
    return print_table(*snapshot->snapshot, request);
  return print_table(RangeAnalyses(*std::get<OpenedTrace>(file).trace), request);
}

/// Returns an error that names an option which the table does not support.
std::optional<Error> unsuited_option(const TableCommandOptions& options) {
  const TableRequest& request = options.request;
  const TableInfo* const kind = kind_named(table_kinds(), request.name);
  const TableOptions supports = kind != nullptr ? kind->supports : TableOptions{};
  const IterationQuery& iterations = request.iterations;
  const char* unsuited = nullptr;
  if (!request.sizes.empty() && request.name != kBatchTable.name && !supports.iterations) {
    unsuited = "--batch";
  } else if (!options.capture.empty() && !supports.captures) {
    unsuited = "--capture";
  } else if (supports.iterations) {
    return std::nullopt;
  } else if (iterations.source != IterationSourceChoice::automatic) {
    unsuited = "--source";
  } else if (!iterations.phase.empty()) {
    unsuited = "--phase";
  } else if (iterations.keep_all || iterations.used_only) {
    unsuited = iterations.keep_all ? "--all" : "--steady";
  }
  if (unsuited == nullptr) return std::nullopt;
  std::string problem = unsuited;
  return request_error(problem.append(" does not apply to the table ").append(request.name));
}

/// Prints a table. Returns false if a failure is already reported, such as a truncated file that --strict
/// refuses. On other failures, `straggler` is the index of the failed file.
Result<bool> print_table(const TableCommand& command, std::size_t& straggler,
                         std::optional<CacheAfter>& keep_after) {
  LoadProgress progress;
  const auto refused = [&](const DamageLog& damage) {
    return rejects_truncated(damage, command.table.input.files[straggler].string(), command.strict.on);
  };
  const auto printed = [](std::optional<Error> error) -> Result<bool> {
    if (error) return std::move(*error);
    return true;
  };
  if (command.table.request.columns)
    return printed(print_text(table_columns_text(command.table.request.name, command.table.request.format)));
  if (std::optional<Error> unsuited = unsuited_option(command.table)) return std::move(*unsuited);
  if (is_of_set(command)) return print_snapshot_set_table(command);
  if (command.table.input.files.size() == 1) {
    ContainedTraces contained;
    OpenOptions options = command.opening.open_options();
    options.choices = &contained;
    keep_after.emplace(options);
    // The table's name decides what to open: a folder may contain both the dumps and the traces of a job.
    options.dumps = kind_named(hang_table_kinds(), command.table.request.name) != nullptr;
    const Result<OpenedFile> first = open_file(command.table.input.files.front(), options, progress, {});
    if (!first.ok() && first.error().kind == Error::Kind::several_traces) {
      if (const std::optional<Result<bool>> done = print_job_table(command, contained)) return *done;
    }
    if (!first.ok()) return first.error();
    if (refused(damage_of(first.value()))) return false;
    const Result<TableRequest> request = with_captures(command);
    if (!request.ok()) return request.error();
    return printed(print_table(first.value(), request.value()));
  }
  if (command.table.request.name != kCompareTable.name) {
    const std::optional<ContainedTraces> ranks = ranks_of_one_job(command.table.input.files);
    if (!ranks) return request_error("These files are not ranks of one job");
    if (const std::optional<Result<bool>> done = print_job_table(command, *ranks)) return *done;
    return request_error("The table " + command.table.request.name + " needs exactly one file");
  }
  Result<OpenedSnapshot> before =
      open_snapshot(command.table.input.files.front(), command.opening.open_options(), progress, {});
  if (!before.ok()) return before.error();
  if (refused(before.value().snapshot->damage)) return false;
  straggler = 1;
  Result<OpenedSnapshot> after =
      open_snapshot(command.table.input.files.back(), command.opening.open_options(), progress, {});
  if (!after.ok()) return after.error();
  if (refused(after.value().snapshot->damage)) return false;
  const CategoryRules rules = category_rules_or_complaint();
  return printed(print_rows(compute_comparison(*before.value().snapshot, *after.value().snapshot,
                                               command.table.request, rules.rules),
                            command.table.request));
}

}  // namespace

void TableCommand::declare(CLI::App& app) {
  table.add_to(app);
  strict.add_to(app);
  opening.add_to(app);
}

std::string TableCommand::more_help() const {
  if (table.request.name.empty()) return {};
  const Result<std::string> text = table_columns_text(table.request.name, TableFormat::text);
  return text.ok() ? "\nColumns of the table " + table.request.name + ". " + text.value() : "";
}

int TableCommand::run() const {
  std::size_t straggler = 0;
  std::optional<CacheAfter> keep_after;
  const Result<bool> printed = print_table(*this, straggler, keep_after);
  if (!printed.ok()) {
    const std::string name =
        table.input.files.empty() ? table.request.name : table.input.files[straggler].string();
    const int failed = fail_with(printed.error(), name);
    constexpr int kUnexplained = 3;
    return printed.error().kind == Error::Kind::unexplained ? kUnexplained : failed;
  }
  if (!printed.value() || !output_written("table")) return 1;
  if (keep_after) keep_after->keep();
  return 0;
}

}  // namespace kino
