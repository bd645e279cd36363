#include "app/cli/info_command.hpp"

#include <cstdio>
#include <optional>
#include <variant>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/cli/hang_info.hpp"
#include "app/cli/job_info.hpp"
#include "app/cli/snapshot_info.hpp"
#include "app/cli/snapshot_set_info.hpp"
#include "app/cli/trace_info.hpp"
#include "app/cli/trace_info_json.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/platform/process_limits.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/formats/open.hpp"

namespace kino {

std::string choices_text(const ContainedTraces& choices) {
  std::string text;
  for (const ContainedTrace& trace : choices.traces) {
    const std::string size = trace.size_bytes ? text_from_bytes(*trace.size_bytes) : "";
    text += padded_left(size, 10) + "  " + escaped(trace.path.string()) + "\n";
  }
  if (!choices.left_out.empty()) text += "(" + escaped(choices.left_out) + ")\n";
  return text;
}

namespace {

std::string summary_of(const std::filesystem::path& path, const OpenedFile& file, bool json) {
  const std::uint64_t peak = peak_memory_bytes();
  if (const auto* const snapshot = std::get_if<OpenedSnapshot>(&file)) {
    return json ? snapshot_info_json(path, *snapshot, peak) : snapshot_info_text(path, *snapshot, peak);
  }
  if (const auto* const hang = std::get_if<OpenedHang>(&file))
    return json ? hang_info_json(path, *hang->hang) : hang_info_text(path, *hang->hang);
  const auto& trace = std::get<OpenedTrace>(file);
  return json ? info_json(path, trace, peak) : info_text(path, trace, peak);
}

/// Prints the jobs to which the traces belong. Returns the exit code; nullopt if no job has several ranks.
std::optional<int> run_job_info(const InfoCommand& command, const ContainedTraces& choices) {
  const NamedJobs named = read_jobs(command.opening.open_options(), choices);
  if (named.jobs.empty()) {
    if (named.unproved > 1) complain(separate_sentence(named));
    return std::nullopt;
  }
  const std::filesystem::path& path = command.input.files.front();
  const std::string text = command.json ? job_info_json(path, named.jobs, named.problems)
                                        : job_info_text(path, named.jobs, named.problems, command.all_ranks);
  if (!print_output(text, "summary")) return 1;
  return command.strict.on && named.incomplete ? 1 : 0;
}

/// Prints a set of snapshots. Returns the exit code.
int run_snapshot_set_info(const InfoCommand& command, const ContainedTraces& snapshots) {
  const ReadSnapshots read = read_snapshots(command.opening.open_options(), snapshots);
  const std::filesystem::path& path = command.input.files.front();
  const std::filesystem::path name = command.input.files.size() > 1 ? path.parent_path() : path;
  const std::string text = command.json ? snapshot_set_json(name, read) : snapshot_set_text(name, read);
  if (!print_output(text, "summary")) return 1;
  return read.set.members.empty() || (command.strict.on && read.incomplete) ? 1 : 0;
}

/// Prints several files: the ranks of one job, or only snapshots. Returns the exit code.
int run_files_info(const InfoCommand& command) {
  const std::optional<ContainedTraces> ranks = ranks_of_one_job(command.input.files);
  if (const std::optional<int> done = ranks ? run_job_info(command, *ranks) : std::nullopt) return *done;
  if (const std::optional<ContainedTraces> snapshots = as_snapshots(command.input.files))
    return run_snapshot_set_info(command, *snapshots);
  complain("these files are neither ranks of one job nor snapshots");
  return 1;
}

/// Stores the opened trace in the cache if `keep` is set. Returns the exit code.
int kept_if(bool keep, const OpenedFile& opened, const OpenOptions& options, const std::string& file) {
  if (!keep) return 0;
  const std::optional<Error> problem = store_opened(std::get<OpenedTrace>(opened), options, {});
  if (!problem) return 0;
  return fail_with(*problem, file);
}

}  // namespace

void InfoCommand::declare(CLI::App& app) {
  input.add_to(
      app, "A trace, a snapshot, or the folder of a job; or several files: the ranks of a job, or snapshots");
  app.add_flag("--json", json, "Print JSON instead of text");
  app.add_flag("--keep", keep, "Store the trace in the cache afterwards, so that it opens fast");
  app.add_flag("--all", all_ranks, "For a job: list all ranks, not only the ten that caused the most delay");
  strict.add_to(app);
  opening.add_to(app);
}

int InfoCommand::run() const {
  if (input.files.size() > 1) return run_files_info(*this);
  const std::filesystem::path& path = input.files.front();
  LoadProgress progress;
  ContainedTraces choices;
  OpenOptions options = opening.open_options();
  options.choices = &choices;
  bool is_cacheable = false;
  if (keep) options.cache.keep = [&](const OpenedTrace& /*opened*/) { is_cacheable = true; };
  options.cache.least_text_bytes = 0;
  const Result<OpenedFile> opened = open_file(path, options, progress, {});
  if (!opened.ok()) {
    if (opened.error().kind == Error::Kind::several_traces) {
      if (are_snapshots(choices)) return run_snapshot_set_info(*this, choices);
      if (const std::optional<int> done = run_job_info(*this, choices)) return *done;
      print_output(choices_text(choices), "summary");
    }
    return fail_with(opened.error(), path);
  }
  if (rejects_truncated(damage_of(opened.value()), path.string(), strict.on)) return 1;
  if (!print_output(summary_of(path, opened.value(), json), "summary")) return 1;
  if (const auto* const hang = std::get_if<OpenedHang>(&opened.value()))
    return hang_exit_code(*hang->hang, strict.on);
  return kept_if(is_cacheable, opened.value(), options, path.string());
}

}  // namespace kino
