// Covers: activity_graph, critical_path, rank_work, thread_lines, waiting_calls, line_nodes, gpu_dependences, event_waits,
//   graph_window, graph_collectives, graph_lags, line_edges, slack, retiming, what_if, path_cause
// Critical paths of real traces against an independent implementation (golden/critical), in ns.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/critical/activity_graph.hpp"
#include "core/critical/critical_path.hpp"
#include "core/critical/retiming.hpp"
#include "core/critical/slack.hpp"
#include "core/critical/what_if.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

using Json = nlohmann::json;

/// Traces whose path differs from the reference. deepseek, syncless: expert-parallel kernels are collectives
/// here. mtia: other slices count as work. rank0, param, asdf: the order of work or an implicit wait differs.
const std::set<std::string> kOtherPaths{"deepseek-ai-profile-data__train",
                                        "pytorch-ao__syncless_ep_moe_fwd",
                                        "hta__mtia_inference_rank_0",
                                        "hta__rank0",
                                        "param__resnet_kineto",
                                        "segment-anything-fast__amg_example__asdf_True"};

/// Traces with an equal path but other names on it, because two threads run operators at the same time.
const std::set<std::string> kOtherNames{"param-dlrm-8rank__worker0_step_12.1694128201545"};
/// Traces whose slack differs, because the reference reads events of cuda_sync.
const std::set<std::string> kOtherSlack{"hta__critical_path_cuda_event_sync_multi_stream__event_sync_trace",
                                        "hta__simple_add_output__overlaid_critical_path_trace"};

/// Returns the reference's name of a cause.
std::string reference_name(kino::PathCause cause) {
  if (cause == kino::PathCause::waiting) return "waiting for other ranks";
  return cause == kino::PathCause::runtime_call ? "cuda call" : std::string(kino::text_of(cause));
}

/// Returns the path of a golden file's trace. If there is no file of this name, tries "__" and then "_" in
/// place of each slash after the first.
std::optional<std::filesystem::path> trace_file(const std::string& name) {
  if (const auto file = kino_test::real_data("kineto/" + name); file && std::filesystem::exists(*file))
    return file;
  const std::size_t folder = name.find('/') + 1;
  for (const std::string_view separator : {"__", "_"}) {
    std::string flat = name.substr(0, folder);
    for (const char c : name.substr(folder)) {
      if (c == '/') {
        flat += separator;
      } else {
        flat += c;
      }
    }
    const auto file = kino_test::real_data("kineto/" + flat);
    if (file && std::filesystem::exists(*file)) return file;
  }
  return std::nullopt;
}

/// Shortens a name as the reference does: kernels to 60 characters, others to 80.
std::string shortened(std::string name, bool gpu) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  for (std::size_t at = name.find(kAnonymous); at != std::string::npos; at = name.find(kAnonymous))
    name.replace(at, kAnonymous.size(), "{anon}");
  if (constexpr std::string_view kGraph = "inside a graph: "; name.starts_with(kGraph))
    name.replace(0, kGraph.size(), "inside a CUDA graph: ");
  std::size_t begin = 0;
  for (const std::string_view reason : {"launch not recorded: ", "inside a CUDA graph: ",
                                        "queued, nothing seen to run: ", "earlier work not recorded: "}) {
    if (name.starts_with(reason)) begin = reason.size();
  }
  const std::size_t most = std::min<std::size_t>(gpu ? begin + 60 : 80, 80);
  if (name.size() > most) name.resize(most);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

void check_causes(const kino::CriticalPath& path, const Json& golden) {
  for (std::size_t i = 0; i < kino::kPathCauseCount; ++i) {
    const std::string cause = reference_name(static_cast<kino::PathCause>(i));
    CAPTURE(cause);
    CHECK(path.causes[i] == golden.value(cause, std::int64_t{0}));
  }
}

void check_names(const kino::ActivityGraph& graph, const kino::CriticalPath& path, const Json& golden) {
  const kino::Trace& trace = *graph.ranks.front().trace;
  std::map<std::pair<std::string, std::string>, std::int64_t> sums;
  for (const kino::PathPiece& piece : path.pieces) {
    const bool gpu = piece.slice != kino::kNoSlice && kino::is_gpu_work(trace.kind(piece.slice));
    sums[{reference_name(piece.cause), shortened(kino::piece_name(graph, piece), gpu)}] +=
        piece.range.length_ns();
  }
  for (const Json& row : golden) {
    CAPTURE(row.dump());
    CHECK(sums[{row[0].get<std::string>(), shortened(row[1].get<std::string>(), false)}] == row[2]);
  }
}

void check_steps(const kino::ActivityGraph& graph, const kino::CriticalPath& path, const Json& golden) {
  if (!golden.contains("step_end_ns")) return;
  const std::vector<std::int64_t>& ends = graph.ranks.front().step_ends;
  REQUIRE(ends.size() == golden["step_end_ns"].size());
  std::int64_t begin_ns = graph.window.begin_ns;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    CHECK(ends[i] - graph.window.begin_ns == golden["step_end_ns"][i]);
    const kino::CauseSums sums = kino::causes_within(path, {begin_ns, ends[i]});
    begin_ns = ends[i];
    for (const auto& [cause, ns] : golden["steps_causes_ns"][i].items()) {
      CAPTURE(cause);
      const auto other = cause == "cuda call" ? kino::PathCause::runtime_call : kino::PathCause::waiting;
      const auto known = kino::path_cause_named(cause).value_or(other);
      REQUIRE(reference_name(known) == cause);
      CHECK(sums[kino::index_of_cause(known)] == ns);
    }
  }
}

void check_slack(const kino::ActivityGraph& graph, const Json& golden) {
  const kino::SlackSummary summary = kino::slack_summary(graph, kino::node_slacks(graph));
  CHECK(summary.critical == golden["critical_work"]);
  CHECK(summary.work == golden["work"]);
  const auto check = [&](std::int64_t slack_ns, const Json& want) {
    CHECK((slack_ns == kino::kNoSlack ? Json() : Json(slack_ns)) == want);
  };
  check(summary.p10_ns, golden["slack_ns"]["p10"]);
  check(summary.p50_ns, golden["slack_ns"]["p50"]);
  check(summary.p90_ns, golden["slack_ns"]["p90"]);
}

}  // namespace

TEST_CASE("critical paths of real traces are those of the reference, to the ns") {
  const auto folder = kino_test::real_data("golden/critical");
  if (!folder) return;
  std::size_t equal = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    const std::string name = entry.path().stem().string();
    const Json golden = Json::parse(kino_test::file_content(entry.path()));
    if (golden["ranks"] != 1) continue;
    const auto file = trace_file(golden["files"].get<std::string>());
    if (!file) continue;
    CAPTURE(name);
    const auto opened = kino_test::open(*file);
    REQUIRE(opened.ok());
    const kino::ActivityGraph graph = kino::activity_graph(*opened.value().trace);
    const kino::CriticalPath path = kino::critical_path(graph);
    std::int64_t sum_ns = 0;
    for (const std::int64_t ns : path.causes) sum_ns += ns;
    CHECK(sum_ns == graph.window.length_ns());
    CHECK(kino::replayed(graph, {}, kino::Reading::kept).length_ns == graph.window.length_ns());
    if (kOtherPaths.contains(name)) continue;
    CHECK(graph.window.length_ns() == golden["total_ns"]);
    CHECK(graph.forced == golden["forced"]);
    check_causes(path, golden["causes_ns"]);
    if (!kOtherNames.contains(name)) check_names(graph, path, golden["names_ns"]);
    check_steps(graph, path, golden);
    if (!kOtherSlack.contains(name)) check_slack(graph, golden);
    ++equal;
  }
  MESSAGE(equal, " critical paths compared");
}
