// Covers: capture_join, graph_captures, sequence_join, graph_replays, expert_traffic
// Joins of real and made recordings of inference servers against an independent implementation
// (golden/serving).
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/capture/capture_join.hpp"
#include "core/tables/capture/expert_traffic.hpp"
#include "core/tables/capture/graph_captures.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "tests/fixtures/golden_traces.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/sha256.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace {

using ServingGolden = nlohmann::json;

/// Files of goldens that are not in the folder of recordings of servers.
constexpr std::pair<std::string_view, std::string_view> kRealFiles[] = {
    {"amg_example__asdf_True.json.gz", "kineto/segment-anything-fast/amg_example__asdf_True.json.gz"},
    {"inference_vllm_prefilldecode_piecewise__graph_execution.json.gz",
     "kineto/tracelens/inference_vllm_prefilldecode_piecewise__graph_execution.json.gz"},
    {"dp0_pp0_tp0_dcp0_ep0_rank0.1784329797354826750.pt.trace.json.gz",
     "serving/glm52_vllm_ep4/dp0_pp0_tp0_dcp0_ep0_rank0.1784329797354826750.pt.trace.json.gz"},
    {"ref_ep_moe_fwd.json", "kineto/pytorch-ao/ref_ep_moe_fwd.json"},
    {"10-116-218-90_3090494.1743406976912802812.pt.trace.json",
     "kineto/lightllm-decode-tp8/10-116-218-90_3090494.1743406976912802812.pt.trace.json"}};

std::shared_ptr<const kino::Trace> serving_trace(const std::string& file) {
  for (const auto& [name, path] : kRealFiles) {
    if (name == file) return kino_test::golden_trace(path);
  }
  return kino_test::golden_trace("serving/" + file);
}

/// Returns the launches of each iteration: from its mark to the next one.
std::vector<kino::BatchWindow> batches_of(const kino::Trace& trace, const ServingGolden& golden) {
  std::vector<kino::BatchWindow> batches;
  for (const ServingGolden& iteration : golden["iterations"]) {
    const std::int64_t begin =
        iteration["cpu"][0].get<std::int64_t>() - trace.origin_unix_ns + trace.base_time_ns;
    if (!batches.empty()) batches.back().launches.end_ns = begin;
    const bool known = !iteration["context_tokens"].is_null();
    const std::int64_t tokens = known ? iteration["context_tokens"].get<std::int64_t>() +
                                            iteration["generation_tokens"].get<std::int64_t>()
                                      : -1;
    batches.push_back({{begin, kino::whole_range(trace).end_ns}, tokens});
  }
  return batches;
}

/// Returns the golden's line of a piece of work.
std::string join_line(const kino::Trace& trace, const kino::GraphCaptures& captures,
                      const kino::ReplayJoin& replay, kino::SliceId work, std::uint32_t node) {
  const kino::CapturedLaunch& launch = captures.captures()[replay.capture].nodes[node];
  std::string line = std::to_string(trace.start_ns(work) + trace.origin_unix_ns - trace.base_time_ns);
  const std::string_view shapes = replay.shapes ? captures.shapes_of_inputs(launch) : std::string_view{};
  const std::string_view level = kino::text_of(replay.level);
  for (const std::string_view part :
       {std::string_view(trace.name_of(work)), captures.operator_name(launch),
        shapes.empty() ? std::string_view(R"("")") : shapes, captures.module_name(launch), level}) {
    line.append("\t").append(part);
  }
  return line;
}

/// Returns the lines of all joined work, in order of start.
std::vector<std::string> join_lines(const kino::Trace& trace, const kino::GraphCaptures& captures,
                                    const kino::CaptureJoin& join) {
  std::vector<std::pair<std::int64_t, std::string>> lines;
  for (const kino::ReplayJoin& replay : join.replays) {
    for (std::size_t i = 0; i < replay.work_count; ++i) {
      const kino::SliceId work = join.work[replay.first_work + i];
      const std::uint32_t node = join.nodes[replay.first_work + i];
      if (node == kino::CaptureJoin::kNoNode) continue;
      lines.emplace_back(trace.start_ns(work), join_line(trace, captures, replay, work, node));
    }
  }
  std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.first; });
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (auto& [start, line] : lines) texts.push_back(std::move(line));
  return texts;
}

void check_captures(const kino::GraphCaptures& captures, const ServingGolden& golden) {
  REQUIRE(captures.captures().size() == golden["captures"].size());
  for (std::size_t i = 0; i < captures.captures().size(); ++i) {
    CHECK(captures.captures()[i].nodes.size() == golden["captures"][i]);
    CHECK(captures.captures()[i].batch == golden["batches"][i]);
  }
}

void check_rows(const kino::CaptureJoin& join, const ServingGolden& golden) {
  REQUIRE(join.replays.size() == golden["rows"].size());
  for (std::size_t i = 0; i < join.replays.size(); ++i) {
    const kino::ReplayJoin& replay = join.replays[i];
    const ServingGolden& row = golden["rows"][i];
    CAPTURE(i);
    CHECK(replay.work_count == row["work"]);
    CHECK(replay.joined == row["joined"]);
    const bool joined = replay.capture != kino::ReplayJoin::kNoCapture;
    REQUIRE(joined == !row["capture"].is_null());
    if (!joined) continue;
    CHECK(replay.capture == row["capture"]);
    CHECK(std::string(kino::text_of(replay.level)) == row["level"]);
    CHECK(replay.alternatives == row["alternatives"]);
    CHECK(replay.shapes == row["shapes"]);
  }
}

}  // namespace

TEST_CASE("replayed kernels have the operators, shapes and modules of the reference") {
  const auto folder = kino_test::real_data("golden/serving");
  if (!folder) return;
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    const ServingGolden golden = kino_test::read_json(entry.path());
    if (!golden.contains("join")) continue;
    const auto trace = serving_trace(golden["file"].get<std::string>());
    if (!trace) continue;
    CAPTURE(entry.path().stem().string());
    const ServingGolden& want = golden["join"];
    const bool two = !want["capture"].is_null();
    const auto other = two ? serving_trace(want["capture"].get<std::string>()) : trace;
    if (!other) continue;
    const kino::GraphCaptures captures(*other);
    check_captures(captures, want);
    const kino::CaptureJoin join = kino::capture_join(*trace, captures, batches_of(*trace, golden));
    check_rows(join, want);
    CHECK(join.joined() == want["joined"]);
    CHECK(join.work.size() == want["replayed"]);
    for (const auto& [level, count] : want["levels"].items()) {
      std::size_t index = 0;
      while (kino::text_of(static_cast<kino::JoinLevel>(index)) != level) ++index;
      CHECK(join.levels()[index] == count);
    }
    const std::vector<std::string> lines = join_lines(*trace, captures, join);
    std::string text;
    for (const std::string& line : lines) text.append(text.empty() ? "" : "\n").append(line);
    for (std::size_t i = 0; i < std::min(lines.size(), want["first"].size()); ++i) {
      std::string first;
      for (const ServingGolden& part : want["first"][i])
        first.append(first.empty() ? "" : "\t").append(part.get<std::string>());
      CHECK(lines[i] == first);
    }
    CHECK(kino_test::sha256(text) == want["sha256"]);
    ++compared;
  }
  MESSAGE(compared, " joins compared");
}

TEST_CASE("dispatch and combine kernels, and sent rows, are those of the reference") {
  const auto folder = kino_test::real_data("golden/serving");
  if (!folder) return;
  for (const char* const name : {"lightllm_decode", "moe_b200", "glm52_rank0", "made_vllm_graph"}) {
    const ServingGolden golden = kino_test::read_json(*folder / (std::string(name) + ".json"));
    const auto trace = serving_trace(golden["file"].get<std::string>());
    if (!trace) continue;
    CAPTURE(name);
    const ServingGolden& want = golden["experts"];
    const auto devices = kino::expert_traffic(*trace, kino::gpu_work_in(*trace, kino::whole_range(*trace)));
    const kino::ExpertTraffic device = devices.empty() ? kino::ExpertTraffic{} : devices.front();
    CHECK(devices.size() <= 1);
    CHECK(device.dispatches == want["dispatches"]);
    CHECK(device.combines == want["combines"]);
    CHECK(device.pairs.size() == want["pairs"]);
    CHECK(device.dispatch_ns == want["dispatch"]);
    CHECK(device.combine_ns == want["combine"]);
    CHECK(device.between_ns == want["between"]);
    const auto longest = [&](kino::SliceId slice) {
      return slice == kino::kNoSlice ? 0 : trace->duration_ns(slice);
    };
    CHECK(longest(device.longest_dispatch) == want["dispatch_max"]);
    CHECK(longest(device.longest_combine) == want["combine_max"]);
    REQUIRE(device.sent.size() == want["sent"].size());
    for (const auto& [rank, sent] : device.sent) {
      const ServingGolden& row = want["sent"][std::to_string(rank)];
      CHECK(sent.messages == row[0]);
      CHECK(sent.rows == row[1]);
      CHECK(sent.bytes == row[2]);
      CHECK(sent.bytes_known);
    }
  }
}

TEST_CASE("captured launches are those of the reference, and none of them is lost") {
  const auto folder = kino_test::real_data("golden/serving");
  if (!folder) return;
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    const ServingGolden golden = kino_test::read_json(entry.path());
    if (!golden.contains("captured_launches") || golden["captured_launches"] == 0) continue;
    const auto trace = serving_trace(golden["file"].get<std::string>());
    if (!trace) continue;
    CAPTURE(entry.path().stem().string());
    const kino::LaunchCounts counts = kino::count_launches(*trace, kino::whole_range(*trace));
    CHECK(counts.all.captured.count == golden["captured_launches"]);
    CHECK(counts.all.without_work.count == 0);
    CHECK(kino::GraphCaptures(*trace).launch_count() == golden["captured_launches"]);
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("without the names of kernels, pieces of a real model are joined by order, with equal operators") {
  const auto file = kino_test::real_data("serving/vllm_piecewise_capture.json.gz");
  const auto trace = serving_trace("inference_vllm_prefilldecode_piecewise__graph_execution.json.gz");
  if (!file || !trace) return;
  std::string text = kino_test::text_content(*file);
  constexpr std::string_view kArgument = R"("kernel":)";
  for (std::size_t at = text.find(kArgument); at != std::string::npos; at = text.find(kArgument, at))
    text[at + 1] = 'x';
  const kino_test::TemporaryFolder folder;
  const auto hidden_trace = kino_test::open(folder.write("hidden.json", text));
  REQUIRE(hidden_trace.ok());
  const auto named_trace = kino_test::golden_trace("serving/vllm_piecewise_capture.json.gz");
  const kino::GraphCaptures hidden(*hidden_trace.value().trace);
  const kino::GraphCaptures named(*named_trace);
  const kino::CaptureJoin by_order = kino::capture_join(*trace, hidden, {});
  const kino::CaptureJoin exact = kino::capture_join(*trace, named, {});
  CHECK(exact.joined() == 361);
  // The first piece has no repeated call, so nothing confirms its order.
  CHECK(by_order.joined() == 357);
  const kino::JoinedWork reference(exact, named);
  const kino::JoinedWork joined(by_order, hidden);
  for (const kino::SliceId work : by_order.work) {
    const auto node = joined.find(work);
    if (!node) continue;
    CHECK(node->replay->level == kino::JoinLevel::order);
    const auto same = reference.find(work);
    REQUIRE(same.has_value());
    CHECK(hidden.operator_name(*node->launch) == named.operator_name(*same->launch));
    CHECK(hidden.shapes_of_inputs(*node->launch) == named.shapes_of_inputs(*same->launch));
  }
}

TEST_CASE("captures of another model give no operators") {
  const auto captured = kino_test::golden_trace("serving/vllm_piecewise_capture.json.gz");
  const auto decode = kino_test::golden_trace("kineto/tracelens/sglang_Qwen3-8B_decode.json.gz");
  const auto made = kino_test::golden_trace("serving/vllm_hip.json.gz");
  if (!captured || !decode || !made) return;
  for (const kino::Trace* const other : {captured.get(), made.get()}) {
    const kino::GraphCaptures captures(*other);
    const kino::CaptureJoin join = kino::capture_join(*decode, captures, {});
    CHECK_FALSE(join.work.empty());
    CHECK(join.joined() == 0);
  }
}

TEST_CASE("the table replays takes the batch sizes of the iterations in the trace") {
  for (const char* const name : {"made_vllm_graph", "made_vllm_hip"}) {
    const auto file = kino_test::real_data(std::string("golden/serving/") + name + ".json");
    if (!file) return;
    const ServingGolden golden = kino_test::read_json(*file);
    const auto trace = serving_trace(golden["file"].get<std::string>());
    if (!trace) return;
    CAPTURE(name);
    kino::TableRequest request;
    request.name = "replays";
    const auto table = kino::compute_table(kino::RangeAnalyses(*trace), request);
    REQUIRE(table.ok());
    const ServingGolden& rows = golden["join"]["rows"];
    REQUIRE(table.value().row_count() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t batch = kino_test::integer(table.value(), "batch", i);
      CHECK(batch == (rows[i]["batch"].is_null() ? kino::kNoInteger : rows[i]["batch"].get<std::int64_t>()));
      CHECK(kino_test::integer(table.value(), "joined", i) == rows[i]["joined"]);
    }
  }
}
