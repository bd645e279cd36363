#include "app/cli/export_command.hpp"

#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/formats/open.hpp"
#include "loaders/query/query_session.hpp"
#include "loaders/query/results/parquet_writer.hpp"
#include "loaders/query/results/sqlite_writer.hpp"

namespace kino {
namespace {

namespace fs = std::filesystem;

struct Exported {
  const char* table;
  const char* sql;
  bool parquet;
};
// Call stacks, except those of Python functions: the parents of a Python slice already are its stack, and
// their rows would take up most of the file.
constexpr const char* kStacks =
    "SELECT k.* FROM slice AS s CROSS JOIN stack AS k ON k.slice_id = s.id WHERE s.kind <> 'Python'";
/// The exported tables. A Parquet export contains only the tables that users join themselves.
constexpr std::array kExported{
    Exported{
        "slice",
        "SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, self_dur, link_id, kind "
        "FROM slice",
        true},
    Exported{"args", "SELECT * FROM args", true},
    Exported{"flow", "SELECT * FROM flow", true},
    Exported{"thread", "SELECT * FROM thread", true},
    Exported{"process", "SELECT * FROM process", true},
    Exported{"track", "SELECT id, name, type, utid, upid, unit, kind, device, stream FROM track", true},
    Exported{"counter", "SELECT * FROM counter", true},
    Exported{"kernel", "SELECT * FROM kernel", true},
    Exported{"copy", "SELECT * FROM copy", true},
    Exported{"launch", "SELECT * FROM launch", true},
    Exported{"operator", "SELECT * FROM operator", true},
    Exported{"collective", "SELECT * FROM collective", true},
    Exported{"step", "SELECT * FROM step", true},
    Exported{"gap", "SELECT * FROM gap", true},
    Exported{"sync", "SELECT * FROM sync", true},
    Exported{"annotation", "SELECT * FROM annotation", true},
    Exported{"stack", kStacks, true},
    Exported{"stats", "SELECT name, severity, source, value, description FROM stats", false},
    Exported{"metadata", "SELECT * FROM metadata", false},
    Exported{"trace_bounds", "SELECT * FROM trace_bounds", false}};

constexpr const char* kViews =
    "CREATE INDEX slice_id ON slice(id); CREATE INDEX slice_parent ON slice(parent_id);"
    "CREATE INDEX args_set ON args(arg_set_id); CREATE INDEX flow_out ON flow(slice_out);"
    "CREATE INDEX flow_in ON flow(slice_in); CREATE INDEX stack_slice ON stack(slice_id);"
    "CREATE VIEW instant AS SELECT * FROM slice WHERE dur = 0;"
    "CREATE VIEW thread_track AS SELECT id, name, type, utid FROM track WHERE type = 'thread_track';"
    "CREATE VIEW process_track AS SELECT id, name, type, upid FROM track WHERE type = 'process_track';"
    "CREATE VIEW counter_track AS SELECT id, name, type, upid, unit FROM track WHERE type = 'counter_track';"
    "CREATE VIEW thread_slice AS SELECT s.*, t.name AS thread_name, t.tid, t.utid, p.name AS process_name, "
    "p.pid, p.upid FROM slice AS s JOIN track AS k ON k.id = s.track_id JOIN thread AS t ON t.utid = k.utid "
    "JOIN process AS p ON p.upid = t.upid;"
    "CREATE VIEW damage AS SELECT name, severity, value AS count, description FROM stats WHERE value > 0;";

/// Returns the query limits for an export. Only the disk bounds the output, because its size is proportional
/// to the trace.
QueryLimits export_limits() {
  QueryLimits limits;
  limits.units = byte_units();
  limits.work_rules = kernel_categories();
  limits.seconds = 1e9;
  limits.memory_bytes = std::uint64_t{16} << 30;
  return limits;
}

using Models = std::vector<std::shared_ptr<const QueryModel>>;

std::optional<Error> write_parquet(const Models& models, const Exported& table, const fs::path& folder) {
  const fs::path path = folder / (std::string(table.table) + ".parquet");
  fs::path temporary = path;
  temporary += ".part";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  ParquetWriter writer(
      [&](std::string_view bytes) { file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
  const Result<QueryEnd> end = run_query(models, table.sql, export_limits(), writer, {});
  std::optional<Error> error = end.ok() ? writer.finish() : std::optional<Error>(end.error());
  file.close();
  if (!error && !file) {
    error = Error{Error::Kind::no_space, "The file " + path.filename().string() + " cannot be written"};
  }
  std::error_code failed;
  if (!error) fs::rename(temporary, path, failed);
  if (!error && failed)
    error = Error{Error::Kind::no_permission, "The file cannot be renamed: " + failed.message()};
  if (error) fs::remove(temporary, failed);
  return error;
}

std::optional<Error> write_sqlite(const Models& models, const fs::path& path) {
  Result<std::unique_ptr<SqliteWriter>> writer = SqliteWriter::create(path);
  if (!writer.ok()) return writer.error();
  for (const Exported& table : kExported) {
    writer.value()->begin_table(table.table);
    const Result<QueryEnd> end = run_query(models, table.sql, export_limits(), *writer.value(), {});
    if (!end.ok()) return end.error();
  }
  writer.value()->run(kViews);
  return writer.value()->finish();
}

/// Writes all tables. On failure, returns the error and the name to report it for; the name is empty if the
/// error was already printed.
std::optional<std::pair<Error, std::string>> write_all(const ExportCommand& command) {
  const fs::path& file = command.input.file;
  LoadProgress progress;
  Result<OpenedTrace> opened = open_trace(file, command.opening.open_options(), progress, {});
  if (!opened.ok()) return std::pair(opened.error(), file.string());
  if (rejects_truncated(opened.value().trace->damage, file.string(), command.strict.on))
    return std::pair(Error{}, std::string());
  const Models models{
      std::make_shared<const QueryModel>(opened.value().trace, opened.value().details, file.string())};
  std::optional<Error> error;
  if (command.parquet) {
    std::error_code failed;
    fs::create_directory(command.output.file, failed);
    if (failed)
      error = Error{Error::Kind::no_permission, "The folder cannot be created: " + failed.message()};
    for (const Exported& table : kExported) {
      if (!error && table.parquet) error = write_parquet(models, table, command.output.file);
    }
  } else {
    error = write_sqlite(models, command.output.file);
  }
  if (error) return std::pair(*error, command.output.file.string());
  return std::nullopt;
}

}  // namespace

void ExportCommand::declare(CLI::App& app) {
  input.add_to(app, "The trace to read");
  output.add_to(
      app, "The SQLite file to write; with --parquet, the folder to write to, which is created if needed");
  app.add_flag("--parquet", parquet, "Write one Parquet file per table");
  strict.add_to(app);
  opening.add_to(app);
}

int ExportCommand::run() const {
  const bool folder = parquet && !output.file.has_filename();
  if (folder_missing(folder ? output.file.parent_path() : output.file, output.file)) return 1;
  const auto failure = write_all(*this);
  if (!failure) return 0;
  return failure->second.empty() ? 1 : fail_with(failure->first, failure->second);
}

}  // namespace kino
