#include "app/cli/report/report_command.hpp"

#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/cli/named_jobs.hpp"
#include "app/cli/report/hang_report.hpp"
#include "app/cli/report/job_report.hpp"
#include "app/cli/report/report_page.hpp"
#include "app/cli/report/snapshot_report.hpp"
#include "app/cli/screenshot_command.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "app/system/atomic_file.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

std::string page_of_trace(const OpenedTrace& opened, const ReportCommand& command) {
  const std::filesystem::path& path = command.input.file;
  Error no_picture{Error::Kind::not_found, "standard input cannot be read twice"};
  std::string picture;
  if (path != "-") {
    ScreenshotCommand drawn;
    drawn.opening = command.opening;
    drawn.input.file = path;
    drawn.picture.dark = false;
    Result<std::string> png = drawn.png();
    if (png.ok()) {
      picture = std::move(png).value();
    } else {
      no_picture = png.error();
    }
  }
  return report_page(RangeAnalyses(*opened.trace, kernel_categories()), path.filename().string(), picture,
                     "The timeline was not drawn: " + no_picture.what.str() + ".");
}

int written(const ReportCommand& command, const std::string& page) {
  if (auto error = write_file_atomically(command.output.file, page, Durability::process_crash))
    return fail_with(*error, command.output.file);
  return 0;
}

/// Writes the report of the job to which the traces belong. Returns the exit code; nullopt if there is no
/// job.
std::optional<int> report_job(const ReportCommand& command, const ContainedTraces& contained) {
  const NamedJobs named =
      read_jobs(command.opening.open_options(), contained, RankDetails::ledger_and_layers);
  if (named.jobs.empty()) return std::nullopt;
  const NamedJob* const job = chosen_job(named, command.input.file, command.job.number);
  if (job == nullptr || (command.strict.on && named.incomplete)) return 1;
  std::filesystem::path path = command.input.file;
  if (!path.has_filename()) path = path.parent_path();
  return written(command, job_report(*job, path.filename().string(), named.problems));
}

}  // namespace

void ReportCommand::declare(CLI::App& app) {
  input.add_to(app, "The trace, allocator snapshot or folder of a job to report on");
  output.add_to(app, "The HTML file to write; it needs no other files");
  job.add_to(app);
  strict.add_to(app);
  opening.add_to(app);
}

int ReportCommand::run() const {
  if (folder_missing(output.file)) return 1;
  const std::filesystem::path& path = input.file;
  LoadProgress progress;
  ContainedTraces contained;
  OpenOptions options = opening.open_options();
  options.choices = &contained;
  const Result<OpenedFile> opened = open_file(path, options, progress, {});
  if (!opened.ok()) {
    if (opened.error().kind == Error::Kind::several_traces) {
      if (const std::optional<int> done = report_job(*this, contained)) return *done;
    }
    return fail_with(opened.error(), path);
  }
  const auto* const snapshot = std::get_if<OpenedSnapshot>(&opened.value());
  if (rejects_truncated(damage_of(opened.value()), path.string(), strict.on)) return 1;
  std::string page;
  if (const auto* const hang = std::get_if<OpenedHang>(&opened.value())) {
    page = hang_report(*hang->hang, (path.has_filename() ? path : path.parent_path()).filename().string());
  } else if (snapshot != nullptr) {
    page =
        snapshot_report(*snapshot->snapshot, path.filename().string(), category_rules_or_complaint().rules);
  } else {
    page = page_of_trace(std::get<OpenedTrace>(opened.value()), *this);
  }
  return written(*this, page);
}

}  // namespace kino
