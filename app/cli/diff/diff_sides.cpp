#include "app/cli/diff/diff_sides.hpp"

#include <algorithm>
#include <cmath>

#include "app/cli/command_line/cut_file.hpp"
#include "app/cli/named_jobs.hpp"
#include "app/pages/job/job_texts.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/compare/gate.hpp"
#include "core/tables/compare/layer_changes.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "core/tables/ledger/record_ledgers.hpp"
#include "core/tables/operators/flops_table.hpp"
#include "loaders/cache/ranks/rank_file.hpp"
#include "loaders/formats/chrome_trace/recording_settings.hpp"
#include "loaders/formats/contained_traces.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

/// Returns whether a name matches a pattern of *, ? and plain characters. O(lengths) in typical cases.
bool fits(std::string_view name, std::string_view pattern) {
  std::size_t n = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t again = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] != '*' && pattern[p] == name[n]))) {
      ++n;
      ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      again = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++again;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Returns the files in one folder whose names match the pattern.
Result<std::vector<std::filesystem::path>> matching(const std::filesystem::path& pattern) {
  const std::filesystem::path folder = pattern.has_parent_path() ? pattern.parent_path() : ".";
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder, problem)) {
    if (fits(entry.path().filename().string(), pattern.filename().string())) files.push_back(entry.path());
  }
  if (files.empty()) return Error{Error::Kind::not_found, "No file matches the pattern"};
  std::ranges::sort(files);
  return files;
}

/// Returns whether the result is a record, which a later comparison uses.
bool prints_record(const DiffOptions& request) {
  return request.sides.size() == 1 && request.baseline.empty();
}

/// Returns whether the metric of a condition matches, or a record is printed. A comparison with the record
/// may need any metric.
template <class Matches>
bool wants_metric(const DiffOptions& request, const Matches& matches) {
  return prints_record(request) || std::ranges::any_of(request.fail_if, [&](const std::string& text) {
           const Result<GateCondition> condition = parse_gate(text);
           return condition.ok() && matches(condition.value().metric);
         });
}

/// Returns the model FLOPs utilization in millionths; -1 if it is unknown.
std::int64_t mfu_of(const RangeAnalysis& parts, std::int64_t length_ns) {
  const FlopsReport report = flops_report(parts);
  if (!report.model.peak_known || report.model.flop <= 0 || report.gpus == 0 || length_ns <= 0) return -1;
  if (report.covered() < FlopsReport::kMinCovered) return -1;
  constexpr double kMillionths = 1e6;
  return std::llround(kMillionths * report.model.peak_ns / static_cast<double>(length_ns) / report.gpus);
}

Result<RunRecord> read_run(const DiffCommand& command, const std::filesystem::path& path,
                           const RunSelection& selection) {
  LoadProgress progress;
  const Result<OpenedTrace> opened = open_trace(path, command.opening.open_options(), progress, {});
  if (!opened.ok()) return opened.error();
  const Trace& trace = *opened.value().trace;
  rejects_truncated(trace.damage, path.string(), false);
  RunRecord record = run_record(trace, TimeAttribution(trace, attributed_thread(trace)), selection);
  if (command.options.ledger || wants_metric(command.options, &needs_ledger))
    add_ledgers(trace, record.windows);
  if (command.options.layers || prints_record(command.options))
    record.layers = run_layers(RangeAnalysis(trace, whole_range(trace)), record);
  if (wants_metric(command.options, [](GateMetric metric) { return metric == GateMetric::mfu; })) {
    const RangeAnalyses analyses(trace);
    for (RunWindow& window : record.windows)
      window.counts.mfu_ppm = mfu_of(*analyses.of(window.range), window.length_ns());
  }
  if (opened.value().text) record.facts.settings = recording_settings(*opened.value().text);
  record.name = path.filename().string();
  if (record.windows.empty() ||
      std::ranges::all_of(record.windows, [](const RunWindow& window) { return window.length_ns() <= 0; })) {
    return Error{Error::Kind::not_found,
                 "The trace contains no steps and no GPU work in the requested range"};
  }
  return record;
}

/// If `side` is a folder with jobs, returns the files of the ranks of the largest job, and sets the verdict
/// of `out`. Returns nullopt otherwise.
std::optional<std::vector<std::filesystem::path>> ranks_in(const DiffCommand& command,
                                                           const std::string& side, DiffSide& out) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(side, ignored)) return std::nullopt;
  const Result<ContainedTraces> contained = traces_in_folder(side, {});
  if (!contained.ok() || !are_ranks(contained.value())) return std::nullopt;
  const NamedJobs named = read_jobs(command.opening.open_options(), contained.value());
  if (named.jobs.empty()) return std::nullopt;
  const NamedJob& largest = *chosen_job(named, side, 1);
  const JobAnalysis& job = *largest.analysis;
  const std::string reason = verdict_reason(job);
  out.verdict = verdict_title(job) + (reason.empty() ? "" : ". " + reason);
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& file : largest.files) {
    // the trace itself is read: its digest alone is not sufficient
    files.push_back(trace_of_rank_file(file));
  }
  return files;
}

}  // namespace

Result<std::vector<std::filesystem::path>> files_of_side(const std::string& side) {
  std::error_code ignored;
  if (std::filesystem::is_directory(side, ignored)) {
    const Result<ContainedTraces> contained = traces_in_folder(side, {});
    if (!contained.ok()) return contained.error();
    std::vector<std::filesystem::path> files;
    for (const ContainedTrace& trace : contained.value().traces) files.push_back(trace.path);
    if (files.empty()) return Error{Error::Kind::not_found, "The folder contains no trace or snapshot"};
    return files;
  }
  if (!std::filesystem::exists(side, ignored) && side.find_first_of("*?") != std::string::npos)
    return matching(side);
  return std::vector<std::filesystem::path>{side};
}

bool is_snapshot_file(const std::filesystem::path& path) {
  OpenOptions options;
  options.traces = false;
  options.cache.look = false;
  LoadProgress progress;
  const Result<OpenedFile> opened = open_file(path, options, progress, {});
  return opened.ok();
}

Result<DiffSide> read_side(const DiffCommand& command, const std::string& side, const RunSelection& selection,
                           std::string& straggler) {
  straggler = side;
  DiffSide out;
  out.name = std::filesystem::path(side).filename().string();
  if (out.name.empty()) out.name = side;
  std::vector<std::filesystem::path> files;
  if (std::optional<std::vector<std::filesystem::path>> ranks = ranks_in(command, side, out)) {
    files = std::move(*ranks);
    out.job = true;
  } else {
    Result<std::vector<std::filesystem::path>> found = files_of_side(side);
    if (!found.ok()) return found.error();
    files = std::move(found).value();
  }
  for (const std::filesystem::path& file : files) {
    straggler = file.string();
    Result<RunRecord> run = read_run(command, file, selection);
    if (!run.ok()) return run.error();
    const bool wanted = !command.options.rank || run.value().facts.rank == *command.options.rank || !out.job;
    if (wanted) out.runs.push_back(std::move(run).value());
  }
  if (out.runs.empty()) {
    straggler = side;
    return Error{Error::Kind::not_found,
                 "Rank " + std::to_string(command.options.rank.value_or(-1)) + " does not exist"};
  }
  if (command.options.rank) out.job = false;
  std::ranges::stable_sort(out.runs, {},
                           [&](const RunRecord& record) { return out.job ? record.facts.rank : 0; });
  return out;
}

}  // namespace kino
