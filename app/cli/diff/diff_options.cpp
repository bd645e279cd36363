#include "app/cli/diff/diff_options.hpp"

#include <charconv>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/choices.hpp"

namespace kino {
namespace {

std::optional<std::int64_t> position_from(std::string_view text, bool& readable) {
  if (text.empty()) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  readable = readable && error == std::errc() && end == text.data() + text.size();
  return number;
}

/// Parses "i:j"; either number may be missing.
std::optional<DiffOptions::Steps> steps_from(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  bool readable = true;
  const DiffOptions::Steps steps{position_from(text.substr(0, colon), readable),
                                 position_from(text.substr(colon + 1), readable)};
  return readable ? std::optional(steps) : std::nullopt;
}

std::string steps_problem(const std::string& text) {
  return steps_from(text) ? std::string() : "needs I:J, positions of steps from 0, J excluded";
}

void add_steps(CLI::App& app, const std::string& name, DiffOptions::Steps& steps, const std::string& about) {
  app.add_option_function<std::string>(
         name, [&steps](const std::string& text) { steps = steps_from(text).value_or(DiffOptions::Steps()); },
         about)
      ->type_name("I:J")
      ->check(steps_problem);
}

}  // namespace

void DiffOptions::add_to(CLI::App& app) {
  app.add_option("RUN", sides,
                 "A and B: a trace, a snapshot, a folder or quoted pattern of runs, or the folder of a job. "
                 "A single RUN prints a record for --baseline")
      ->required()
      ->type_name("")
      ->expected(1, 2);
  one_of(app.add_option("--by", by, "Grouping of kernels into rows")->capture_default_str(),
         {"name", "short", "operator", "module", "shape", "step"});
  app.add_option("--rank", rank, "For folders with one trace per rank: compare only this rank")
      ->type_name("N");
  add_steps(app, "--steps-a", steps_a,
            "Steps I to J - 1 of A, counted from 0; negative numbers count from the end");
  add_steps(app, "--steps-b", steps_b, "Steps of B");
  app.add_flag("--drop-last", drop_last, "Exclude the last step of A and of B");
  app.add_option("--fail-if", fail_if,
                 "Condition METRIC[{FILTER}] OP VALUE[%|ms|MB], such as step>+2% or "
                 "kernels{operator:aten::copy_}>0: exit code 2 if it holds. May be repeated")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  app.add_flag("--ledger", ledger, "Compare the rows of the step ledger, which takes longer");
  app.add_flag("--layers", layers, "Compare the repeated layers of the model, which takes longer");
  app.add_flag("--force", force, "Compare the runs even if they are not comparable");
  app.add_flag("--strict", strict, "Exit code 4 if a condition cannot be decided");
  add_choice(app, "--format", format,
             {{"text", DiffFormat::text},
              {"md", DiffFormat::markdown},
              {"json", DiffFormat::json},
              {"junit", DiffFormat::junit}},
             "Output format");
  app.add_option("--baseline", baseline, "Use this record of a run as A; the only RUN is B")
      ->type_name("FILE.json");
  add_noise_to(app);
  app.footer(
      "Metrics of times and utilization (a condition holds if the change is significant and beyond the value): step "
      "compute comm copy idle idle:host idle:host:sync idle:host:malloc idle:host:gc idle:host:lock "
      "idle:launch idle:loader kernel_time busy mfu hfu ceiling ledger:ROW\n"
      "ROW: a row of the step ledger, such as idle:python or matrix:loss; the guide lists them\n"
      "Metrics of counts (exact): kernels launches syncs graph_launches bytes_comm memory_peak\n"
      "Metrics of snapshots: peak reserved\n"
      "FILTER: words of the kernel's name, /regex/, operator:x, shape:x, module:x; for peak line:x and "
      "category:x\n"
      "Exit codes: 0 passed, 1 a file or the command line is wrong, 2 a condition failed, 3 not comparable, 4 "
      "cannot be decided (with --strict)");
}

void DiffOptions::add_noise_to(CLI::App& app) {
  app.add_option("--noise", noise_percent, "Ignore changes below this percentage")
      ->capture_default_str()
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0).description(""));
  app.add_option("--noise-from", noise_from, "Measure the noise from runs of the same program in this folder")
      ->type_name("DIR");
}

std::string DiffOptions::finish() const {
  if (!baseline.empty() && sides.size() != 1) return "with --baseline, the only RUN is B";
  const bool single = baseline.empty() && sides.size() == 1;
  if (single && !fail_if.empty()) return "--fail-if needs two runs, or a --baseline";
  if (single && format != DiffFormat::json)
    return "a single run can only be printed as a record: use --format json, or name two runs to compare";
  return {};
}

}  // namespace kino
