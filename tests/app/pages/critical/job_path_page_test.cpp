// Covers: lane_cells, rank_reading, job_path_page, critical_view, path_ranks
// The critical path of a job through the rows of its ranks, and reading their traces for it.
#include "app/pages/critical/job_path_page.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/pages/critical/critical_content.hpp"
#include "app/pages/critical/critical_state.hpp"
#include "app/pages/critical/forecast_texts.hpp"
#include "app/pages/critical/lane_cells.hpp"
#include "app/pages/critical/rank_reading.hpp"
#include "core/base/worker_pool.hpp"
#include "core/job/rank_digest.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/job_fixture.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

constexpr int kPathRounds = 4;

std::string slice_text(const std::string& name, const char* category, int tid, int ts_us, int dur_us,
                       const std::string& args) {
  std::string text = R"({"ph": "X", "pid": 1, "name": ")";
  text.append(name).append(R"(", "cat": ")").append(category).append(R"(", "tid": )");
  text.append(std::to_string(tid)).append(R"(, "ts": )").append(std::to_string(ts_us));
  text.append(R"(, "dur": )").append(std::to_string(dur_us)).append(R"(, "args": {)");
  return text.append(args).append("}}");
}

/// Writes rounds of 1 ms: an operator that ends with the launch of an all-reduce, and a call that waits for it.
/// The all-reduce ends 700 us after the start of the round.
void write_path_rank(const std::filesystem::path& file, int rank, int operator_us) {
  std::ofstream out(file);
  out << R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" << rank
      << R"(, "world_size": 2}, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [)";
  for (int round = 0; round < kPathRounds; ++round) {
    const int at_us = 1000 * round + 1;
    const int start_us = at_us + operator_us + 5;
    const std::string correlation = R"("correlation": )" + std::to_string(round + 1);
    std::string kernel_args = correlation;
    kernel_args.append(
        R"(, "device": 0, "stream": 7, "Collective name": "allreduce", "In msg nelems": 1000, )");
    kernel_args.append(
        R"("Out msg nelems": 1000, "dtype": "Float", "Process Group Name": "0", "Group size": 2, )");
    kernel_args.append(R"("Process Group Ranks": "[0, 1]", "Seq": )").append(std::to_string(round));
    out << (round == 0 ? "" : ",") << slice_text("aten::mm", "cpu_op", 1, at_us, operator_us, "") << ','
        << slice_text("cudaLaunchKernel", "cuda_runtime", 1, at_us + operator_us - 10, 10, correlation) << ','
        << slice_text("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "kernel", 7, start_us,
                      at_us + 700 - start_us, kernel_args)
        << ','
        << slice_text("cudaDeviceSynchronize", "cuda_runtime", 1, at_us + operator_us, 705 - operator_us, "")
        << ',' << slice_text("aten::item", "cpu_op", 1, at_us + 705, 295, "");
  }
  out << "]}";
}

/// The files of two ranks, of which rank 1 is 400 us late in each round.
struct LateFiles {
  kino_test::TemporaryFolder folder;
  kino::RankSources sources{{folder.path() / "rank0.json", folder.path() / "rank1.json"}, {4096, 4096}};

  LateFiles() {
    write_path_rank(sources.files[0], 0, 200);
    write_path_rank(sources.files[1], 1, 600);
  }
  kino::OpenOptions options() const {
    kino::OpenOptions options;
    options.cache_directory = folder.path() / "cache";
    return options;
  }
  std::vector<std::shared_ptr<const kino::Trace>> traces() const {
    kino::RankReading reading(sources.files, sources.text_bytes, options(), {});
    REQUIRE(kino_test::eventually([&] { return reading.done(); }));
    REQUIRE_FALSE(reading.error());
    return reading.traces();
  }
};

std::shared_ptr<const kino::JobAnalysis> analysis_of(
    const std::vector<std::shared_ptr<const kino::Trace>>& traces) {
  std::vector<kino::RankDigest> digests;
  digests.reserve(traces.size());
  for (const std::shared_ptr<const kino::Trace>& trace : traces) {
    kino::RankDigest& digest = digests.emplace_back(kino::digest_of(*trace));
    digest.rank = static_cast<std::int64_t>(digests.size()) - 1;
    digest.world_size = static_cast<std::int64_t>(traces.size());
  }
  return std::make_shared<const kino::JobAnalysis>(
      kino::analyze_job(kino_test::job_of_digests(std::move(digests))));
}

std::shared_ptr<const kino::CriticalContent> content_of_job(const LateFiles& job) {
  std::vector<std::shared_ptr<const kino::Trace>> traces = job.traces();
  std::shared_ptr<const kino::JobAnalysis> analysis = analysis_of(traces);
  return kino::critical_content({std::move(analysis), std::move(traces), job.sources.files}, {});
}

kino::PathPiece piece_of(std::uint32_t rank, std::int64_t begin_ns, std::int64_t end_ns) {
  kino::PathPiece piece;
  piece.range = {begin_ns, end_ns};
  piece.rank = rank;
  piece.cause = kino::PathCause::op;
  return piece;
}

nlohmann::ordered_json state_of(const kino::JobPathPage& page) {
  nlohmann::ordered_json json;
  page.write_test_state(json);
  return json.at("critical_path");
}

}  // namespace

TEST_CASE("the row of a rank has the pieces that are on it, and changes are where the path leaves it") {
  const auto whole_ns = static_cast<std::int64_t>(kino::kLaneCells) * 10;
  const std::vector<kino::PathPiece> pieces{piece_of(0, 0, 100), piece_of(2, 100, 205),
                                            piece_of(1, 205, whole_ns)};
  const std::vector<std::int64_t> ranks{4, 5, 6};
  const kino::RankLanes made = kino::rank_lanes_of_path(pieces, {0, whole_ns}, ranks);
  REQUIRE(made.lanes.size() == 3);
  REQUIRE(made.changes.size() == kino::kLaneCells);
  CHECK(made.lanes[2].rank == 6);
  CHECK(made.lanes[2].time_ns == 105);
  CHECK(made.lanes[0].cells[9] == kino::PathCause::op);
  CHECK_FALSE(made.lanes[0].cells[10]);
  CHECK(made.lanes[2].cells[20] == kino::PathCause::op);
  CHECK(made.lanes[1].cells[20] == kino::PathCause::op);
  CHECK(made.changes[9].first == made.changes[9].last);
  CHECK(made.changes[10].first == 0);
  CHECK(made.changes[10].last == 2);
  CHECK(made.changes[20].first == 1);
  CHECK(made.changes[20].last == 2);
  CHECK(made.changes[21].first == made.changes[21].last);
  CHECK(kino::rank_lanes_of_path({}, {0, whole_ns}, ranks).lanes.empty());
  CHECK(kino::rank_lanes_of_path(pieces, {0, whole_ns}, {}).lanes.empty());
}

TEST_CASE(
    "the rows and the table by rank of a job add up to its window, and the verdict names the late rank") {
  const LateFiles job;
  const auto content = content_of_job(job);
  REQUIRE(content->forecasts());
  REQUIRE(content->ranks.lanes.size() == 2);
  CHECK(content->ranks.lanes[0].time_ns + content->ranks.lanes[1].time_ns == content->window_ns());
  CHECK(content->ranks.lanes[1].time_ns > content->ranks.lanes[0].time_ns);
  std::int64_t sum_ns = 0;
  for (const kino::PathRow& row : content->tables[static_cast<std::size_t>(kino::PathTab::rank)].rows)
    sum_ns += row.time_ns;
  CHECK(sum_ns == content->window_ns());
  const std::string evidence = kino::critical_evidence(*content, nullptr);
  CHECK(evidence.find("Rank 1 has the longest part of the path") != std::string::npos);
  CHECK(evidence.find("Only one rank") == std::string::npos);
}

TEST_CASE("a piece of a job opens the trace of its rank, and a rank like the median is a setting") {
  const LateFiles job;
  kino::CriticalState state;
  state.content = content_of_job(job);
  REQUIRE(state.of_job());
  state.open_piece(piece_of(1, 0, 1));
  state.open_rank(7);
  REQUIRE(state.requests.size() == 1);
  const auto* const opened = std::get_if<kino::OpenRecording>(state.requests.data());
  REQUIRE(opened != nullptr);
  CHECK(opened->file == job.sources.files[1]);
  state.toggle("rank:1=median");
  CHECK(state.settings() == std::vector<std::string>{"rank:1=median"});
  CHECK(state.is_chosen("rank:1=median"));
  const auto retimed = kino::retimed_content(*state.content, state.settings(), {});
  CHECK(retimed->problem.empty());
  CHECK(retimed->window.length_ns() < state.content->window_ns());
  state.toggle("rank:1=median");
  CHECK(state.chosen.empty());
}

TEST_CASE("jobs with too many or too large traces are not read, and the page names the command") {
  kino::RankSources sources{std::vector<std::filesystem::path>(kino::kMostPathRanks),
                            std::vector<std::uint64_t>(kino::kMostPathRanks, 10)};
  CHECK(kino::path_refusal(sources, 640).empty());
  CHECK(kino::path_refusal(sources, 639).find("kinetoscope table critical-path") != std::string::npos);
  sources.files.emplace_back();
  CHECK(kino::path_refusal(sources, 640).find("65 ranks") != std::string::npos);
  sources.files.clear();
  sources.text_bytes = {UINT64_MAX, UINT64_MAX};
  CHECK_FALSE(kino::path_refusal(sources, 640).empty());
}

TEST_CASE("reading all ranks fails if one file cannot be read") {
  const LateFiles job;
  kino::RankReading reading({job.sources.files[0], job.folder.path() / "missing.json"}, {}, job.options(),
                            {});
  REQUIRE(kino_test::eventually([&] { return reading.done(); }));
  CHECK(reading.error());
  CHECK(reading.count() <= 1);
}

TEST_CASE("the view of a job reads its ranks only when it is shown, and keeps them for other clocks") {
  const LateFiles job;
  kino::WorkerPool pool(1);
  std::vector<kino::PageRequest> requests;
  kino::JobPathPage page(
      job.options(), pool, [] {}, requests);
  const auto analysis = analysis_of(job.traces());
  CHECK_FALSE(page.offered());
  page.set_job(analysis, job.sources);
  CHECK(page.offered());
  page.update(false);
  CHECK(page.complete());
  CHECK(state_of(page).at("read") == 0);
  const auto finish = [&] {
    return kino_test::eventually([&] {
      page.update(true);
      return page.complete() && state_of(page).at("pieces") > 0;
    });
  };
  page.update(true);
  CHECK_FALSE(page.complete());
  REQUIRE(finish());
  CHECK(state_of(page).at("read") == 2);
  CHECK(state_of(page).at("ranks").size() == 2);
  CHECK_FALSE(state_of(page).at("forecasts").empty());
  page.set_job(std::make_shared<const kino::JobAnalysis>(*analysis), job.sources);
  page.update(true);
  CHECK(state_of(page).at("read") == 2);
  REQUIRE(finish());
  page.set_job(nullptr, {});
  page.update(true);
  CHECK(state_of(page).at("pieces") == 0);
}

TEST_CASE("the view of a job shows why the ranks could not be read") {
  const LateFiles job;
  kino::WorkerPool pool(1);
  std::vector<kino::PageRequest> requests;
  kino::JobPathPage page(
      job.options(), pool, [] {}, requests);
  kino::RankSources sources = job.sources;
  sources.files[1] = job.folder.path() / "missing.json";
  page.set_job(analysis_of(job.traces()), sources);
  REQUIRE(kino_test::eventually([&] {
    page.update(true);
    return !state_of(page).at("failure").get<std::string>().empty();
  }));
  page.update(true);
  CHECK(page.complete());
}
