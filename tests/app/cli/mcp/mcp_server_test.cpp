// Covers: mcp_server
// Answers to an assistant.
#include "app/cli/mcp/mcp_server.hpp"

#include <filesystem>
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
  CHECK(one["note"].get<std::string>().starts_with("The rows are of file 1 (" + first +
                                                   ") only; 2 files are open."));
  const Message both = told_by(server, "query", {{"sql", "SELECT name, rank FROM slice"}});
  CHECK(both["rows"].size() == 2);
  CHECK(both["files"].size() == 2);
  CHECK_FALSE(both.contains("note"));
  const Message findings = told_by(server, "findings", {{"file", 2}});
  CHECK(findings["files"] == Message::array({{{"file", 2}, {"path", second}}}));
}

TEST_CASE("opens jobs and hangs, and gives their verdicts; SQL counts only traces and snapshots") {
  const kino_test::TemporaryFolder folder;
  const auto rank = [&](int number) {
    std::string text = R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" +
                       std::to_string(number) + R"(, "world_size": 2}, "traceEvents": [)";
    for (int i = 0; i < 8; ++i) {
      const int start = 1000 * i + 37 * (i * i % 7) + (number == 1 ? 300 : 0);
      text +=
          std::string(i == 0 ? "" : ",") +
          R"({"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", )" +
          R"("ts": )" + std::to_string(start) + R"(, "dur": )" +
          std::to_string(1000 * i + 37 * (i * i % 7) + 400 - start) +
          R"(, "args": {"stream": 7, "Collective name": "allreduce", "In msg nelems": 1000, )" +
          R"("Out msg nelems": 1000, "Group size": 2, "dtype": "Float", "Process Group Name": "0"}})";
    }
    return text + "]}";
  };
  for (const char* const name : {"job", "hang"}) std::filesystem::create_directory(folder.path() / name);
  folder.write("job/r0.json", rank(0));
  const std::string second = folder.write("job/r1.json", rank(1)).string();
  folder.write(
      "hang/dump_0",
      R"({"version":"2.10","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"}},"entries":[)"
      R"({"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":1,"profiling_name":"nccl:all_reduce",)"
      R"("state":"started","is_p2p":false,"time_created_ns":1700000000000000000}]})");
  folder.write(
      "hang/dump_1",
      R"({"version":"2.10","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"}},)"
      R"("pg_status":{"0":{"last_enqueued_collective":0,"last_completed_collective":0}},"entries":[]})");
  kino::OpeningOptions opening;
  opening.no_cache = true;
  kino::McpServer server(opening);
  CHECK(told_by(server, "verdict", Message::object()).is_string());
  const Message job = told_by(server, "open", {{"path", (folder.path() / "job").string()}});
  REQUIRE_MESSAGE(job.is_object(), job.dump());
  CHECK(job["kind"] == "job");
  CHECK(job["file"] == 1);
  CHECK_FALSE(job.contains("sql_file"));
  CHECK(job["ranks"][1]["path"] == second);
  const Message hang = told_by(server, "open", {{"path", (folder.path() / "hang").string()}});
  REQUIRE_MESSAGE(hang.is_object(), hang.dump());
  CHECK(hang["kind"] == "hang");
  CHECK(hang["file"] == 2);
  CHECK(hang["ranks"][0]["pid"].is_null());
  CHECK(told_by(server, "tables", Message::object()).is_string());
  CHECK(told_by(server, "findings", {{"file", 1}}).is_string());
  const Message trace = told_by(server, "open", {{"path", second}});
  CHECK(trace["file"] == 3);
  CHECK(trace["sql_file"] == 1);
  CHECK(told_by(server, "query", {{"sql", "SELECT COUNT(*) FROM slice WHERE file = 1"}})["rows"][0][0] == 8);

  const Message of_job = told_by(server, "verdict", Message::object());
  CHECK(of_job["kind"] == "job");
  CHECK(of_job["sentence"].get<std::string>().starts_with("Rank 1 makes the others wait"));
  const Message of_hang = told_by(server, "verdict", {{"file", 2}});
  CHECK(of_hang["kind"] == "hang");
  CHECK(of_hang["sentence"].get<std::string>().starts_with("Rank 1 never entered"));
  CHECK(of_hang["commands"][0].get<std::string>().find("grep -slzx RANK=1 ") != std::string::npos);
  CHECK(told_by(server, "verdict", {{"file", 3}})["kind"] == "trace");
  const Message change = told_by(server, "verdict", {{"file", 3}, {"compare_with", 3}});
  REQUIRE_MESSAGE(change.is_object(), change.dump());
  CHECK(change["kind"] == "comparison");
  CHECK(change["files"].size() == 2);
  CHECK(told_by(server, "verdict", {{"file", 3}, {"compare_with", 2}}).is_string());
  CHECK(told_by(server, "verdict", {{"file", 4}}).is_string());
}
