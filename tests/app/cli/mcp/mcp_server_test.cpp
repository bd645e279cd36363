// Covers: mcp_server
// Answers to an assistant.
#include "app/cli/mcp/mcp_server.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/temporary_folder.hpp"

namespace {

using Message = nlohmann::json;

/// Returns a tool's answer as JSON, or the sentence of its error.
Message told_by(kino::McpServer& server, const char* tool, const Message& arguments) {
  const Message request = {{"jsonrpc", "2.0"},
                           {"id", 1},
                           {"method", "tools/call"},
                           {"params", {{"name", tool}, {"arguments", arguments}}}};
  const auto answer = server.answer(request.dump());
  REQUIRE(answer.has_value());
  const Message& result = (*answer)["result"];
  const std::string text = result["content"][0]["text"];
  return result.contains("isError") ? Message(text) : Message::parse(text);
}

}  // namespace

TEST_CASE("answers SQL on a snapshot as on a trace") {
  const kino_test::TemporaryFolder folder;
  const std::string snapshot =
      folder
          .write(
              "memory.json",
              R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 65536, "size": 512, "stream": 0,
                     "time_us": 1000, "frames": [{"filename": "/job/model.py", "line": 7, "name": "forward"}]}]]})")
          .string();
  const std::string trace =
      folder
          .write(
              "trace.json",
              R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})")
          .string();
  kino::McpServer server{kino::OpeningOptions{}};
  CHECK(told_by(server, "tables", Message::object()) == "Open a file first");
  const Message opened = told_by(server, "open", {{"path", snapshot}});
  CHECK(opened["kind"] == "snapshot");
  CHECK(opened["devices"][0]["peak_bytes"] == 512);
  Message tables = told_by(server, "tables", Message::object());
  CHECK(tables.contains("allocation"));
  CHECK(tables.contains("table_live"));
  CHECK_FALSE(tables.contains("kernel"));
  CHECK(told_by(server, "query", {{"sql", "SELECT bytes, place FROM allocation"}})["rows"] ==
        Message::parse(R"([[512, "model.py:7 forward"]])"));
  CHECK(told_by(server, "open", {{"path", trace}})["kind"] == "trace");
  tables = told_by(server, "tables", Message::object());
  CHECK(tables.contains("allocation"));
  CHECK(tables.contains("kernel"));
  CHECK(told_by(server, "query", {{"sql", "SELECT name FROM slice WHERE file = 2"}})["rows"] ==
        Message::parse(R"([["a"]])"));
  CHECK(told_by(server, "open", {{"path", "-"}}).is_string());
  CHECK(told_by(server, "open", {{"path", folder.write("x", "no trace").string()}}).is_string());
}

TEST_CASE("with several open files, an answer names its file") {
  const kino_test::TemporaryFolder folder;
  const auto trace = [&](const char* file, const char* name) {
    return folder
        .write(file, std::string(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": ")") + name +
                         R"(", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})")
        .string();
  };
  const std::string first = trace("first.json", "a");
  const std::string second = trace("second.json", "b");
  kino::McpServer server{kino::OpeningOptions{}};
  told_by(server, "open", {{"path", first}});
  const Message alone = told_by(server, "query", {{"sql", "SELECT name FROM slice"}});
  CHECK_FALSE(alone.contains("files"));
  CHECK_FALSE(alone.contains("note"));
  told_by(server, "open", {{"path", second}});
  const Message one = told_by(server, "query", {{"sql", "SELECT name FROM slice"}});
  CHECK(one["rows"] == Message::parse(R"([["a"]])"));
  CHECK(one["files"] == Message::array({{{"file", 1}, {"path", first}}}));
  CHECK(one["note"].get<std::string>().starts_with("The rows are of file 1 (" + first + "), of 2 files."));
  const Message both = told_by(server, "query", {{"sql", "SELECT name, rank FROM slice"}});
  CHECK(both["rows"].size() == 2);
  CHECK(both["files"].size() == 2);
  CHECK_FALSE(both.contains("note"));
  const Message findings = told_by(server, "findings", {{"file", 2}});
  CHECK(findings["files"] == Message::array({{{"file", 2}, {"path", second}}}));
}
