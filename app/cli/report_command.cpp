#include "app/cli/report_command.hpp"

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "app/cli/cut_file.hpp"
#include "app/cli/hang_report.hpp"
#include "app/cli/job_report.hpp"
#include "app/cli/named_jobs.hpp"
#include "app/cli/report_page.hpp"
#include "app/cli/screenshot_command.hpp"
#include "app/cli/snapshot_report.hpp"
#include "app/shell/settings/category_rules.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "app/system/atomic_file.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

int failed(const Error& error, const std::string& file) {
  std::fprintf(stderr, "kinetoscope: %s\n", error_sentence(error, file).c_str());
  return 1;
}

std::string page_of_trace(const OpenedTrace& opened, const CommandLine& command) {
  const std::filesystem::path& path = command.files.front();
  Error no_picture{Error::Kind::not_found, "the standard input is not there a second time to draw it"};
  std::string picture;
  if (path != "-") {
    CommandLine drawn = command;
    if (!drawn.dark) drawn.dark = false;
    Result<std::string> png = screenshot_png(drawn);
    if (png.ok()) {
      picture = std::move(png).value();
    } else {
      no_picture = png.error();
    }
  }
  return report_page(RangeAnalyses(*opened.trace, kernel_categories()), path.filename().string(), picture,
                     "There is no picture of the timeline: " + no_picture.what.str() + ".");
}

int written(const CommandLine& command, const std::string& page) {
  if (auto error = write_file_atomically(command.output, page, Durability::process_crash))
    return failed(*error, command.output.string());
  return 0;
}

/// Of the job that the traces are ranks of; nothing when they are of none.
std::optional<int> report_job(const CommandLine& command, const ContainedTraces& contained) {
  const NamedJobs named = read_jobs(command, contained);
  if (named.jobs.empty()) return std::nullopt;
  const NamedJob* const job = chosen_job(named, command.files.front(), command.job);
  if (job == nullptr || (command.strict && named.incomplete)) return 1;
  std::filesystem::path path = command.files.front();
  if (!path.has_filename()) path = path.parent_path();
  return written(command, job_report(*job, path.filename().string(), named.problems));
}

}  // namespace

int run_report_command(const CommandLine& command) {
  const std::filesystem::path& path = command.files.front();
  LoadProgress progress;
  ContainedTraces contained;
  OpenOptions options = open_options(command);
  options.choices = &contained;
  const Result<OpenedFile> opened = open_file(path, options, progress, {});
  if (!opened.ok()) {
    if (opened.error().kind == Error::Kind::several_traces) {
      if (const std::optional<int> done = report_job(command, contained)) return *done;
    }
    return failed(opened.error(), path.string());
  }
  const auto* const snapshot = std::get_if<OpenedSnapshot>(&opened.value());
  if (refuses_cut(damage_of(opened.value()), path.string(), command.strict)) return 1;
  std::string page;
  if (const auto* const hang = std::get_if<OpenedHang>(&opened.value())) {
    page = hang_report(*hang->hang, (path.has_filename() ? path : path.parent_path()).filename().string());
  } else if (snapshot != nullptr) {
    const CategoryRules rules = read_category_rules(category_rules_path());
    if (!rules.problem.empty()) std::fprintf(stderr, "kinetoscope: %s\n", rules.problem.c_str());
    page = snapshot_report(*snapshot->snapshot, path.filename().string(), rules.rules);
  } else {
    page = page_of_trace(std::get<OpenedTrace>(opened.value()), command);
  }
  return written(command, page);
}

}  // namespace kino
