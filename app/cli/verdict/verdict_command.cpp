#include "app/cli/verdict/verdict_command.hpp"

#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/cli/verdict/document_verdict.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

constexpr std::string_view kSchema = "kinetoscope-verdict/1";

std::string printed(const DocumentVerdict& verdict, const VerdictCommand& command) {
  if (!command.json) return verdict_lines(verdict);
  nlohmann::ordered_json json = {{"schema", kSchema}};
  for (const std::filesystem::path& file : command.input.files) json["files"].push_back(file.string());
  json.update(verdict_json(verdict));
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

void VerdictCommand::declare(CLI::App& app) {
  input.add_to(app,
               "A trace, a snapshot, or the folder of a job or of flight recorder dumps; with a second one, "
               "the runs to compare");
  app.add_flag("--json", json, "Print JSON instead of text");
  strict.add_to(app);
  opening.add_to(app);
}

std::string VerdictCommand::finish() {
  return input.files.size() > 2 ? "verdict needs one FILE, or two to compare" : "";
}

int VerdictCommand::run() const {
  const OpenOptions options = opening.open_options();
  std::vector<OpenedRun> runs;
  runs.reserve(input.files.size());
  for (const std::filesystem::path& file : input.files) {
    Result<OpenedRun> opened = open_run(file, options);
    if (!opened.ok()) return fail_with(opened.error(), file);
    if (rejects_truncated(opened.value().damage(), file.string(), strict.on)) return 1;
    if (const auto* const job = opened.value().as<OpenedJob>()) {
      for (const std::string& problem : job->problems) complain(escaped(problem));
    }
    runs.push_back(std::move(opened).value());
  }
  const Result<DocumentVerdict> verdict =
      runs.size() == 1 ? verdict_of(runs.front()) : verdict_of(runs.front(), runs.back(), options);
  if (!verdict.ok()) return fail_with(verdict.error(), input.files.back());
  return print_output(printed(verdict.value(), *this), "verdict") ? 0 : 1;
}

}  // namespace kino
