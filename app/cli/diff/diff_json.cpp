#include "app/cli/diff/diff_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "app/cli/diff/diff_layers.hpp"
#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 60;
constexpr std::size_t kMostWindows = 1U << 20U;
constexpr std::string_view kRecordSchema = "kinetoscope-run/1";

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json number_or_null(const std::optional<std::uint64_t>& value) { return value ? Json(*value) : Json(); }

std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace) + "\n";
}

Json json_of(const StepChange& step, const RunComparison& comparison) {
  return {{"mean_a", number(step.mean_a)},  {"mean_b", number(step.mean_b)},
          {"change", number(step.change)},  {"p", number(step.p)},
          {"low", number(step.low)},        {"high", number(step.high)},
          {"mdc", number(step.detectable)}, {"n", {comparison.steps_a.size(), comparison.steps_b.size()}}};
}

Json json_of(const ComparedRow& row) {
  return {{"cause", text_of(row.cause)},
          {"key", row.key},
          {"n_a", row.count_a},
          {"n_b", row.count_b},
          {"sum_a", row.sum_a},
          {"sum_b", row.sum_b},
          {"change_x_na_nb", row.change},
          {"count_effect", row.count_effect},
          {"speed_effect", row.speed_effect()},
          {"p", number(row.p)},
          {"status", english(text_of(row.status))},
          {"q", number(row.q)}};
}

/// Returns whether a failed check is listed in "warnings". Other checks are listed in "notes".
bool is_warning(const RunCheck& check) {
  if (check.kind == RunCheckKind::last_step) return true;
  if (check.kind != RunCheckKind::settings) return false;
  if (const std::optional<msg::Id> id = check.what.id()) return *id == msg::cuda_runtime;
  const std::string key = check.what.str();
  return !contains(key, "version") && !contains(key, "driver") && !key.starts_with("HIP");
}

Json json_of(const GateOutcome& outcome, const GateCondition& condition) {
  constexpr std::array<const char*, 3> kResults{"passed", "failed", "inconclusive"};
  return {{"condition", condition.text},
          {"result", kResults[static_cast<std::size_t>(outcome.result)]},
          {"a", number(outcome.a)},
          {"b", number(outcome.b)},
          {"change", number(outcome.change)},
          {"p", number(outcome.p)},
          {"sentence", outcome.sentence.str()}};
}

Json json_of(const std::vector<ComparedCause>& causes) {
  Json json = Json::array();
  for (const ComparedCause& cause : causes) {
    json.push_back({{"cause", text_of(cause)},
                    {"sum_a", cause.sum_a},
                    {"sum_b", cause.sum_b},
                    {"change_of_mean_x_na_nb", cause.change},
                    {"p", number(cause.p)}});
  }
  return json;
}

Json json_of(const std::vector<ComparedLedgerRow>& rows) {
  Json json = Json::array();
  for (const ComparedLedgerRow& row : rows) {
    json.push_back({{"row", text_of(row.row)},
                    {"sum_a", row.sum_a},
                    {"sum_b", row.sum_b},
                    {"change_of_mean_x_na_nb", row.change},
                    {"p", number(row.p)}});
  }
  return json;
}

Json json_of(const RunComparison& comparison) {
  Json statuses = Json::object();
  for (std::size_t i = 0; i < kRowStatusCount; ++i) {
    if (comparison.statuses[i] > 0)
      statuses[std::string(english(text_of(static_cast<RowStatus>(i))))] = comparison.statuses[i];
  }
  Json rows = Json::array();
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    if (i < kMostRows || comparison.rows[i].status != RowStatus::same)
      rows.push_back(json_of(comparison.rows[i]));
  }
  Json warnings = Json::array();
  Json notes = Json::array();
  for (const RunCheck& check : comparison.checks) {
    if (check.result == CheckResult::warns && !check.line.empty())
      (is_warning(check) ? warnings : notes).push_back(check.line.str());
  }
  Json replaced = Json::array();
  for (const Replacement& by : comparison.replacements) {
    replaced.push_back({{"operator", by.op},
                        {"input_dims", by.input_dims},
                        {"from", by.from},
                        {"to", by.to},
                        {"sum_a", by.sum_a},
                        {"sum_b", by.sum_b},
                        {"change", number(by.change)}});
  }
  Json json = {{"by", kRunKeyNames[static_cast<std::size_t>(comparison.key)]},
               {"steps_a", comparison.steps_a},
               {"steps_b", comparison.steps_b},
               {"samples", comparison.of_runs ? "runs" : "steps"},
               {"tested", comparison.tested()},
               {"similarity", comparison.similarity},
               {"operators_with_a_shape_in_common", {comparison.shapes.sharing, comparison.shapes.both}},
               {"refused", english_texts(comparison.lines(CheckResult::refuses))},
               {"forced", comparison.forced},
               {"warnings", warnings},
               {"notes", notes},
               {"noise", comparison.noise}};
  json["paired"] = comparison.paired ? Json{{"n", comparison.steps_a.size()},
                                            {"change", number(comparison.paired->change)},
                                            {"p", number(comparison.paired->p)},
                                            {"low", number(comparison.paired->low)},
                                            {"high", number(comparison.paired->high)}}
                                     : Json();
  if (comparison.step_correlation) json["step_correlation"] = number(*comparison.step_correlation);
  json["test"] = comparison.by_pairs ? "paired" : "unpaired";
  json["step"] = json_of(comparison.step, comparison);
  json["verdict"] = comparison.verdict_text().str();
  json["waterfall"] = json_of(comparison.waterfall);
  json["idle_host"] = json_of(comparison.host);
  if (!comparison.ledger.empty()) json["ledger"] = json_of(comparison.ledger);
  if (comparison.layers) json["layers"] = layers_json(*comparison.layers);
  json["step_change_of_mean_x_na_nb"] = comparison.step_change;
  json["statuses"] = statuses;
  json["rows_total"] = comparison.rows.size();
  json["rows"] = rows;
  json["replaced"] = replaced;
  return json;
}

Json json_of(const JobChange& job) {
  Json ranks = Json::array();
  for (const RankChange& rank : job.ranks) {
    ranks.push_back({{"rank", rank.rank},
                     {"step_change_ns", rank.step_ns},
                     {"own_change_ns", rank.own_ns},
                     {"communication_change_ns", rank.communication_ns},
                     {"own_p", number(rank.p)}});
  }
  return {{"compared_rank", job.head},
          {"roots", job.roots},
          {"shared", job.shared},
          {"sentence", job.sentence().str()},
          {"ranks", ranks}};
}

Json counts_json(const RunCounts& counts) {
  return {counts.launches,    counts.syncs,   counts.graph_launches, counts.bytes_comm,
          counts.memory_peak, counts.mfu_ppm, counts.hfu_ppm};
}

Json ledger_json(const StepTimes& times) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    if (times[row] != 0) json[std::string(text_of(row))] = times[row];
  }
  return json;
}

Json record_of(const RunRecord& run) {
  Json windows = Json::array();
  for (const RunWindow& window : run.windows) {
    Json causes = Json::object();
    for (std::size_t i = 0; i < kTimeCategoryCount; ++i) {
      if (window.causes[i] != 0)
        causes[std::string(text_of(static_cast<TimeCategory>(i)))] = window.causes[i];
    }
    Json& stored = windows.emplace_back(Json{{"name", window.name},
                                             {"begin_ns", window.range.begin_ns},
                                             {"end_ns", window.range.end_ns},
                                             {"causes", causes},
                                             {"counts", counts_json(window.counts)}});
    if (window.host) stored["idle_host"] = *window.host;
    if (window.ledger) stored["ledger"] = ledger_json(*window.ledger);
  }
  Json rows = Json::array();
  for (const RunRow& row : run.rows) {
    Json cells = Json::array();
    for (const RunCell& cell : row.cells) cells.push_back({cell.window, cell.ns, cell.instances});
    rows.push_back({text_of(row.cause), row.name, row.op, row.input_dims, row.module, cells});
  }
  const RunFacts& facts = run.facts;
  Json shapes = Json::object();
  for (const auto& [op, hashes] : facts.shapes) shapes[op] = hashes;
  Json settings = Json::object();
  for (const auto& [key, value] : facts.settings) settings[key] = value;
  Json json = {{"name", run.name},
               {"has_steps", run.has_steps},
               {"stubs_left_out", run.stubs_left_out},
               {"first_left_out", run.first_left_out ? Json(*run.first_left_out) : Json()},
               {"step_notes", english_texts(run.step_notes)},
               {"gpus", facts.gpus},
               {"world_size", facts.world_size},
               {"rank", facts.rank},
               {"gpu_work", facts.gpu_work},
               {"events", facts.events},
               {"damaged_events", facts.damaged_events},
               {"last_step_idle_end", facts.last_step_idle_end},
               {"matmul_types", facts.matmul_types},
               {"settings", settings},
               {"shapes", shapes},
               {"windows", windows},
               {"rows", rows}};
  if (run.layers) json["layers"] = stored_layers(*run.layers);
  return json;
}

/// Bounds a number from an untrusted file, so that sums cannot overflow. 2^52 ns are 52 days.
std::int64_t bounded(const Json& json) {
  constexpr std::int64_t kMost = std::int64_t{1} << 52U;
  return std::clamp(json.get<std::int64_t>(), -kMost, kMost);
}

/// Reads the rows of a window. Rows that only later versions write are skipped.
StepTimes ledger_from(const Json& json) {
  StepTimes times;
  for (const auto& [name, ns] : json.items()) {
    if (const std::optional<StepRow> row = step_row_named(name))
      times[*row] = std::max<std::int64_t>(0, bounded(ns));
  }
  return times;
}

/// Reads one window. Throws as record_from().
RunWindow window_from(const Json& stored) {
  RunWindow window;
  window.name = stored.at("name").get<std::string>();
  window.range = {bounded(stored.at("begin_ns")), bounded(stored.at("end_ns"))};
  for (const auto& [name, ns] : stored.at("causes").items()) {
    const std::optional<TimeCategory> cause = time_category_named(name);
    if (cause) window.causes[static_cast<std::size_t>(*cause)] = bounded(ns);
  }
  if (stored.contains("idle_host")) {
    HostTimes& host = window.host.emplace();
    for (std::size_t i = 0; i < kHostCauseCount; ++i) host[i] = bounded(stored.at("idle_host").at(i));
  }
  if (stored.contains("ledger")) window.ledger = ledger_from(stored.at("ledger"));
  const Json& counts = stored.at("counts");
  const auto later = [&](std::size_t i) { return counts.size() > i ? bounded(counts.at(i)) : -1; };
  window.counts = {bounded(counts.at(0)),
                   bounded(counts.at(1)),
                   bounded(counts.at(2)),
                   bounded(counts.at(3)),
                   bounded(counts.at(4)),
                   later(5),
                   later(6)};
  return window;
}

/// Reads one run. Throws nlohmann's exceptions if a type is wrong; the caller converts them to an Error.
RunRecord record_from(const Json& json) {
  RunRecord run;
  run.name = json.at("name").get<std::string>();
  run.has_steps = json.at("has_steps").get<bool>();
  run.stubs_left_out = json.at("stubs_left_out").get<std::uint64_t>();
  run.first_left_out.reset();
  if (const auto found = json.find("first_left_out"); found != json.end() && !found->is_null())
    run.first_left_out = found->get<std::uint64_t>();
  if (const auto found = json.find("step_notes"); found != json.end())
    for (const std::string& note : found->get<std::vector<std::string>>()) run.step_notes.emplace_back(note);
  RunFacts& facts = run.facts;
  facts.gpus = json.at("gpus").get<std::vector<std::string>>();
  facts.world_size = json.at("world_size").get<std::int64_t>();
  facts.rank = json.at("rank").get<std::int64_t>();
  facts.gpu_work = json.at("gpu_work").get<std::uint64_t>();
  facts.events = json.at("events").get<std::uint64_t>();
  facts.damaged_events = json.at("damaged_events").get<std::uint64_t>();
  facts.last_step_idle_end = json.at("last_step_idle_end").get<double>();
  facts.matmul_types = json.at("matmul_types").get<std::vector<std::string>>();
  std::ranges::sort(facts.matmul_types);
  for (const auto& [key, value] : json.at("settings").items())
    facts.settings.emplace_back(key, value.get<std::string>());
  std::ranges::sort(facts.settings);
  for (const auto& [op, hashes] : json.at("shapes").items()) {
    facts.shapes[op] = hashes.get<std::vector<std::uint64_t>>();
    std::ranges::sort(facts.shapes[op]);
  }
  for (const Json& stored : json.at("windows")) run.windows.push_back(window_from(stored));
  if (run.windows.size() > kMostWindows) run.windows.clear();
  for (const Json& stored : json.at("rows")) {
    const std::optional<TimeCategory> cause = time_category_named(stored.at(0).get<std::string>());
    if (!cause) continue;
    RunRow row{*cause,
               stored.at(1).get<std::string>(),
               stored.at(2).get<std::string>(),
               stored.at(3).get<std::string>(),
               stored.at(4).get<std::string>(),
               {}};
    for (const Json& cell : stored.at(5)) {
      const RunCell read{cell.at(0).get<std::uint32_t>(), bounded(cell.at(1)), bounded(cell.at(2))};
      if (read.window < run.windows.size() && (row.cells.empty() || row.cells.back().window < read.window))
        row.cells.push_back(read);
    }
    run.rows.push_back(std::move(row));
  }
  if (json.contains("layers")) run.layers = layers_from(json.at("layers"));
  return run;
}

}  // namespace

std::string diff_json(const DiffReport& report) {
  Json json = {
      {"schema", "kinetoscope-diff/1"},
      {"stub_steps_left_out", {report.base_a.stubs, report.base_b.stubs}},
      {"first_steps_left_out", {number_or_null(report.base_a.first), number_or_null(report.base_b.first)}},
      {"steps_used", {report.base_a.used, report.base_b.used}},
      {"a", report.name_a},
      {"b", report.name_b}};
  const Json comparison = json_of(report.comparison);
  for (const auto& [key, value] : comparison.items()) json[key] = value;
  for (const std::string& note : report.notes) json["notes"].push_back(note);
  for (const std::string& line : report.job_lines) json["notes"].push_back(line);
  if (!report.job.ranks.empty()) json["job"] = json_of(report.job);
  if (!report.ranks.empty()) {
    Json ranks = Json::array();
    for (const RankComparison& rank_comparison : report.ranks) {
      Json rank = {{"rank", rank_comparison.rank}};
      const Json of_rank = json_of(rank_comparison.comparison);
      for (const char* key : {"verdict", "step", "waterfall", "refused", "warnings", "similarity"})
        rank[key] = of_rank.at(key);
      ranks.push_back(std::move(rank));
    }
    json["ranks"] = ranks;
  }
  Json gate = Json::array();
  for (std::size_t i = 0; i < report.outcomes.size(); ++i)
    gate.push_back(json_of(report.outcomes[i], report.conditions[i]));
  json["gate"] = gate;
  return dumped(json, 1);
}

std::string record_json(std::string_view name, const std::vector<RunRecord>& runs, bool job) {
  Json list = Json::array();
  for (const RunRecord& run : runs) list.push_back(record_of(run));
  return dumped({{"schema", kRecordSchema}, {"name", name}, {"job", job}, {"runs", list}}, -1);
}

Result<StoredRuns> stored_runs(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const bool known = !json.is_discarded() && json.is_object() && json.contains("schema") &&
                     json.at("schema") == kRecordSchema;
  if (!known) {
    return Error{Error::Kind::unknown_format,
                 "This is not a record of a run: kinetoscope diff RUN --format json writes one"};
  }
  try {
    StoredRuns stored;
    stored.name = json.at("name").get<std::string>();
    stored.job = json.at("job").get<bool>();
    for (const Json& run : json.at("runs")) stored.runs.push_back(record_from(run));
    if (stored.runs.empty() || stored.runs.front().windows.empty())
      return Error{Error::Kind::corrupt, "The record has no steps"};
    return stored;
  } catch (const Json::exception& problem) {
    return Error{Error::Kind::corrupt, std::string("The record is damaged (") + problem.what() + ")"};
  }
}

}  // namespace kino
