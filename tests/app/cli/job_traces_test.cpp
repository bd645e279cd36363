// Covers: job_traces, named_jobs, critical_tables
// Traces of a job that are read again for the tables of its critical path.
#include "app/cli/job_traces.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "app/cli/named_jobs.hpp"
#include "core/critical/critical_tables.hpp"
#include "tests/fixtures/real_data.hpp"

namespace {

kino::OpenOptions uncached() {
  kino::OpenOptions options;
  options.cache.look = false;
  return options;
}

}  // namespace

TEST_CASE("the traces of a job are in the order of its ranks, and suffice for its forecasts") {
  const auto folder = kino_test::real_data("kineto/torchtitan-4rank-runB");
  if (!folder) return;
  const auto contained = kino::traces_in_folder(*folder, {});
  REQUIRE(contained.ok());
  const kino::NamedJobs named = kino::read_jobs(uncached(), contained.value());
  REQUIRE(named.jobs.size() == 1);
  const auto read = kino::read_traces(named.jobs[0], contained.value(), uncached());
  REQUIRE(read.ok());
  REQUIRE(read.value().size() == 4);
  std::vector<const kino::Trace*> traces;
  for (std::size_t i = 0; i < read.value().size(); ++i) {
    traces.push_back(read.value()[i].get());
    CHECK(traces.back()->job.rank == named.jobs[0].analysis->ranks[i]->rank);
  }
  kino::TableRequest request;
  request.name = "what-if";
  request.settings = {"rank:2=median"};
  const auto table = kino::job_trace_table({*named.jobs[0].analysis, traces}, request);
  REQUIRE(table.ok());
  REQUIRE(table.value().row_count() == 1);
  const auto& change = std::get<kino::TableColumn::Numbers>(table.value().find("change")->values);
  CHECK(change[0] == doctest::Approx(-0.039).epsilon(0.01));
}

TEST_CASE("traces that would not fit in half of the memory are not read") {
  kino::NamedJob job;
  job.files = {"/none/rank0.json", "/none/rank1.json"};
  kino::ContainedTraces contained;
  for (const auto& file : job.files)
    contained.traces.push_back({.path = file,
                                .name = file.filename().string(),
                                .size_bytes = std::uint64_t{1} << 50U,
                                .rank = 0,
                                .snapshot = false});
  const auto read = kino::read_traces(job, contained, uncached());
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().kind == kino::Error::Kind::out_of_memory);
}
