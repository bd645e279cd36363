// Real jobs against golden numbers of an independent implementation (data/golden/ranks).
#include "app/cli/job_info.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/cli/named_jobs.hpp"
#include "core/job/rank_times.hpp"
#include "core/job/step_waits.hpp"
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
  const auto contained = kino::traces_in_folder(folder, {});
  REQUIRE(contained.ok());
  kino::CommandLine command;
  command.use_cache = false;
  const kino::NamedJobs named = kino::read_jobs(command, contained.value());
  CHECK(named.problems.empty());
  return named.jobs;
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

TEST_CASE(
    "exposed communication of real jobs, and waiting by step, are those of the independent implementation") {
  if (!kino_test::real_data("golden/ranks")) return;
  const std::filesystem::path data = kino_test::data_folder();
  for (const GoldenJob& it : kJobs) {
    CAPTURE(it.golden);
    std::ifstream file(data / "golden/ranks/open" / (std::string(it.golden) + ".json"));
    const Json golden = Json::parse(file);
    const std::vector<kino::NamedJob> jobs = jobs_in(data / "kineto" / it.folder);
    REQUIRE(jobs.size() == 1);
    const kino::JobAnalysis& job = *jobs[0].analysis;
    const std::vector<kino::JobStep> steps = kino::steps_of(job);
    for (std::size_t i = 0; i < job.ranks.size(); ++i) {
      const std::string name = std::to_string(job.ranks[i]->rank);
      CAPTURE(name);
      // Offsets are rounded, and each collective of the two sides by another ns.
      const auto near = [&](std::int64_t ours, const Json& theirs) {
        const auto collectives = static_cast<std::int64_t>(job.waits.ranks[i].collectives);
        return std::abs(ours - theirs.get<std::int64_t>()) <= 4 * collectives;
      };
      const kino::RankTimes times = kino::rank_times(*job.ranks[i], job.waits.kernels[i]);
      const Json& exposed = golden["exposed"][name];
      CHECK(times.communication_ns == exposed[0]);
      CHECK(times.exposed_ns == exposed[1]);
      CHECK(near(times.exposed_waiting_ns, exposed[2]));
      for (const kino::JobStep& step : steps) {
        const Json& of_step = golden["steps"][std::to_string(step.number)];
        if (!of_step.contains(name)) continue;
        CAPTURE(step.number);
        CHECK(near(step.ranks[i].waiting_ns, of_step[name][0]));
        CHECK(near(step.ranks[i].moving_ns, of_step[name][1]));
        if (golden["tolerance_ns"] == 27758) continue;  // as above
        CHECK(near(step.ranks[i].caused_ns, of_step[name][2]));
      }
    }
  }
}

TEST_CASE(
    "whom lateness goes back to, why, and how fast the GPUs are: as the independent implementation says") {
  if (!kino_test::real_data("golden/ranks")) return;
  const std::filesystem::path data = kino_test::data_folder();
  const auto part_called = [](std::string_view theirs) {
    constexpr std::pair<std::string_view, kino::StretchPart> kNames[] = {
        {"compute", kino::StretchPart::compute},       {"copy", kino::StretchPart::copy},
        {"queued", kino::StretchPart::queued},         {"cpu busy", kino::StretchPart::cpu_busy},
        {"cpu silent", kino::StretchPart::cpu_silent}, {"blocking call", kino::StretchPart::blocking_call}};
    const auto* const found =
        std::ranges::find(kNames, theirs, &std::pair<std::string_view, kino::StretchPart>::first);
    REQUIRE(found != std::end(kNames));
    return found->second;
  };
  for (const GoldenJob& it : kJobs) {
    CAPTURE(it.golden);
    std::ifstream file(data / "golden/ranks/open" / (std::string(it.golden) + ".json"));
    const Json golden = Json::parse(file);
    const std::vector<kino::NamedJob> jobs = jobs_in(data / "kineto" / it.folder);
    REQUIRE(jobs.size() == 1);
    const kino::JobAnalysis& job = *jobs[0].analysis;
    for (const Json& event : golden["late_events"]) {
      const std::int64_t caused = event["caused"];
      const std::int64_t late = event["late"];
      CAPTURE(caused);
      const auto found = std::ranges::find_if(job.causes, [&](const kino::LateCause& cause) {
        return std::abs(job.waits.collectives[cause.collective].waiting_ns - caused) <= 32;
      });
      REQUIRE(found != job.causes.end());
      CHECK(static_cast<double>(found->late_ns) == doctest::Approx(late).epsilon(0.01));
      CHECK(job.ranks[found->root]->rank == event["root"]);
      if (event["stop"] == "start of the recording") {
        CHECK(found->stop == kino::LateStop::recording_begins);
        continue;
      }
      CHECK(found->stop == kino::LateStop::own);
      const Json& excess = event["excess"];
      for (const auto& [name, ns] : excess.items()) {
        CAPTURE(name);
        const std::int64_t ours = found->excess[static_cast<std::size_t>(part_called(name))];
        // The thread that launches least counts here and not there: 4.6 us of one gap.
        CHECK(std::abs(ours - ns.get<std::int64_t>()) <= std::max<std::int64_t>(5000, late / 100));
      }
      std::int64_t sum = 0;
      for (const std::int64_t ns : found->excess) sum += ns;
      CHECK(sum == found->own_ns + found->ahead_ns);
    }
    for (const auto& [name, ppm] : golden["gpu_time_index_ppm"].items()) {
      const auto rank =
          std::ranges::find(job.ranks, std::stoll(name), [](const auto& digest) { return digest->rank; });
      const std::optional<double> index = job.gpu.ranks[static_cast<std::size_t>(rank - job.ranks.begin())];
      REQUIRE(index);
      CHECK(*index * 1e6 == doctest::Approx(ppm.get<double>()).epsilon(0.0005));
    }
    CHECK(job.gpu.classes == golden["gpu_time_index_kernels"]);
    if (!golden["overlap_cost_ppm"].is_null())
      CHECK(job.overlap_cost.value_or(0) * 1e6 ==
            doctest::Approx(golden["overlap_cost_ppm"].get<double>()).epsilon(0.0005));
  }
}

TEST_CASE("the verdict names the rank that makes the others wait, and nobody where nobody stands out") {
  if (!kino_test::real_data("golden/ranks")) return;
  const std::filesystem::path data = kino_test::data_folder();
  const std::string late = kino::job_info_text("folder", jobs_in(data / "kineto/torchtitan-4rank-runB"), {});
  CHECK(late.find("Rank 2 makes the others wait: 152.8 ms of 156.1 ms (97.9 %)") != std::string::npos);
  CHECK(late.find("The lateness in 27 of 28 collectives goes back to it. Why: CPU busy 4") !=
        std::string::npos);
  CHECK(late.find("Its GPU takes 13.6 % longer for the same kernels.") != std::string::npos);
  CHECK(late.find("28 matched by their order, and no other fits the times") != std::string::npos);
  const std::string even =
      kino::job_info_text("folder", jobs_in(data / "kineto/lightllm-decode-tp8"), {"a problem"});
  CHECK(even.find("No rank stands out") != std::string::npos);
  CHECK(even.find("a problem") != std::string::npos);
}
