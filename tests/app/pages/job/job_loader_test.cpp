// Covers: job_loader, contained_traces, job_grouping, job_analysis, job_texts, cached_ranks, rank_memory
// Reads the ranks of a job: broken files are reported, and the others form the job.
#include "app/pages/job/job_loader.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/job/job_texts.hpp"
#include "core/job/step_waits.hpp"
#include "core/job/tables/each_rank_tables.hpp"
#include "loaders/formats/contained_traces.hpp"
#include "tests/fixtures/job_fixture.hpp"
#include "tests/fixtures/real_data.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using kino::ContainedTraces;
using kino::RankFile;

namespace {

std::string rank_text(int rank, int world) {
  std::string text = R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" +
                     std::to_string(rank) + R"(, "world_size": )" + std::to_string(world) +
                     R"(}, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [)";
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

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace

TEST_CASE("reads the ranks of a folder, reports a broken file and names the straggler") {
  const kino_test::TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank)
    write(folder.path() / ("r" + std::to_string(rank) + ".json"), rank_text(rank, 3));
  write(folder.path() / "r2.json", rank_text(2, 3).substr(0, 90) + "]");
  const auto contained = kino::traces_in_folder(folder.path(), {});
  REQUIRE(contained.ok());
  REQUIRE(contained.value().traces.size() == 3);
  CHECK(contained.value().traces[1].rank == 1);
  CHECK(contained.value().traces[1].world_size == 3);
  CHECK(kino::are_ranks(contained.value()));
  kino::OpenOptions options;
  options.cache_directory = folder.path() / "cache";
  kino::JobLoader loader(contained.value().traces, options);
  loader.wait();
  REQUIRE(loader.done());
  const std::vector<RankFile> files = loader.ranks();
  CHECK(files[0].state == RankFile::State::ready);
  CHECK(files[2].state == RankFile::State::failed);
  CHECK_FALSE(files[2].error.what.str().empty());
  const std::vector<kino::FiledJob> jobs = kino::jobs_of(files);
  REQUIRE(jobs.size() == 1);
  REQUIRE(jobs[0].files.size() == 2);
  CHECK(jobs[0].files[1].filename() == "r1.json");
  CHECK(jobs[0].job.names == std::vector<std::string>{"r0.json", "r1.json"});
  const kino::JobAnalysis job = kino::analyze_job(jobs[0].job);
  CHECK(job.missing == std::vector<std::int64_t>{2});
  CHECK(kino::verdict_title(job).starts_with("Rank 1 makes the others wait: at least"));
}

TEST_CASE("rejects files of one rank, of different worlds, or without a rank as a job") {
  const auto are = [](std::initializer_list<std::pair<std::int64_t, std::int64_t>> told) {
    ContainedTraces contained;
    for (const auto& [rank, world] : told) {
      contained.traces.emplace_back().rank = rank;
      contained.traces.back().world_size = world;
    }
    return kino::are_ranks(contained);
  };
  CHECK(are({{0, 2}, {1, 2}}));
  CHECK(are({{0, 2}, {1, 2}, {1, 2}}));
  CHECK(are({{0, -1}, {1, -1}}));
  CHECK_FALSE(are({{0, 2}, {0, 2}}));
  CHECK_FALSE(are({{0, 2}, {1, 4}}));
  CHECK_FALSE(are({{0, 2}, {-1, 2}}));
  CHECK_FALSE(are({}));
}

TEST_CASE("a snapshot whose name contains a rank is the memory of that rank, in folders and lists of files") {
  const kino_test::TemporaryFolder folder;
  const std::string snapshot =
      R"({"segments": [], "device_traces": [[)"
      R"({"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "time_us": 1}, )"
      R"({"action": "alloc", "addr": 8192, "size": 256, "stream": 0, "time_us": 2}]]})";
  std::vector<std::filesystem::path> files;
  for (int rank = 0; rank < 2; ++rank) {
    files.push_back(folder.path() / ("r" + std::to_string(rank) + ".json"));
    write(files.back(), rank_text(rank, 2));
  }
  const std::filesystem::path memory = folder.path() / "rank1";
  std::filesystem::create_directory(memory);
  files.push_back(memory / "snapshot.json");
  write(files.back(), snapshot);
  const ContainedTraces contained = kino::traces_in_folder(folder.path(), {}).value();
  REQUIRE(contained.traces.size() == 3);
  CHECK(kino::are_ranks(contained));
  kino::OpenOptions options;
  options.cache_directory = folder.path() / "cache";
  const auto read = [&](const ContainedTraces& those) {
    kino::JobLoader loader(those.traces, options);
    loader.wait();
    return loader.ranks();
  };
  std::vector<RankFile> ranks = read(contained);
  std::vector<kino::FiledJob> jobs = kino::jobs_of(ranks);
  REQUIRE(jobs.size() == 1);
  REQUIRE(jobs[0].job.snapshots.contains(1));
  CHECK(jobs[0].job.snapshots.at(1)->memory.peak_bytes == 768);
  CHECK(kino::unassigned_snapshots(ranks, jobs).empty());

  std::filesystem::rename(memory / "snapshot.json", folder.path() / "rank1.json");
  files.back() = folder.path() / "rank1.json";
  const std::optional<ContainedTraces> given = kino::ranks_of_one_job(files);
  REQUIRE(given);
  jobs = kino::jobs_of(read(*given));
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].job.snapshots.contains(1));

  std::filesystem::copy(files.back(), folder.path() / "rank7.json");
  std::filesystem::copy(files.back(), folder.path() / "rank1_late.json");
  ranks = read(kino::traces_in_folder(folder.path(), {}).value());
  jobs = kino::jobs_of(ranks);
  CHECK(kino::unassigned_snapshots(ranks, jobs) ==
        std::vector<std::filesystem::path>{folder.path() / "rank1_late.json", folder.path() / "rank7.json"});
  std::filesystem::copy(files.back(), folder.path() / "end.json");
  CHECK_FALSE(kino::are_ranks(kino::traces_in_folder(folder.path(), {}).value()));
}

TEST_CASE("rejects snapshots without traces as a job") {
  const kino_test::TemporaryFolder folder;
  for (const char* const name : {"rank0.json", "rank1.json"})
    write(folder.path() / name, R"({"segments": [], "device_traces": [[]]})");
  CHECK_FALSE(kino::are_ranks(kino::traces_in_folder(folder.path(), {}).value()));
}

TEST_CASE("files opened together are one job if and only if their headers agree") {
  const kino_test::TemporaryFolder folder;
  std::vector<std::filesystem::path> files;
  for (const int rank : {2, 0, 1}) {
    files.push_back(folder.path() / ("r" + std::to_string(rank) + ".json"));
    write(files.back(), rank_text(rank, 3));
  }
  const auto together = [](std::vector<std::filesystem::path> some) { return kino::ranks_of_one_job(some); };
  const std::optional<ContainedTraces> job = together(files);
  REQUIRE(job);
  REQUIRE(job->traces.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(job->traces[i].rank == static_cast<std::int64_t>(i));
  CHECK(job->traces[2].path == files[0]);
  CHECK(job->traces[2].name == "r2.json");
  CHECK_FALSE(together({files[0]}));
  CHECK_FALSE(together({files[0], files[0]}));
  CHECK_FALSE(together({files[0], files[1], folder.path() / "none.json"}));
  CHECK_FALSE(together({files[0], files[1], folder.path()}));
  const std::filesystem::path other_world = folder.path() / "other_world.json";
  write(other_world, rank_text(3, 8));
  CHECK_FALSE(together({files[0], other_world}));
  const std::filesystem::path only_named = folder.path() / "rank5.json";
  write(only_named, R"({"traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "name": "a", "pid": 1, "tid": 1}]})");
  CHECK_FALSE(together({files[0], only_named}));
}

TEST_CASE("reads the rank from header or name, and the host from the name") {
  const kino_test::TemporaryFolder folder;
  for (const char* const name : {"rank-3_trace.json", "worker_12.pt.trace.json", "thing.json"})
    write(folder.path() / name,
          R"({"traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "name": "a", "pid": 1, "tid": 1}]})");
  const auto contained = kino::traces_in_folder(folder.path(), {});
  REQUIRE(contained.ok());
  REQUIRE(contained.value().traces.size() == 3);
  CHECK(contained.value().traces[0].rank == 3);
  CHECK(contained.value().traces[1].rank == -1);
  CHECK(contained.value().traces[2].rank == 12);
  CHECK(kino::host_of("node7_1375.1724066820237002797.pt.trace.json.gz") == "node7");
  CHECK_FALSE(kino::host_of("rank0.json"));
}

TEST_CASE("data read from a rank is cached next to traces, and read again only if the trace has changed") {
  const kino_test::TemporaryFolder folder;
  const kino_test::TemporaryFolder cache;
  for (int rank = 0; rank < 2; ++rank)
    write(folder.path() / ("r" + std::to_string(rank) + ".json"), rank_text(rank, 2));
  kino::OpenOptions options;
  options.cache_directory = cache.path();
  options.cache.least_text_bytes = 0;
  std::size_t offered = 0;
  options.cache.keep = [&](const kino::OpenedTrace&) { ++offered; };
  const auto indexed = [&] {
    kino::JobLoader loader(kino::traces_in_folder(folder.path(), {}).value().traces, options);
    loader.wait();
    std::string which;
    for (const RankFile& file : loader.ranks()) {
      REQUIRE(file.state == RankFile::State::ready);
      CHECK(file.digest->kernels.size() == 8);
      which += file.indexed ? 'i' : 'r';
    }
    return which;
  };
  CHECK(indexed() == "rr");
  CHECK(offered == 0);  // only the digests of a job's traces are cached
  CHECK(indexed() == "ii");
  CHECK(kino::cache_entries(options.cache_directory).size() == 2);
  write(folder.path() / "r1.json", rank_text(1, 2) + "\n");
  CHECK(indexed() == "ir");
  options.cache.look = false;
  CHECK(indexed() == "rr");
  options.cache.look = true;
  CHECK(indexed() == "ii");
  CHECK(kino::clear_cache(options.cache_directory).empty());
  options.cache.keep = nullptr;
  CHECK(indexed() == "rr");
  CHECK(indexed() == "rr");
}

TEST_CASE("a snapshot whose name contains a rank belongs to the job that was recorded at its time") {
  std::vector<RankFile> files;
  for (const std::int64_t later : {std::int64_t{0}, std::int64_t{60'000'000'000}}) {
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      kino_test::MadeRank digest = kino_test::rank_of(rank, 2);
      digest.first_ns += later;
      digest.last_ns += later;
      digest.steps.push_back({5, {digest.first_ns, digest.last_ns}});
      files.push_back({.path = "r" + std::to_string(rank) + ".json",
                       .state = RankFile::State::ready,
                       .digest = std::make_shared<const kino::RankDigest>(std::move(digest).packed())});
    }
  }
  const kino::MemoryPoint peak{kino_test::kJobOrigin + 60'500'000'000, 900};
  files.push_back({.path = "snapshot_rank1.pickle",
                   .named_rank = 1,
                   .state = RankFile::State::ready,
                   .memory = std::make_shared<const kino::RankSnapshot>(
                       kino::RankSnapshot{.memory = kino::rank_memory(std::vector{peak}), .devices = {}})});
  const std::vector<kino::FiledJob> jobs = kino::jobs_of(files);
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].job.snapshots.empty());
  const kino::JobAnalysis job = kino::analyze_job(jobs[1].job);
  CHECK(job.memory(0).peak_bytes == -1);
  CHECK(job.memory(1).peak_bytes == 900);
  CHECK(kino::steps_of(job).front().ranks[1].peak_bytes == 900);
}

TEST_CASE("a job whose snapshots were read later has new content, although its ranks are the same") {
  std::vector<RankFile> files;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    files.push_back(
        {.path = "r" + std::to_string(rank) + ".json",
         .state = RankFile::State::ready,
         .digest = std::make_shared<const kino::RankDigest>(kino_test::rank_of(rank, 2).packed())});
  }
  const std::vector<kino::FiledJob> before = kino::jobs_of(files);
  const std::vector<kino::FiledJob> again = kino::jobs_of(files);
  REQUIRE(before.size() == 1);
  CHECK(kino::same_content(before[0], again[0]));
  files.push_back({.path = "rank1.pickle",
                   .named_rank = 1,
                   .state = RankFile::State::ready,
                   .memory = std::make_shared<const kino::RankSnapshot>()});
  CHECK_FALSE(kino::same_content(before[0], kino::jobs_of(files)[0]));
  files.pop_back();
  files.back().digest = std::make_shared<const kino::RankDigest>(kino_test::rank_of(1, 2).packed());
  CHECK_FALSE(kino::same_content(before[0], kino::jobs_of(files)[0]));
}

TEST_CASE("ranks of torch 2.1 and 2.2 match by the sequence numbers among the inputs of record_param_comms") {
  const kino_test::TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    std::string text =
        R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
        R"(, "world_size": 2}, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [)" +
        R"({"ph": "X", "cat": "cpu_op", "name": "first", "pid": 1, "tid": 1, "ts": 1, "dur": 1})";
    // The second rank lacks the first two.
    for (int i = rank == 0 ? 0 : 2; i < 8; ++i) {
      const std::string id = std::to_string(i + 1);
      const std::string at = std::to_string(1000 * i + 100);
      text += R"(,{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": )" +
              at + R"(, "dur": 50, "args": {"Concrete Inputs": ["", ")" + std::to_string(337 + i) +
              R"(", "94216837373056", ")" + std::to_string(rank) + R"(", "", "[]", "[]"]}})";
      text +=
          R"(,{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": )" +
          at + R"(.5, "dur": 5, "args": {"correlation": )" + id + "}}";
      text += R"(,{"ph": "X", "cat": "kernel", "name": "ncclKernel_AllReduce_RING_LL_Sum_float", )" +
              std::string(R"("pid": 0, "tid": 7, "ts": )") + at + R"(.9, "dur": 30, "args": {"device": 0, )" +
              R"("stream": 7, "correlation": )" + id + "}}";
    }
    write(folder.path() / ("r" + std::to_string(rank) + ".json"), text + "]}");
  }
  const auto contained = kino::traces_in_folder(folder.path(), {});
  REQUIRE(contained.ok());
  kino::JobLoader loader(contained.value().traces, {});
  loader.wait();
  const std::vector<kino::FiledJob> jobs = kino::jobs_of(loader.ranks());
  REQUIRE(jobs.size() == 1);
  const kino::LevelCounts counts = kino::level_counts(kino::analyze_job(jobs[0].job).matched);
  CHECK(counts.instances.at("A/complete") == 6);
  CHECK(counts.kernels.at("single/alone") == 2);
}

TEST_CASE("collectives of Gloo on CPU threads make two recordings one job, all of them matched") {
  std::vector<std::filesystem::path> paths;
  for (const char* const name : {"ddp_gloo-rank0.json.gz", "ddp_gloo-rank1.json.gz"}) {
    const auto path = kino_test::real_data(std::filesystem::path("kineto/torch-1.13-cpu") / name);
    if (!path) return;
    paths.push_back(*path);
  }
  const std::optional<ContainedTraces> contained = kino::ranks_of_one_job(paths);
  REQUIRE(contained);
  const kino_test::TemporaryFolder cache;
  kino::OpenOptions options;
  options.cache_directory = cache.path();
  kino::JobLoader loader(contained->traces, options);
  loader.wait();
  const std::vector<kino::FiledJob> jobs = kino::jobs_of(loader.ranks());
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].files.size() == 2);
  const kino::JobAnalysis job = kino::analyze_job(jobs[0].job);
  CHECK(job.world_size == 2);
  CHECK(job.missing.empty());
  CHECK(job.matched.alone.empty());
  // 3 steps of 3 all-reduces and a broadcast; in order of start, their sizes agree on both ranks.
  CHECK(job.matched.instances.size() == 12);
  for (const kino::CollectiveInstance& instance : job.matched.instances) {
    CHECK(instance.complete);
    CHECK(instance.kernels.size() == 2);
  }
}

TEST_CASE("ledgers and layers that a job lacks are read on request, once") {
  const kino_test::TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank)
    write(folder.path() / ("r" + std::to_string(rank) + ".json"), rank_text(rank, 2));
  kino::OpenOptions options;
  options.cache_directory = folder.path() / "cache";
  kino::JobLoader loader(kino::traces_in_folder(folder.path(), {}).value().traces, options);
  loader.wait();
  const std::vector<kino::FiledJob> jobs = kino::jobs_of(loader.ranks());
  REQUIRE(jobs.size() == 1);
  const std::vector<std::filesystem::path>& files = jobs[0].files;
  const kino::JobAnalysis job = kino::analyze_job(jobs[0].job);
  REQUIRE(job.ranks.size() == 2);
  for (const auto& rank : job.ranks) REQUIRE_FALSE(kino::has_ledger_and_layers(*rank));

  kino::RankDetailReader details(options, {});
  CHECK_FALSE(details.update());
  details.want(job.ranks, files);
  CHECK(details.reading());
  CHECK(details.progress().second == 2);
  while (details.reading()) {
    details.update();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(details.digests()->size() == 2);
  const kino::JobAnalysis detailed = kino::with_details(job, files, *details.digests());
  for (const auto& rank : detailed.ranks) CHECK(kino::has_ledger_and_layers(*rank));
  details.want(job.ranks, files);
  CHECK_FALSE(details.reading());

  // If a file has changed since the analysis, its digest is not used.
  kino::RankDetailReader::Digests changed = *details.digests();
  changed.at(files[0]) = std::make_shared<const kino::RankDigest>();
  const kino::JobAnalysis partly = kino::with_details(job, files, changed);
  CHECK_FALSE(kino::has_ledger_and_layers(*partly.ranks[0]));
  CHECK(kino::has_ledger_and_layers(*partly.ranks[1]));
}
