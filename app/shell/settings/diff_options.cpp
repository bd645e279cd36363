#include "app/shell/settings/diff_options.hpp"

#include <charconv>
#include <string_view>

#include <CLI/CLI.hpp>

namespace kino {
namespace {

std::optional<std::int64_t> position_from(std::string_view text, bool& readable) {
  if (text.empty()) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  readable = readable && error == std::errc() && end == text.data() + text.size();
  return number;
}

/// "i:j", each of which may be missing.
std::optional<DiffRequest::Steps> steps_from(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  bool readable = true;
  const DiffRequest::Steps steps{position_from(text.substr(0, colon), readable),
                                 position_from(text.substr(colon + 1), readable)};
  return readable ? std::optional(steps) : std::nullopt;
}

std::string is_steps(const std::string& text) {
  return steps_from(text) ? std::string() : "needs I:J, positions of steps from 0, J not being one of them";
}

}  // namespace

void describe_diff_options(CLI::App& app, RawDiff& raw) {
  app.add_option(
         "RUN", raw.sides,
         "A and B: a trace, a snapshot, a folder or quoted pattern of runs, or the folder of a job. Of one "
         "alone a record for --baseline is printed")
      ->required()
      ->type_name("")
      ->expected(1, 2);
  app.add_option("--by", raw.by, "What makes a row")
      ->check(CLI::IsMember({"name", "short", "operator", "module", "shape", "step"}).description(""))
      ->type_name("name|short|operator|module|shape|step");
  app.add_option("--rank", raw.rank, "Of folders with a trace a rank: this one alone")->type_name("N");
  app.add_option("--steps-a", raw.steps_a, "Of A the steps I to before J, from 0; negative ones from the end")
      ->type_name("I:J")
      ->check(is_steps);
  app.add_option("--steps-b", raw.steps_b, "The same of B")->type_name("I:J")->check(is_steps);
  app.add_flag("--drop-last", raw.drop_last, "Leave the last step of both out");
  app.add_option(
         "--fail-if", raw.fail_if,
         "METRIC[{FILTER}] OP VALUE[%|ms|MB], as step>+2% or kernels{operator:aten::copy_}>0: exit code 2 "
         "when B changed so; may be given several times")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  app.add_flag("--force", raw.force, "Compare also what is not comparable");
  app.add_flag("--strict", raw.strict, "Exit code 4 when a condition cannot be decided");
  app.add_option("--format", raw.format, "Of what is printed")
      ->check(CLI::IsMember({"text", "md", "json", "junit"}).description(""))
      ->type_name("text|md|json|junit");
  app.add_option("--baseline", raw.baseline, "A record of a run instead of A; the only RUN is B")
      ->type_name("FILE.json");
  app.add_option("--noise", raw.noise, "Changes below this are none, in percent; 1 unless told")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0).description(""));
  app.add_option("--noise-from", raw.noise_from, "Measure that from runs of the same program in this folder")
      ->type_name("DIR");
  app.footer(
      "Metrics: step compute comm copy idle idle:host idle:launch idle:loader kernel_time busy (times: "
      "beyond the\n"
      "value and significant), kernels launches syncs graph_launches bytes_comm memory_peak (exact); of "
      "snapshots\n"
      "peak, reserved. FILTER: words of the kernel's name, /regex/, operator:x, shape:x, module:x; of peak "
      "line:x\n"
      "and category:x. Exit codes: 0 passed, 1 a file or the command line is wrong, 2 a condition failed, 3 "
      "not\n"
      "comparable, 4 cannot be decided, with --strict.");
}

DiffRequest diff_request(const CLI::App& app, const RawDiff& raw) {
  DiffRequest request;
  request.sides = raw.sides;
  request.by = raw.by;
  if (app.count("--rank") > 0) request.rank = raw.rank;
  request.steps_a = steps_from(raw.steps_a).value_or(DiffRequest::Steps());
  request.steps_b = steps_from(raw.steps_b).value_or(DiffRequest::Steps());
  request.drop_last = raw.drop_last;
  request.fail_if = raw.fail_if;
  request.force = raw.force;
  request.strict = raw.strict;
  request.format = raw.format == "md"      ? DiffFormat::markdown
                   : raw.format == "json"  ? DiffFormat::json
                   : raw.format == "junit" ? DiffFormat::junit
                                           : DiffFormat::text;
  request.baseline = raw.baseline;
  request.noise_from = raw.noise_from;
  if (app.count("--noise") > 0) request.noise_percent = raw.noise;
  return request;
}

std::string diff_sides_problem(const DiffRequest& request) {
  if (!request.baseline.empty() && request.sides.size() != 1) return "with --baseline the only RUN is B";
  const bool alone = request.baseline.empty() && request.sides.size() == 1;
  if (alone && !request.fail_if.empty()) return "--fail-if needs two runs, or a --baseline";
  if (alone && request.format != DiffFormat::json)
    return "the record of a run alone is JSON: --format json; a comparison needs two";
  return {};
}

}  // namespace kino
