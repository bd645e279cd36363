// What the page says of a job in words.
#include "app/job/job_words.hpp"

#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/job_fixture.hpp"

namespace {

/// Waits and blame as an analysis leaves them, of three ranks in ten steps.
kino::JobAnalysis blamed_job() {
  kino::JobAnalysis job = kino_test::late_job();
  job.whole_steps = 10;
  job.blame.assign(3, {});
  job.blame[1] = {.collectives = 10,
                  .caused_ns = 1'000'000,
                  .steps = 10,
                  .step_late_ns = 1'600'000,
                  .most_late_ns = 1'700'000,
                  .worst_step = 2};
  job.blame[1].own_ns[static_cast<std::size_t>(kino::StretchPart::compute)] = 16'000'000;
  job.blame[2] = {.collectives = 1,
                  .caused_ns = 7'000'000,
                  .steps = 1,
                  .step_late_ns = 27'500'000,
                  .most_late_ns = 27'500'000,
                  .worst_step = 19};
  job.blame[2].own_ns[static_cast<std::size_t>(kino::StretchPart::garbage_collection)] = 27'500'000;
  return job;
}

}  // namespace

TEST_CASE("the verdict says what recurs, why and in how many steps, and then what was worse once") {
  kino::JobAnalysis job = blamed_job();
  CHECK(kino::verdict_title(job) == "Rank 1 is 1.6 ms late in every step: compute");
  job.blame[1].steps = 9;
  job.gpu.ranks = {1.0, 1.099, 1.0};
  CHECK(kino::verdict_title(job) == "Rank 1 is 1.6 ms late in 9 of 10 steps: its GPU is 9.9 % slower");
  CHECK(kino::verdict_reason(job).find("Rank 2 27.5 ms in step 19 (garbage collection)") !=
        std::string::npos);
  CHECK(kino::verdict_reason(job).find("Others wait 1 ms of ") == 0);
  CHECK(kino::lateness_words(job, 1) == "1.6 ms in 9 of 10 steps");
  CHECK(kino::lateness_words(job, 0).empty());
  job.missing = {3};
  CHECK(kino::verdict_reason(job).find("Others wait at least 1 ms of ") == 0);
}

TEST_CASE("a rank that most waiting goes back to, and that recurs, is named with that waiting") {
  kino::JobAnalysis job = blamed_job();
  std::swap(job.blame[1].caused_ns, job.blame[2].caused_ns);
  CHECK(kino::verdict_title(job).starts_with("Rank 1 makes the others wait: 7 ms of "));
  CHECK(kino::verdict_reason(job).find("It is late by its own doing in 10 of 10 steps.") !=
        std::string::npos);
}
