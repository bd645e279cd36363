// Covers: document_verdict, opened_run, verdict_command
// Verdicts on all kinds of recordings, with the texts of the window.
#include "app/cli/verdict/document_verdict.hpp"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/pages/job/job_texts.hpp"
#include "app/pages/timeline_drawer/trace_verdict.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/job/flight/hang_process.hpp"
#include "core/tables/analysis/verdict_text.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace document_verdicts {
namespace {

using kino_test::TemporaryFolder;

/// Returns a trace with eight steps of `step_us`, in each of which one kernel runs for `kernel_us`.
std::string steps_text(int step_us, int kernel_us) {
  std::string text = R"({"schemaVersion": 1, "traceEvents": [)";
  for (int i = 0; i < 8; ++i) {
    const std::string begin = std::to_string(i * step_us);
    const std::string id = std::to_string(i + 1);
    text += std::string(i == 0 ? "" : ",") +
            R"({"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1, "name": "ProfilerStep#)" + id +
            R"(", "ts": )" + begin + R"(, "dur": )" + std::to_string(step_us) + "}," +
            R"({"ph": "X", "cat": "cuda_runtime", "pid": 1, "tid": 1, "name": "cudaLaunchKernel", "ts": )" +
            begin + R"(, "dur": 5, "args": {"correlation": )" + id + "}}," +
            R"({"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "name": "gemm", "ts": )" +
            std::to_string(i * step_us + 10) + R"(, "dur": )" + std::to_string(kernel_us) +
            R"(, "args": {"device": 0, "stream": 7, "correlation": )" + id + "}}";
  }
  return text + "]}";
}

std::string rank_text(int rank) {
  std::string text = R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" +
                     std::to_string(rank) +
                     R"(, "world_size": 2}, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [)";
  for (int i = 0; i < 8; ++i) {
    const int start = 1000 * i + 37 * (i * i % 7) + (rank == 1 ? 300 : 0);
    const int end = 1000 * i + 37 * (i * i % 7) + 400;
    text +=
        std::string(i == 0 ? "" : ",") + R"({"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "name": )" +
        R"("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ts": )" + std::to_string(start) + R"(, "dur": )" +
        std::to_string(end - start) +
        R"(, "args": {"device": 0, "stream": 7, "Collective name": "allreduce", "In msg nelems": 1000, )" +
        R"("Out msg nelems": 1000, "Group size": 2, "dtype": "Float", "Process Group Name": "0"}})";
  }
  return text + "]}";
}

std::string dump_text(int rank, int enqueued) {
  std::string text = R"({"version":"2.10","rank":)" + std::to_string(rank) +
                     (rank == 1 ? R"(,"pid":4242,"hostname":"node01")" : "") +
                     R"(,"pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"}},"entries":[)";
  for (int i = 1; i <= enqueued; ++i) {
    text += std::string(i == 1 ? "" : ",") +
            R"({"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":)" + std::to_string(i) +
            R"(,"profiling_name":"nccl:all_reduce","state":")" + (i < 2 ? "completed" : "started") +
            R"(","is_p2p":false,"time_created_ns":)" + std::to_string(1'700'000'000'000'000'000 + i) + "}";
  }
  return text + "]}";
}

kino::OpenedRun opened(const std::filesystem::path& path) {
  kino::OpenOptions options;
  options.cache.look = false;
  kino::Result<kino::OpenedRun> run = kino::open_run(path, options);
  REQUIRE_MESSAGE(run.ok(), run.error().what.str());
  return std::move(run).value();
}

kino::DocumentVerdict verdict_on(const std::filesystem::path& path) {
  const auto verdict = kino::verdict_of(opened(path));
  REQUIRE_MESSAGE(verdict.ok(), verdict.error().what.str());
  return verdict.value();
}

}  // namespace

TEST_CASE("the verdict on a trace has the headline, the evidence and the findings of the window") {
  const TemporaryFolder folder;
  const kino::OpenedRun run = opened(folder.write("trace.json", steps_text(1000, 600)));
  const kino::DocumentVerdict verdict = kino::verdict_of(run).value();
  const kino::Findings findings =
      kino::whole_findings(kino::RangeAnalyses(*run.as<kino::OpenedTrace>()->trace), kino::byte_units());
  const kino::Verdict window = kino::verdict_texts(findings, kino::Theme::make(true));
  CHECK(verdict.kind == "trace");
  CHECK(verdict.sentence == window.headline);
  CHECK(verdict.evidence == window.evidence);
  REQUIRE(verdict.findings.size() == findings.list.size());
  REQUIRE_FALSE(window.rows.empty());
  CHECK(verdict.findings[0].name == window.rows[0].name);
  CHECK(verdict.findings[0].amount == window.rows[0].amount);
  CHECK(verdict.findings[0].share == window.rows[0].share);
}

TEST_CASE("the verdict on a snapshot is that of the device with the largest peak, unless one is requested") {
  const TemporaryFolder folder;
  const kino::OpenedRun run = opened(folder.write(
      "memory.json", R"({"segments": [], "device_traces": [)"
                     R"([{"action": "alloc", "addr": 65536, "size": 512, "stream": 0, "time_us": 1}],)"
                     R"([{"action": "alloc", "addr": 65536, "size": 4096, "stream": 0, "time_us": 1}]]})"));
  const auto largest = kino::verdict_of(run);
  REQUIRE(largest.ok());
  CHECK(largest.value().kind == "snapshot");
  CHECK(largest.value().sentence == kino::verdict_of(run, 1).value().sentence);
  CHECK(largest.value().sentence != kino::verdict_of(run, 0).value().sentence);
  CHECK_FALSE(kino::verdict_of(run, 2).ok());
}

TEST_CASE("the verdict on a folder of ranks is that of the job page") {
  const TemporaryFolder folder;
  for (const int rank : {0, 1}) folder.write("r" + std::to_string(rank) + ".json", rank_text(rank));
  const kino::OpenedRun run = opened(folder.path());
  const auto* const job = run.as<kino::OpenedJob>();
  REQUIRE(job != nullptr);
  const kino::DocumentVerdict verdict = kino::verdict_of(run).value();
  CHECK(verdict.kind == "job");
  CHECK(verdict.sentence == kino::verdict_title(*job->job.analysis));
  CHECK(verdict.sentence.starts_with("Rank 1 makes the others wait"));
  CHECK(verdict.evidence == kino::verdict_reason(*job->job.analysis));
  REQUIRE(verdict.findings.size() == 1);
  CHECK(verdict.findings[0].name == "Rank 1");
}

TEST_CASE("the verdict on a hang names the process and the command for its stacks") {
  const TemporaryFolder folder;
  folder.write("nccl_trace_rank_0", dump_text(0, 2));
  folder.write("nccl_trace_rank_1", dump_text(1, 1));
  const kino::DocumentVerdict verdict = verdict_on(folder.path());
  CHECK(verdict.kind == "hang");
  CHECK(verdict.sentence.starts_with("Rank 1 never entered"));
  CHECK(verdict.evidence.find("Rank 1 is process 4242 on host node01.") != std::string::npos);
  CHECK(verdict.commands == std::vector<std::string>{"ssh node01 py-spy dump --pid 4242"});
  REQUIRE(verdict.findings.size() == 1);
  CHECK(verdict.findings[0].detail.find("has not entered nccl:all_reduce 2") != std::string::npos);
}

TEST_CASE("the verdict on two traces names the faster one and the causes of the change") {
  const TemporaryFolder folder;
  const kino::OpenedRun a = opened(folder.write("a.json", steps_text(1000, 600)));
  const kino::OpenedRun b = opened(folder.write("b.json", steps_text(800, 400)));
  const auto verdict = kino::verdict_of(a, b, kino::OpenOptions{});
  REQUIRE(verdict.ok());
  CHECK(verdict.value().kind == "comparison");
  CHECK(verdict.value().sentence == "B is faster: 1 ms → 800 µs per step");
  REQUIRE_FALSE(verdict.value().findings.empty());
  CHECK(verdict.value().findings[0].ns.value_or(0) < 0);
  const kino::OpenedRun snapshot =
      opened(folder.write("memory.json", R"({"segments": [], "device_traces": [[{"action": "alloc", )"
                                         R"("addr": 65536, "size": 512, "stream": 0, "time_us": 1}]]})"));
  CHECK_FALSE(kino::verdict_of(a, snapshot, kino::OpenOptions{}).ok());
}

TEST_CASE("a folder of unrelated recordings and a missing file are errors") {
  const TemporaryFolder folder;
  folder.write("a.json", steps_text(1000, 600));
  folder.write("b.json", steps_text(800, 400));
  CHECK_FALSE(kino::open_run(folder.path(), kino::OpenOptions{}).ok());
  CHECK_FALSE(kino::open_run(folder.path() / "none", kino::OpenOptions{}).ok());
}

TEST_CASE("lines of the verdict are escaped, JSON contains the texts unchanged") {
  const kino::DocumentVerdict verdict{
      "hang", "A\x1b[31m.", "B.", {{"name", 5, "5 ns", "1.0 %", "why"}, {"other", {}, "", "", ""}}, {"ls"}};
  const std::string lines = kino::verdict_lines(verdict);
  CHECK(lines.find('\x1b') == std::string::npos);
  CHECK(lines.ends_with("B.\n  name   5 ns     1.0 %\n      why\n  other\n  $ ls\n"));
  const auto json = kino::verdict_json(verdict);
  CHECK(json["sentence"] == "A\x1b[31m.");
  CHECK(json["findings"][0]["ns"] == 5);
  CHECK(json["findings"][1]["ns"].is_null());
  CHECK(json["commands"][0] == "ls");
}

}  // namespace document_verdicts
