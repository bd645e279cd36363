#include "app/cli/query_command.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/cache_after.hpp"
#include "app/cli/command_line/choices.hpp"
#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "app/system/program_start.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/formats/contained_traces.hpp"
#include "loaders/formats/open.hpp"
#include "loaders/query/query_session.hpp"
#include "loaders/query/results/parquet_writer.hpp"
#include "loaders/query/results/query_text.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kTerminalRows = 10'000;
constexpr std::size_t kLongestSql = 2'000'000;  // above the limit of run_query(), which reports the error

/// An error, and the name at the end of its message: a file or the SQL. The name is empty if the error was
/// already printed.
struct Failure {
  Error error;
  std::string name;
};

std::optional<std::string> all_of(std::istream& in) {
  std::string text;
  std::string piece(std::size_t{64} << 10, '\0');
  while (in && text.size() < kLongestSql) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return std::nullopt;
  return text;
}

Result<std::string> sql_of(const QueryCommand& command) {
  if (command.sql_file.empty() && command.sql != "-") return command.sql;
  std::optional<std::string> text;
  if (command.sql_file.empty() || command.sql_file == "-") {
    text = all_of(std::cin);
  } else {
    std::ifstream file(command.sql_file, std::ios::binary);
    if (file) text = all_of(file);
  }
  if (!text) return Error{Error::Kind::not_found, "The SQL cannot be read"};
  return std::move(*text);
}

std::string name_of_sql(const QueryCommand& command) {
  return command.sql_file.empty() ? "SQL" : command.sql_file.string();
}

constexpr std::size_t kMostFiles = 512;  // all opened files are held in memory

/// The models to query. If there is a single file, it may be cached afterwards.
struct Sources {
  std::vector<std::shared_ptr<const QueryModel>> models;
  std::optional<CacheAfter> keep_after;
};

/// Adds the trace or snapshot of a file. For a folder or an archive, adds all its traces or snapshots, sorted
/// by rank.
std::optional<Failure> add_models(const QueryCommand& command, const ContainedTrace& given, bool may_contain,
                                  Sources& sources) {
  LoadProgress progress;
  ContainedTraces contained;
  OpenOptions options = command.opening.open_options();
  options.choices = &contained;
  options.dumps = false;
  if (may_contain && command.input.files.size() == 1) sources.keep_after.emplace(options);
  Result<OpenedFile> opened = open_file(given.path, options, progress, {});
  if (!opened.ok()) {
    const bool several = are_ranks(contained) || are_snapshots(contained);
    if (!may_contain || opened.error().kind != Error::Kind::several_traces || !several)
      return Failure{opened.error(), given.path.string()};
    std::ranges::stable_sort(contained.traces, {}, &ContainedTrace::rank);
    if (contained.traces.size() > kMostFiles) {
      return Failure{{Error::Kind::too_large, "There are " + std::to_string(contained.traces.size()) +
                                                  " files, but SQL supports at most " +
                                                  std::to_string(kMostFiles) + ". Name some of the files"},
                     given.path.string()};
    }
    for (const ContainedTrace& rank : contained.traces) {
      if (std::optional<Failure> failure = add_models(command, rank, false, sources)) return failure;
    }
    return std::nullopt;
  }
  if (rejects_truncated(damage_of(opened.value()), given.path.string(), command.strict.on)) return Failure{};
  if (const auto* const trace = std::get_if<OpenedTrace>(&opened.value())) {
    sources.models.push_back(
        std::make_shared<const QueryModel>(trace->trace, trace->details, given.path.string(), given.rank));
  } else if (const auto* const snapshot = std::get_if<OpenedSnapshot>(&opened.value())) {
    sources.models.push_back(
        std::make_shared<const QueryModel>(snapshot->snapshot, given.path.string(), given.rank));
  } else {
    return Failure{{Error::Kind::unknown_format,
                    "SQL supports traces and snapshots; for flight recorder dumps, use `kinetoscope table "
                    "outstanding`"},
                   given.path.string()};
  }
  return std::nullopt;
}

/// Forwards rows, and reports warnings on slow queries to stderr.
class WarningRows : public QueryRows {
 public:
  explicit WarningRows(QueryRows& rows) : rows_(rows) {}
  void columns(std::span<const std::string> names) override { rows_.columns(names); }
  void row(std::span<const QueryValue> values) override { rows_.row(values); }
  void slow(const Message& sentence) override { complain("this query is slow: " + escaped(sentence.str())); }

 private:
  QueryRows& rows_;
};

void complain_if_partial(const Sources& sources, const QueryEnd& end) {
  const std::string sentence = partial_files_sentence(sources.models, end);
  if (!sentence.empty()) complain(escaped(sentence));
}

std::optional<Failure> answer(const QueryCommand& command, Sources& sources) {
  const Result<std::string> sql = sql_of(command);
  if (!sql.ok()) return Failure{sql.error(), name_of_sql(command)};
  for (const std::filesystem::path& file : command.input.files) {
    ContainedTrace given;
    given.path = file;
    given.rank = rank_in_name(file.filename().string());
    if (std::optional<Failure> failure = add_models(command, given, true, sources)) return failure;
  }
  QueryLimits limits;
  limits.seconds = command.seconds;
  limits.memory_bytes = command.memory_mb << 20U;
  const bool terminal = prints_to_terminal();
  const std::uint64_t most = command.limit.rows.value_or(terminal ? kTerminalRows : 0);
  if (most > 0) limits.rows = most;
  const auto write = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  if (command.format == "parquet") {
    if (terminal) {
      const Error error{Error::Kind::unknown_format,
                        "Parquet is a binary format; redirect the output to a file"};
      return Failure{error, "SQL"};
    }
    ParquetWriter writer(write);
    WarningRows rows(writer);
    const Result<QueryEnd> end = run_query(sources.models, sql.value(), limits, rows, {});
    if (!end.ok()) return Failure{end.error(), name_of_sql(command)};
    complain_if_partial(sources, end.value());
    if (std::optional<Error> error = writer.finish()) return Failure{*error, name_of_sql(command)};
    return std::nullopt;
  }
  QueryPrinter printer(query_format_named(command.format).value_or(QueryFormat::table), write);
  WarningRows rows(printer);
  const Result<QueryEnd> end = run_query(sources.models, sql.value(), limits, rows, {});
  printer.finish();
  if (!end.ok()) return Failure{end.error(), name_of_sql(command)};
  complain_if_partial(sources, end.value());
  if (end.value().more)
    complain("the first " + std::to_string(end.value().rows) + " rows; --limit 0 prints all");
  return std::nullopt;
}

}  // namespace

void QueryCommand::declare(CLI::App& app) {
  input.add_to(app, "Traces and snapshots, and last the SQL: 'select ..' or - for standard input");
  app.add_option("-f", sql_file, "Read the SQL from this file")->type_name("FILE.sql");
  one_of(app.add_option("--format", format, "Output format")->capture_default_str(),
         {"table", "csv", "json", "jsonl", "md", "parquet"});
  limit.add_to(app, "10,000 on a terminal");
  app.add_option("--timeout", seconds, "Maximum seconds that the SQL may take")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1e6).description(""))
      ->type_name("S");
  app.add_option("--memory", memory_mb, "Maximum memory in MiB that the SQL may take")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20).description(""))
      ->type_name("MB");
  strict.add_to(app);
  opening.add_to(app);
  app.footer(
      "Tables have the same names as in Perfetto (slice, args, flow, thread, counter, ..), and most queries "
      "for Perfetto run unchanged. Times are in ns. If there are several statements, the last result is "
      "printed.");
}

std::string QueryCommand::finish() {
  if (sql_file.empty() && !input.files.empty()) {
    sql = input.files.back().string();
    input.files.pop_back();
  }
  return input.files.empty() ? "query needs a FILE and the SQL" : "";
}

int QueryCommand::run() const {
  Sources sources;
  const std::optional<Failure> failure = answer(*this, sources);
  if (failure) {
    std::fflush(stdout);
    return failure->name.empty() ? 1 : fail_with(failure->error, failure->name);
  }
  if (!output_written("result")) return 1;
  if (sources.keep_after) sources.keep_after->keep();
  return 0;
}

}  // namespace kino
