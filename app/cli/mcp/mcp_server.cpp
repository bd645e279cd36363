#include "app/cli/mcp/mcp_server.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "app/cli/info_lines.hpp"
#include "app/cli/report/report_page.hpp"
#include "app/cli/screenshot_command.hpp"
#include "app/cli/verdict/document_verdict.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "app/shell/settings/version.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/memory/snapshot.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/query/results/query_text.hpp"

namespace kino {
namespace {

using PlainJson = nlohmann::json;

constexpr std::uint64_t kRows = 200;  // rows of an answer by default
constexpr std::uint64_t kMostRows = 10'000;
constexpr std::size_t kMostText = 1 << 20;  // maximum size of an answer in bytes
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kNoMethod = -32601;

/// Returns the text of an answer. Replaces invalid UTF-8, so that no file name makes the answer invalid.
std::string printed(const PlainJson& json) {
  return json.dump(-1, ' ', false, PlainJson::error_handler_t::replace);
}

PlainJson text_property(const char* about) { return {{"type", "string"}, {"description", about}}; }
PlainJson number_property(const char* about) { return {{"type", "integer"}, {"description", about}}; }

PlainJson tool(const char* name, const char* about, PlainJson properties, PlainJson required) {
  return {{"name", name},
          {"description", about},
          {"inputSchema",
           {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}}},
          {"annotations", {{"readOnlyHint", true}}}};
}

PlainJson tools() {
  return PlainJson::array(
      {tool(
           "open",
           "Opens a trace, an allocator snapshot, the folder of a job with one trace per rank, or flight "
           "recorder dumps of a job that hangs. Several files can stay open. Traces and snapshots also get a "
           "number in SQL (sql_file), the first one 1.",
           {{"path", text_property("The file or folder")},
            {"as",
             text_property("\"job\": opens the traces of a folder that also has flight recorder dumps")}},
           PlainJson::array({"path"})),
       tool("tables", "The tables and columns of SQL.", PlainJson::object(), PlainJson::array()),
       tool(
           "query",
           "SQL over the opened traces and snapshots, with the syntax of SQLite and Perfetto. Times are in ns, memory in "
           "bytes. Rows are those of file 1, unless the query uses the hidden column file (one file) or "
           "rank (all files) of a table.",
           {{"sql", text_property("SQL statements; the result of the last one is returned")},
            {"limit", number_property("Maximum number of rows (default 200, at most 10000)")}},
           PlainJson::array({"sql"})),
       tool(
           "picture",
           "Draws an opened file: the timeline of a trace, or of a time range, or the memory of a snapshot.",
           {{"file", number_property("Number of the file; 1 is the first one opened")},
            {"from_ns", number_property("For traces: start of the time range, since the start of the trace")},
            {"to_ns", number_property("For traces: end of the time range")}},
           PlainJson::array()),
       tool("findings",
            "Lists findings of an opened trace: the verdict, and findings sorted by the time per step that a "
            "fix saves, each with its fix and worst examples.",
            {{"file", number_property("Number of the file; 1 is the first one opened")}}, PlainJson::array()),
       tool(
           "verdict",
           "The verdict that the window shows on an opened file: one sentence, its evidence, and the largest "
           "findings. For a job, the rank that the others wait for; for a hang, the ranks that hold up the "
           "job, and shell commands that print their stacks. With compare_with, the change from the file to "
           "another trace or job.",
           {{"file", number_property("Number of the file; 1 is the first one opened")},
            {"compare_with", number_property("Number of the file to compare with")},
            {"device", number_property("For snapshots: index of the device (default: the largest peak)")}},
           PlainJson::array())});
}

Error wrong(const std::string& what) { return {Error::Kind::unknown_format, what}; }

Error nothing_to_query(bool nothing_open) {
  return wrong(nothing_open ? "Open a file first"
                            : "SQL is for traces and snapshots: open the trace of a rank, or use verdict");
}

/// Collects a query result as a JSON list of rows, each a list of values.
class JsonRows : public QueryRows {
 public:
  void columns(std::span<const std::string> names) override {
    names_ = PlainJson::array();
    for (const std::string& name : names) names_.push_back(name);
  }
  void row(std::span<const QueryValue> values) override {
    std::string row = "[";
    for (const QueryValue& value : values) row += (row.size() > 1 ? "," : "") + json_value(value);
    if (rows_.size() > kMostText) {
      cut_ = true;
      return;
    }
    rows_ += (rows_.empty() ? "" : ",") + row + "]";
  }
  void slow(const Message& sentence) override { slow_.push_back(sentence.str()); }
  PlainJson json(const QueryEnd& end) const {
    PlainJson json = {
        {"columns", names_}, {"rows", PlainJson::parse("[" + rows_ + "]")}, {"more", end.more || cut_}};
    if (!slow_.empty()) json["slow"] = slow_;
    return json;
  }
  /// Returns the error and its possible reasons.
  std::string sentence(const Error& error) const {
    std::string text = error_sentence(error, "SQL");
    for (const std::string& reason : slow_) text += ". " + reason;
    return text;
  }

 private:
  PlainJson names_ = PlainJson::array();
  std::vector<std::string> slow_;
  std::string rows_;
  bool cut_ = false;
};

std::optional<std::int64_t> number_of(const PlainJson& arguments, const char* name) {
  const auto found = arguments.find(name);
  if (found == arguments.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<std::string> text_of_argument(const PlainJson& arguments, const char* name) {
  const auto found = arguments.find(name);
  if (found == arguments.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

PlainJson devices_json(const Snapshot& snapshot) {
  PlainJson devices = PlainJson::array();
  for (const SnapshotDevice& device : snapshot.devices) {
    devices.push_back({{"device", device.host ? PlainJson("host") : PlainJson(device.ordinal)},
                       {"allocations", device.history.allocations.count()},
                       {"events", device.entries.entry_count()},
                       {"peak_bytes", device.history.curve(MemoryCurve::requested).peak.bytes}});
  }
  return devices;
}

PlainJson job_json(const OpenedJob& opened) {
  const JobAnalysis& job = *opened.job.analysis;
  PlainJson ranks = PlainJson::array();
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const std::int64_t rank = job.ranks[i]->rank;
    ranks.push_back(
        {{"rank", rank < 0 ? PlainJson() : PlainJson(rank)}, {"path", opened.job.files[i].string()}});
  }
  return {{"kind", "job"},
          {"world_size", job.world_size},
          {"ranks", std::move(ranks)},
          {"missing_ranks", job.missing},
          {"other_jobs", opened.other_jobs},
          {"problems", opened.problems}};
}

PlainJson hang_json(const HangRecording& hang) {
  PlainJson ranks = PlainJson::array();
  for (const FlightDump& dump : hang.dumps) {
    ranks.push_back({{"rank", dump.rank < 0 ? PlainJson() : PlainJson(dump.rank)},
                     {"file", dump.file},
                     {"host", dump.host.empty() ? PlainJson() : PlainJson(dump.host)},
                     {"pid", dump.pid < 0 ? PlainJson() : PlainJson(dump.pid)},
                     {"entries", dump.entries.size()}});
  }
  return {{"kind", "hang"},
          {"ranks", std::move(ranks)},
          {"ranks_without_dump", hang.analysis.no_dump},
          {"outstanding_operations", hang.analysis.outstanding.size()},
          {"beside", hang.beside},
          {"problems", hang.problems}};
}

}  // namespace

Result<PlainJson> McpServer::open(const PlainJson& arguments) {
  const std::optional<std::string> path = text_of_argument(arguments, "path");
  if (!path) return wrong("open needs a path");
  if (*path == "-") return wrong("Standard input is in use: open needs the path of a file");
  OpenOptions options = opening_.open_options();
  options.dumps = text_of_argument(arguments, "as") != "job";
  Result<OpenedRun> opened = open_run(*path, std::move(options));
  if (!opened.ok()) return wrong(error_sentence(opened.error(), *path));
  const OpenedRun& run = files_.emplace_back(std::move(opened).value());
  PlainJson answer = {{"file", files_.size()}, {"path", *path}};
  if (const auto* const job = run.as<OpenedJob>()) {
    answer.update(job_json(*job));
    return answer;
  }
  if (const auto* const hang = run.as<OpenedHang>()) {
    answer.update(hang_json(*hang->hang));
  } else if (const auto* const trace = run.as<OpenedTrace>()) {
    models_.push_back(std::make_shared<const QueryModel>(trace->trace, trace->details, *path));
    answer["kind"] = "trace";
    answer["sql_file"] = models_.size();
    answer["slices"] = trace->trace->slice_count();
    answer["duration_ns"] = models_.back()->bounds().length_ns();
    answer["rank"] = trace->trace->job.rank;
    answer["world_size"] = trace->trace->job.world_size;
  } else if (const auto* const snapshot = run.as<OpenedSnapshot>()) {
    models_.push_back(std::make_shared<const QueryModel>(snapshot->snapshot, *path));
    answer["kind"] = "snapshot";
    answer["sql_file"] = models_.size();
    answer["devices"] = devices_json(*snapshot->snapshot);
  }
  answer["damaged_events"] = run.damage().total();
  return answer;
}

/// Returns the main tables for the open files, with their columns as reported by SQLite.
Result<PlainJson> McpServer::tables() const {
  static constexpr const char* kTraceTables[] = {"slice",         "args",
                                                 "flow",          "thread",
                                                 "process",       "track",
                                                 "counter",       "stats",
                                                 "kernel",        "copy",
                                                 "launch",        "operator",
                                                 "collective",    "step",
                                                 "gap",           "sync",
                                                 "annotation",    "stack",
                                                 "damage",        "file",
                                                 "table_kernels", "table_operators",
                                                 "table_summary"};
  static constexpr const char* kSnapshotTables[] = {
      "allocation", "memory_event", "segment",        "frame",        "stats",       "damage",
      "file",       "table_live",   "table_segments", "table_growth", "table_advice"};
  if (models_.empty()) return nothing_to_query(files_.empty());
  std::set<std::string> tables;
  for (const auto& model : models_) {
    if (model->snapshot() != nullptr) {
      tables.insert(std::begin(kSnapshotTables), std::end(kSnapshotTables));
    } else {
      tables.insert(std::begin(kTraceTables), std::end(kTraceTables));
    }
  }
  PlainJson all = PlainJson::object();
  for (const std::string& table : tables) {
    JsonRows rows;
    const Result<QueryEnd> end =
        run_query(models_, "SELECT name FROM pragma_table_xinfo('" + table + "')", {}, rows, {});
    if (!end.ok()) return end.error();
    PlainJson names = PlainJson::array();
    const PlainJson answer = rows.json(end.value());
    for (const PlainJson& row : answer["rows"]) names.push_back(row[0]);
    all[table] = std::move(names);
  }
  return all;
}

Result<PlainJson> McpServer::query(const PlainJson& arguments) const {
  const std::optional<std::string> sql = text_of_argument(arguments, "sql");
  if (!sql) return wrong("query needs sql");
  if (models_.empty()) return nothing_to_query(files_.empty());
  QueryLimits limits;
  limits.work_rules = kernel_categories();
  limits.units = byte_units();
  const std::int64_t limit = number_of(arguments, "limit").value_or(static_cast<std::int64_t>(kRows));
  limits.rows =
      static_cast<std::uint64_t>(std::clamp<std::int64_t>(limit, 1, static_cast<std::int64_t>(kMostRows)));
  JsonRows rows;
  const Result<QueryEnd> end = run_query(models_, *sql, limits, rows, {});
  if (!end.ok()) return wrong(rows.sentence(end.error()));
  PlainJson answer = rows.json(end.value());
  if (models_.size() > 1) {
    for (const std::uint32_t file : end.value().files)
      answer["files"].push_back({{"file", file}, {"path", models_[file - 1]->file()}});
    if (const std::string sentence = partial_files_sentence(models_, end.value()); !sentence.empty())
      answer["note"] = sentence;
  }
  return answer;
}

Result<std::size_t> McpServer::file_of(const PlainJson& arguments, const char* name) const {
  const std::int64_t file = number_of(arguments, name).value_or(1);
  if (file < 1 || static_cast<std::uint64_t>(file) > files_.size())
    return wrong("This file is not open: open it first");
  return static_cast<std::size_t>(file) - 1;
}

Result<PlainJson> McpServer::picture(const PlainJson& arguments) const {
  const Result<std::size_t> file = file_of(arguments);
  if (!file.ok()) return file.error();
  ScreenshotCommand command;
  command.opening = opening_;
  command.input.file = files_[file.value()].path;
  const auto from = number_of(arguments, "from_ns");
  const auto to = number_of(arguments, "to_ns");
  if (from && to && *from < *to) command.range = TimeRange{*from, *to};
  DamageLog damage;
  const Result<std::string> png = command.png(&damage);
  if (!png.ok()) return wrong(error_sentence(png.error(), command.input.file.string()));
  return PlainJson{{"type", "image"}, {"data", base64(png.value())}, {"mimeType", "image/png"}};
}

Result<PlainJson> McpServer::findings(const PlainJson& arguments) const {
  const Result<std::size_t> file = file_of(arguments);
  if (!file.ok()) return file.error();
  const OpenedRun& run = files_[file.value()];
  const auto* const trace = run.as<OpenedTrace>();
  if (trace == nullptr) {
    return wrong("Findings are for traces; use verdict for file " + std::to_string(file.value() + 1));
  }
  PlainJson answer(findings_json(*trace->trace));
  if (files_.size() > 1) answer["files"] = {{{"file", file.value() + 1}, {"path", run.path.string()}}};
  return answer;
}

Result<PlainJson> McpServer::verdict(const PlainJson& arguments) const {
  const Result<std::size_t> file = file_of(arguments);
  if (!file.ok()) return file.error();
  const OpenedRun& run = files_[file.value()];
  PlainJson files = {{{"file", file.value() + 1}, {"path", run.path.string()}}};
  Result<DocumentVerdict> made = DocumentVerdict{};
  if (arguments.contains("compare_with")) {
    const Result<std::size_t> other = file_of(arguments, "compare_with");
    if (!other.ok()) return other.error();
    files.push_back({{"file", other.value() + 1}, {"path", files_[other.value()].path.string()}});
    made = verdict_of(run, files_[other.value()], opening_.open_options());
  } else {
    std::optional<std::size_t> device;
    if (const std::optional<std::int64_t> wanted = number_of(arguments, "device"))
      device = static_cast<std::size_t>(*wanted);
    made = verdict_of(run, device);
  }
  if (!made.ok()) return wrong(error_sentence(made.error(), run.path.string()));
  PlainJson answer(verdict_json(made.value()));
  answer["files"] = std::move(files);
  return answer;
}

PlainJson McpServer::call(const PlainJson& parameters) {
  const std::string name = parameters.is_object() ? text_of_argument(parameters, "name").value_or("") : "";
  const PlainJson arguments =
      parameters.is_object() && parameters.contains("arguments") && parameters["arguments"].is_object()
          ? parameters["arguments"]
          : PlainJson::object();
  Result<PlainJson> done = name == "open"       ? open(arguments)
                           : name == "tables"   ? tables()
                           : name == "query"    ? query(arguments)
                           : name == "picture"  ? picture(arguments)
                           : name == "findings" ? findings(arguments)
                           : name == "verdict"  ? verdict(arguments)
                                                : Result<PlainJson>(wrong("Unknown tool"));
  if (!done.ok())
    return {{"content", {{{"type", "text"}, {"text", done.error().what.str()}}}}, {"isError", true}};
  if (name == "picture") {
    PlainJson content = PlainJson::array({done.value()});
    if (files_.size() > 1) {
      const std::size_t file = file_of(arguments).value();
      content.push_back({{"type", "text"},
                         {"text", "File " + std::to_string(file + 1) + ": " + files_[file].path.string()}});
    }
    return {{"content", std::move(content)}};
  }
  return {{"content", {{{"type", "text"}, {"text", printed(done.value())}}}}};
}

std::optional<PlainJson> McpServer::answer(const std::string& message) {
  const auto failed = [](const PlainJson& id, int code, const char* what) {
    return PlainJson{{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", what}}}};
  };
  if (nests_deeper_than(message, kMaxNesting))
    return failed(nullptr, kInvalidRequest, "The message is nested too deep");
  const PlainJson request = PlainJson::parse(message, nullptr, false);
  if (request.is_discarded()) return failed(nullptr, kParseError, "The message is not JSON");
  if (!request.is_object() || !text_of_argument(request, "method"))
    return failed(nullptr, kInvalidRequest, "The message is not a request");
  if (!request.contains("id")) return std::nullopt;
  const PlainJson& id = request["id"];
  const std::string method = request["method"];
  const PlainJson parameters = request.value("params", PlainJson::object());
  PlainJson result = PlainJson::object();
  if (method == "initialize") {
    const std::optional<std::string> version =
        parameters.is_object() ? text_of_argument(parameters, "protocolVersion") : std::nullopt;
    result = {{"protocolVersion", version.value_or("2025-06-18")},
              {"capabilities", {{"tools", PlainJson::object()}}},
              {"serverInfo", {{"name", "kinetoscope"}, {"version", std::string(program_version())}}}};
  } else if (method == "tools/list") {
    result = {{"tools", tools()}};
  } else if (method == "tools/call") {
    result = call(parameters);
  } else if (method != "ping") {
    return failed(id, kNoMethod, "Unknown method");
  }
  return PlainJson{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

}  // namespace kino
