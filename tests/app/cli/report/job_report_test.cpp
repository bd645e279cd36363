// Covers: job_report
// The report of a job: its contents, and file names that are not interpreted as markup.
#include "app/cli/report/job_report.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/job/job_texts.hpp"
#include "core/job/tables/job_tables.hpp"
#include "tests/fixtures/job_fixture.hpp"

TEST_CASE("a job's report has the verdict, the heat map, a bar per rank and the non-empty tables") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1, 2}, 4);
  for (kino_test::MadeRank& digest : digests) {
    for (int i = 0; i < 30; ++i) {
      const std::int64_t at = 1'000'000 * i + 41'000 * (i * i % 5);
      kino_test::add(digest, at + (digest.rank == 2 ? 400'000 : 0), at + 500'000, i).step = i / 10;
    }
  }
  kino::NamedJob job;
  job.analysis = std::make_shared<const kino::JobAnalysis>(kino_test::analysis_of(std::move(digests)));
  job.files = {"a/<b>0.json", "a/<b>1.json", "a/<b>2.json"};
  const std::string page = kino::job_report(job, "<i>job", {"<u>x.json: it is cut"});
  for (const char* const text : {"&lt;i&gt;job", "&lt;u&gt;x.json: it is cut", "&lt;b&gt;2.json",
                                 "Missing ranks: 1", "id=\"heat\"", "Rank 2, step 1", "id=\"ranks\"",
                                 "id=\"late\"", "id=\"collectives\"", "id=\"steps\"", "id=\"clocks\""}) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  }
  CHECK(page.find(kino::verdict_title(*job.analysis)) != std::string::npos);
  for (const char* const text : {"<i>job", "<u>", "<b>", "id=\"messages\"", "<script"}) {
    CAPTURE(text);
    CHECK(page.find(text) == std::string::npos);
  }
}

TEST_CASE("a report omits compute concurrent with collectives on CPU threads") {
  const auto page_of = [](const char* algorithm) {
    std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1}, 2);
    for (kino_test::MadeRank& digest : digests) {
      for (int i = 0; i < 30; ++i) {
        const std::int64_t at = 1'000'000 * i + 41'000 * (i * i % 5);
        kino_test::add(digest, at + 100'000 * digest.rank, at + 500'000, i).algorithm =
            digest.texts.intern(algorithm);
      }
    }
    kino::NamedJob job;
    job.analysis = std::make_shared<const kino::JobAnalysis>(kino_test::analysis_of(std::move(digests)));
    job.files = {"0.json", "1.json"};
    return kino::job_report(job, "job", {});
  };
  const std::string on_cpu = page_of("gloo:all_reduce");
  CHECK(on_cpu.find("Exposed transfer") == std::string::npos);
  CHECK(on_cpu.find("so their overlap with compute is unknown") != std::string::npos);
  CHECK(on_cpu.find("Time of each rank's collectives") != std::string::npos);
  CHECK(page_of("ncclDevKernel_AllReduce").find("Exposed transfer") != std::string::npos);
}
