#include "app/cli/diff/diff_command.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/diff/diff_json.hpp"
#include "app/cli/diff/diff_report.hpp"
#include "app/cli/diff/diff_sides.hpp"
#include "app/cli/diff/diff_text.hpp"
#include "app/cli/diff/snapshot_diff.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {
namespace {

constexpr std::size_t kLeastRuns = 4;
constexpr std::uintmax_t kMostRecordBytes = std::uintmax_t{1} << 30U;

RunSelection selection_of(const DiffOptions& request, const DiffOptions::Steps& steps) {
  RunSelection selection;
  selection.first_step = steps.first;
  selection.end_step = steps.end;
  selection.drop_last = request.drop_last;
  selection.modules = request.by == "module";
  return selection;
}

Result<DiffSide> side_of_record(const std::filesystem::path& path) {
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  std::ifstream file(path, std::ios::binary);
  if (problem || !file) return Error{Error::Kind::not_found, "The baseline cannot be read"};
  if (size > kMostRecordBytes) return Error{Error::Kind::too_large, "The file is too large for a baseline"};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Result<StoredRuns> stored = stored_runs(text);
  if (!stored.ok()) return stored.error();
  DiffSide side;
  side.name = stored.value().name;
  side.runs = std::move(stored.value().runs);
  side.job = stored.value().job;
  side.from_record = true;
  return side;
}

/// Returns the run of `rank` in a job; the first run if the job has no such rank.
const RunRecord& rank_of(const DiffSide& job, std::int64_t rank) {
  const auto found =
      std::ranges::find(job.runs, rank, [](const RunRecord& record) { return record.facts.rank; });
  return found == job.runs.end() ? job.runs.front() : *found;
}

/// Returns one record for a side; if the side is a job, the record of one rank.
RunRecord whole_of(const DiffSide& side, bool runs_are_samples, std::int64_t rank) {
  if (side.runs.size() == 1) return side.runs.front();
  if (side.job) return rank_of(side, rank);
  return runs_are_samples ? record_of_runs(side.runs) : record_of_steps(side.runs);
}

/// Returns the relative change of median steps that 95 % of the pairs of runs do not exceed.
std::optional<double> measured_noise(const DiffSide& side) {
  const RunRecord medians = record_of_runs(side.runs);
  std::vector<double> changes;
  for (std::size_t i = 0; i < medians.windows.size(); ++i) {
    for (std::size_t j = i + 1; j < medians.windows.size(); ++j) {
      const auto a = static_cast<double>(medians.windows[i].length_ns());
      const auto b = static_cast<double>(medians.windows[j].length_ns());
      if (a > 0) changes.push_back(std::abs(b / a - 1));
    }
  }
  if (changes.empty()) return std::nullopt;
  std::ranges::sort(changes);
  const auto at = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(changes.size())));
  return changes[std::max<std::size_t>(at, 1) - 1];
}

std::string format_percent(double share) { return formatted("%.2f %%", share * 100); }

StepBase base_of(const RunRecord& whole) {
  StepBase base;
  if (whole.has_steps) {
    for (const RunWindow& window : whole.windows) base.used.push_back(window.name);
  }
  base.stubs = whole.stubs_left_out;
  base.first = whole.first_left_out;
  return base;
}

/// Returns a text such as "6 to 10, 12".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMostParts = 12;
  const auto number = [](const std::string& name) { return std::strtoll(name.c_str(), nullptr, 10); };
  std::string text;
  std::size_t parts = 0;
  for (std::size_t i = 0; i < names.size();) {
    std::size_t end = i + 1;
    while (end < names.size() && number(names[end]) == number(names[end - 1]) + 1) ++end;
    if (++parts > kMostParts) return text + ", ...";
    text += (text.empty() ? "" : ", ") + names[i];
    if (end > i + 1) text += (end > i + 2 ? " to " : ", ") + names[end - 1];
    i = end;
  }
  return text;
}

/// Adds notes on the steps of a side that are used, and on the steps left out.
void add_base_notes(const char* side, const RunRecord& whole, const DiffSide& read, DiffReport& report) {
  const auto note = [&](const std::string& text) { report.notes.push_back(std::string(side) + ": " + text); };
  if (!whole.has_steps) return note("no steps are marked, so the whole trace is one sample");
  if (read.job || read.runs.size() == 1) {
    std::vector<std::string> names;
    for (const RunWindow& window : whole.windows) names.push_back(window.name);
    std::string text = (names.size() == 1 ? "step " : "steps ") + listed(names);
    for (const std::string& why : english_texts(whole.step_notes))
      text += ". " + why.substr(0, why.size() - 1);
    note(text);
  } else {
    std::string text =
        std::to_string(read.runs.size()) + " runs of " + (whole.of_runs ? "median" : "all") + " steps";
    if (whole.first_left_out.value_or(0) > 0) {
      text += "; first steps excluded because they contain work launched before the recording: " +
              std::to_string(*whole.first_left_out);
    }
    if (whole.stubs_left_out > 0) {
      text += "; steps excluded because hardly any GPU work starts in them: " +
              std::to_string(whole.stubs_left_out);
    }
    note(text);
  }
  if (!whole.first_left_out && whole.facts.gpu_work > 0) {
    note(
        "this record was stored by an earlier version, which did not exclude first steps with work launched "
        "before the recording; store the record again to compare the same steps");
  }
}

void add_ranks(const DiffSide& a, const DiffSide& b, const CompareOptions& options, DiffReport& report) {
  if (!a.job || !b.job) return;
  report.job_lines.push_back(report.job.sentence().str());
  report.ranks = compare_ranks(a.runs, b.runs, options);
  if (!a.verdict.empty()) report.job_lines.push_back("waiting, A: " + a.verdict);
  if (!b.verdict.empty()) report.job_lines.push_back("waiting, B: " + b.verdict);
}

DiffReport compared(const DiffCommand& command, const DiffSide& a, const DiffSide& b, double noise) {
  const DiffOptions& request = command.options;
  DiffReport report;
  report.name_a = a.name;
  report.name_b = b.name;
  const bool several = (!a.job && a.runs.size() > 1) || (!b.job && b.runs.size() > 1);
  const bool runs_are_samples = several && a.runs.size() >= kLeastRuns && b.runs.size() >= kLeastRuns;
  if (a.job && b.job) report.job = job_change(a.runs, b.runs);
  const std::int64_t rank = a.job && b.job ? report.job.head : (a.job ? b : a).runs.front().facts.rank;
  const RunRecord whole_a = whole_of(a, runs_are_samples, rank);
  const RunRecord whole_b = whole_of(b, runs_are_samples, rank);
  if (several && !runs_are_samples) {
    report.notes.emplace_back(
        "fewer than 4 runs on a side, so steps are the samples, and only the noise within runs is measured");
  } else if (a.job && b.job) {
    report.notes.push_back(
        "each rank is compared with the same rank; steps, causes and kernels are those of rank " +
        std::to_string(rank));
  } else if (a.job || b.job) {
    report.notes.push_back("rank " + std::to_string((a.job ? whole_a : whole_b).facts.rank) +
                           " of the job is compared");
  }
  if (!several) {
    report.notes.push_back(std::string(a.job || b.job ? "one job" : "one trace") +
                           " per side shows only the noise within a run");
  }
  CompareOptions options;
  options.key = run_key_named(request.by).value_or(RunKey::name);
  options.noise = noise;
  options.force = request.force;
  options.join_loaders = true;
  options.same_file =
      !a.from_record && request.sides.size() == 2 && request.sides[0] == request.sides[1] &&
      whole_a.windows.size() == whole_b.windows.size() &&
      std::ranges::equal(whole_a.windows, whole_b.windows, {}, &RunWindow::range, &RunWindow::range);
  report.comparison = compare_runs(whole_a, whole_b, options);
  report.base_a = base_of(whole_a);
  report.base_b = base_of(whole_b);
  add_base_notes("A", whole_a, a, report);
  add_base_notes("B", whole_b, b, report);
  if (whole_a.windows.size() == 1 || whole_b.windows.size() == 1)
    report.notes.emplace_back("one side has only one sample: no test was possible");
  add_ranks(a, b, options, report);
  if (request.ledger) {
    if (const Message reason = reason_without_ledger(whole_a, whole_b); !reason.empty())
      report.notes.push_back("no step ledger: " + reason.str());
  }
  if (request.layers) {
    for (const auto& [whole, side] : {std::pair{&whole_a, "A"}, std::pair{&whole_b, "B"}}) {
      if (!whole->layers) report.notes.push_back(Message(msg::layers_were_not_stored, side).str());
    }
  } else {
    report.comparison.layers.reset();
  }
  if (report.comparison.verdict == RunVerdict::not_comparable) return report;
  for (const std::string& text : request.fail_if) {
    Result<GateCondition> condition = parse_gate(text);
    if (!condition.ok()) continue;  // invalid conditions were reported before reading
    report.outcomes.push_back(check_gate(condition.value(), whole_a, whole_b, report.comparison));
  }
  return report;
}

std::string written(const DiffReport& report, DiffFormat format) {
  switch (format) {
    case DiffFormat::markdown:
      return diff_markdown(report);
    case DiffFormat::json:
      return diff_json(report);
    case DiffFormat::junit:
      return diff_junit(report);
    case DiffFormat::text:
      break;
  }
  return diff_text(report);
}

int print(const std::string& text, int code) { return print_output(text, "comparison") ? code : 1; }

/// Returns the noise as a fraction: the default, --noise, or the value measured by --noise-from, which is
/// added to `note`. On failure, `straggler` is the path to report.
Result<double> noise_of(const DiffCommand& command, std::string& straggler, std::string& note) {
  const DiffOptions& request = command.options;
  double noise = request.noise_percent / 100;
  if (request.noise_from.empty()) return noise;
  const Result<DiffSide> side =
      read_side(command, request.noise_from.string(), selection_of(request, {}), straggler);
  if (!side.ok()) return side.error();
  const std::optional<double> measured = measured_noise(side.value());
  if (!measured) {
    straggler = request.noise_from.string();
    return Error{Error::Kind::not_found, "--noise-from needs at least two runs"};
  }
  note = "noise measured from " + std::to_string(side.value().runs.size()) +
         " runs: " + format_percent(*measured);
  return *measured;
}

}  // namespace

void DiffCommand::declare(CLI::App& app) {
  options.add_to(app);
  opening.add_to(app);
}

int DiffCommand::run() const {
  if (options.baseline.empty()) {
    if (const std::optional<int> done = run_snapshot_diff(*this)) return *done;
  }
  std::vector<GateCondition> conditions;
  for (const std::string& text : options.fail_if) {
    Result<GateCondition> condition = parse_gate(text);
    if (!condition.ok()) return fail_with(condition.error(), text);
    conditions.push_back(std::move(condition).value());
  }
  std::string straggler;
  std::string note;
  const Result<double> noise = noise_of(*this, straggler, note);
  if (!noise.ok()) return fail_with(noise.error(), straggler);
  const bool recorded = !options.baseline.empty();
  if (recorded) straggler = options.baseline.string();
  const Result<DiffSide> a =
      recorded ? side_of_record(options.baseline)
               : read_side(*this, options.sides.front(), selection_of(options, options.steps_a), straggler);
  if (!a.ok()) return fail_with(a.error(), straggler);
  if (!recorded && options.sides.size() == 1)
    return print(record_json(a.value().name, a.value().runs, a.value().job), 0);
  const Result<DiffSide> b =
      read_side(*this, options.sides.back(), selection_of(options, options.steps_b), straggler);
  if (!b.ok()) return fail_with(b.error(), straggler);
  if (a.value().job && b.value().job && job_change(a.value().runs, b.value().runs).head < 0)
    return fail_with({Error::Kind::not_found, "The jobs have no rank in common"}, straggler);
  DiffReport report = compared(*this, a.value(), b.value(), noise.value());
  report.conditions = std::move(conditions);
  if (!note.empty()) report.notes.push_back(note);
  return print(written(report, options.format), report.exit_code(options.strict));
}

}  // namespace kino
