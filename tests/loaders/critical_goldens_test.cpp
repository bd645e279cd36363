// Covers: activity_graph, critical_path, rank_work, thread_lines, waiting_calls, line_nodes, gpu_dependences, event_waits,
//   graph_window, graph_collectives, graph_lags, line_edges, slack, retiming, what_if, path_cause, rank_costs
// Critical paths of real traces and jobs against an independent implementation (golden/critical), in ns.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
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
#include "core/job/job_analysis.hpp"
#include "core/job/job_grouping.hpp"
#include "core/job/rank_digest.hpp"
#include "core/job/recording.hpp"
#include "loaders/formats/contained_traces.hpp"
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

/// Traces whose forecasts differ. hta: the reference reads events of cuda_sync. Others: the reading with fixed
/// other ranks differs, and for modded-nanogpt also the forecast of graphs, by 28 us.
const std::set<std::string> kOtherForecasts{
    "hta__critical_path_cuda_event_sync_multi_stream__event_sync_trace",
    "hta__simple_add_output__overlaid_critical_path_trace", "param-dlrm-8rank__worker0_step_12.1694128201545",
    "pytorch-ao__ref_ep_moe_fwd", "modded-nanogpt__profile-rank0-trace"};

/// Jobs whose path differs. The reference joins 112 of the 116 expert-parallel operations of this job, and
/// then drops edges of 28 nodes in cycles. Here all 116 are joined, without a cycle.
const std::set<std::string> kOtherJobs{"job-lightllm-decode-tp8"};
/// Jobs with other names on the path, for the same reason as kOtherNames.
const std::set<std::string> kOtherJobNames{"job-param-dlrm-8rank"};

/// Clocks are fitted independently of the reference, so times on the common clock differ by rounding.
constexpr std::int64_t kClockNs = 1;

bool near(std::int64_t value, const Json& want, std::int64_t tolerance_ns) {
  return std::abs(value - want.get<std::int64_t>()) <= tolerance_ns;
}

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

void check_causes(const kino::CriticalPath& path, const Json& golden, std::int64_t tolerance_ns) {
  for (std::size_t i = 0; i < kino::kPathCauseCount; ++i) {
    const std::string cause = reference_name(static_cast<kino::PathCause>(i));
    CAPTURE(cause);
    CHECK(near(path.causes[i], golden.value(cause, std::int64_t{0}), tolerance_ns));
  }
}

void check_names(const kino::ActivityGraph& graph, const kino::CriticalPath& path, const Json& golden,
                 std::int64_t tolerance_ns) {
  std::map<std::pair<std::string, std::string>, std::int64_t> sums;
  for (const kino::PathPiece& piece : path.pieces) {
    const bool gpu =
        piece.slice != kino::kNoSlice && kino::is_gpu_work(graph.ranks[piece.rank].trace->kind(piece.slice));
    sums[{reference_name(piece.cause), shortened(kino::piece_name(graph, piece), gpu)}] +=
        piece.range.length_ns();
  }
  for (const Json& row : golden) {
    CAPTURE(row.dump());
    const std::string name = shortened(row[1].get<std::string>(), false);
    CHECK(near(sums[{row[0].get<std::string>(), name}], row[2], tolerance_ns));
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

void check_slack(const kino::ActivityGraph& graph, const Json& golden, std::int64_t tolerance_ns) {
  const kino::SlackSummary summary = kino::slack_summary(graph, kino::node_slacks(graph));
  CHECK(summary.critical == golden["critical_work"]);
  CHECK(summary.work == golden["work"]);
  const auto check = [&](std::int64_t slack_ns, const Json& want) {
    CHECK((slack_ns == kino::kNoSlack) == want.is_null());
    if (slack_ns != kino::kNoSlack && !want.is_null()) CHECK(near(slack_ns, want, tolerance_ns));
  };
  check(summary.p10_ns, golden["slack_ns"]["p10"]);
  check(summary.p50_ns, golden["slack_ns"]["p50"]);
  check(summary.p90_ns, golden["slack_ns"]["p90"]);
}

void check_sums(const kino::ActivityGraph& graph, const kino::CriticalPath& path) {
  std::int64_t sum_ns = 0;
  for (const std::int64_t ns : path.causes) sum_ns += ns;
  CHECK(sum_ns == graph.window.length_ns());
  CHECK(kino::replayed(graph, {}, kino::Reading::kept).length_ns == graph.window.length_ns());
}

/// The traces of a folder with one job, and its analysis.
struct OpenedJob {
  std::vector<std::shared_ptr<const kino::Trace>> traces;  // by rank of the job
  kino::JobAnalysis analysis;

  kino::ActivityGraph graph() const {
    std::vector<const kino::Trace*> pointers;
    for (const auto& trace : traces) pointers.push_back(trace.get());
    return kino::activity_graph(kino::TracedJob{analysis, pointers});
  }
};

OpenedJob opened_job(const std::filesystem::path& folder) {
  std::map<kino::RecordingId, std::shared_ptr<const kino::Trace>> traces;
  std::vector<kino::Recording> recordings;
  std::vector<std::int64_t> named_ranks;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto opened = kino_test::open(entry.path());
    REQUIRE(opened.ok());
    const auto digest = std::make_shared<const kino::RankDigest>(kino::digest_of(*opened.value().trace));
    traces[recordings.emplace_back(kino::new_recording(digest)).id] = opened.value().trace;
    named_ranks.push_back(kino::rank_in_name(entry.path().filename().string()));
  }
  const std::vector<std::string> hosts(recordings.size());
  const std::vector<kino::Job> jobs = kino::jobs_of(recordings, hosts, named_ranks);
  REQUIRE(jobs.size() == 1);
  OpenedJob job;
  for (const kino::Recording& recording : jobs[0].recordings) job.traces.push_back(traces[recording.id]);
  job.analysis = kino::analyze_job(jobs[0]);
  return job;
}

void check_ranks(const kino::ActivityGraph& graph, const kino::CriticalPath& path, const Json& golden) {
  std::map<std::string, std::int64_t> sums;
  for (const kino::PathPiece& piece : path.pieces) {
    const bool of_rank = piece.rank < graph.ranks.size();
    sums[of_rank ? std::to_string(graph.ranks[piece.rank].rank) : "None"] += piece.range.length_ns();
  }
  for (const auto& [rank, ns] : golden.items()) {
    CAPTURE(rank);
    CHECK(near(sums[rank], ns, kClockNs));
  }
}

/// Returns the setting for a forecast of the reference; empty if it has no fixed one.
std::string setting_of(const std::string& name) {
  static const std::map<std::string, std::string> kSettings{
      {"compute kernels 2x faster", "compute=0.5"},
      {"CPU 2x faster", "cpu=0.5"},
      {"CPU infinitely fast", "cpu=0"},
      {"launches as CUDA graphs", "graphs"},
      {"data loader instant", "loader=0"},
      {"collectives move in no time", "moving=0"},
      {"collectives move 2x faster", "moving=0.5"},
      {"perfect overlap of collectives (bound)", "overlap"},
      {"copies in no time", "copy=0"},
      {"no synchronising calls", "sync"},
      {"no garbage collection", "gc=0"}};
  if (name.starts_with("rank ")) return "rank:" + name.substr(5, name.find(' ', 5) - 5) + "=median";
  const auto found = kSettings.find(name);
  return found == kSettings.end() ? std::string() : found->second;
}

/// Each scaled edge is rounded, so forecasts differ by up to 2 us. The costs of ranks differ slightly, so
/// forecasts of ranks like the median differ by up to 0.1 % of the window.
void check_forecasts(const kino::ActivityGraph& graph, const Json& golden) {
  for (const auto& [name, want] : golden.items()) {
    const std::string setting = setting_of(name);
    if (setting.empty()) continue;
    CAPTURE(name);
    const auto what_if = kino::parse_what_if(graph, std::span(&setting, 1));
    REQUIRE(what_if.ok());
    const kino::Forecast forecast = kino::forecast(graph, what_if.value());
    const std::int64_t tolerance_ns =
        setting.ends_with("median") ? graph.window.length_ns() / 1'000 : std::int64_t{2'000};
    CHECK(near(forecast.lowest_ns, want[0], tolerance_ns));
    CHECK(near(forecast.length_ns, want[1], tolerance_ns));
    CHECK(near(forecast.highest_ns, want[2], tolerance_ns));
  }
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
    check_sums(graph, path);
    if (kOtherPaths.contains(name)) continue;
    CHECK(graph.window.length_ns() == golden["total_ns"]);
    CHECK(graph.forced == golden["forced"]);
    check_causes(path, golden["causes_ns"], 0);
    if (!kOtherNames.contains(name)) check_names(graph, path, golden["names_ns"], 0);
    check_steps(graph, path, golden);
    if (!kOtherSlack.contains(name)) check_slack(graph, golden, 0);
    if (!kOtherForecasts.contains(name)) check_forecasts(graph, golden["what_if_ns"]);
    ++equal;
  }
  MESSAGE(equal, " critical paths compared");
}

TEST_CASE("critical paths of real jobs are those of the reference") {
  const auto folder = kino_test::real_data("golden/critical");
  if (!folder) return;
  std::size_t equal = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    const std::string name = entry.path().stem().string();
    const Json golden = Json::parse(kino_test::file_content(entry.path()));
    if (golden["ranks"] == 1) continue;
    const std::string files = golden["files"].get<std::string>();
    const auto traces = kino_test::real_data("kineto/" + files.substr(0, files.find('/')));
    if (!traces) continue;
    CAPTURE(name);
    const OpenedJob job = opened_job(*traces);
    REQUIRE(job.traces.size() == golden["ranks"]);
    const kino::ActivityGraph graph = job.graph();
    const kino::CriticalPath path = kino::critical_path(graph);
    check_sums(graph, path);
    if (kOtherJobs.contains(name)) continue;
    CHECK(near(graph.window.length_ns(), golden["total_ns"], kClockNs));
    CHECK(graph.forced == golden["forced"]);
    CHECK(graph.edge_counts[static_cast<std::size_t>(kino::EdgeKind::move)] == golden["edges"]["move"]);
    check_causes(path, golden["causes_ns"], kClockNs);
    check_ranks(graph, path, golden["path_by_rank_ns"]);
    if (!kOtherJobNames.contains(name)) check_names(graph, path, golden["names_ns"], kClockNs);
    check_slack(graph, golden, kClockNs);
    check_forecasts(graph, golden["what_if_ns"]);
    ++equal;
  }
  MESSAGE(equal, " critical paths of jobs compared");
}
