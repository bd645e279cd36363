// Covers: job_siblings, contained_traces
// The other ranks of a trace's job in its folder.
#include "app/shell/documents/job_siblings.hpp"

#include <filesystem>
#include <stop_token>
#include <string>

#include <doctest/doctest.h>

#include "loaders/formats/contained_traces.hpp"
#include "loaders/formats/open.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace siblings_of_traces {
namespace {

using kino_test::TemporaryFolder;

/// Returns a trace of 8 ms that begins `begin_ms` after the base time.
std::string trace_text(int rank, int world, int begin_ms) {
  return R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
         R"(, "world_size": )" + std::to_string(world) +
         R"(}, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [)" +
         R"({"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python"}},)" +
         R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": )" +
         std::to_string(begin_ms * 1000) + R"(.125, "dur": 8000}]})";
}

kino::JobSiblings found_beside(const std::filesystem::path& file) {
  kino::OpenOptions options;
  options.cache.look = false;
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(file, options, progress, {});
  REQUIRE(opened.ok());
  return kino::siblings_of(file, *opened.value().trace);
}

}  // namespace

TEST_CASE("the start of a file states the time of its first complete event, not of metadata") {
  const TemporaryFolder folder;
  const auto found = kino::recording_at(folder.write("a.json", trace_text(0, 2, 5)));
  REQUIRE(found);
  CHECK(found->begin_ns == 1'700'000'000'005'000'000);
  const auto without =
      kino::recording_at(folder.write("b.json", R"({"schemaVersion": 1, "traceEvents": []})"));
  CHECK((!without || without->begin_ns == -1));
}

TEST_CASE("ranks of the same size and time are one job, sorted by rank") {
  const TemporaryFolder folder;
  const auto own = folder.write("c.json", trace_text(1, 3, 0));
  folder.write("b.json", trace_text(2, 3, 1));
  folder.write("a.json", trace_text(0, 3, 2));
  const kino::JobSiblings siblings = found_beside(own);
  REQUIRE(siblings.count() == 3);
  CHECK(siblings.ranks.traces[0].name == "a.json");
  CHECK(siblings.ranks.traces[1].path == own);
  CHECK(siblings.whole_folder);
  CHECK_FALSE(siblings.more);
  CHECK(siblings.folder == folder.path());
}

TEST_CASE("other world sizes, other times, equal ranks and other files are left out") {
  const TemporaryFolder folder;
  const auto own = folder.write("own.json", trace_text(0, 2, 0));
  folder.write("peer.json", trace_text(1, 2, 3));
  folder.write("later.json", trace_text(1, 2, 60'000));
  folder.write("later_own.json", trace_text(0, 2, 60'000));
  folder.write("large.json", trace_text(2, 4, 0));
  folder.write("notes.txt", "no trace");
  const kino::JobSiblings siblings = found_beside(own);
  REQUIRE(siblings.count() == 2);
  CHECK(siblings.ranks.traces[1].name == "peer.json");
  CHECK_FALSE(siblings.whole_folder);
}

TEST_CASE("a trace alone, or without a stated rank, has no siblings") {
  const TemporaryFolder folder;
  CHECK(found_beside(folder.write("own.json", trace_text(0, 2, 0))).count() == 0);
  folder.write("peer.json", trace_text(1, 2, 0));
  CHECK(found_beside(folder.write("rank0.json", R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", )"
                                                R"("cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, )"
                                                R"("ts": 1, "dur": 2}]})"))
            .count() == 0);
}

TEST_CASE("in a folder of many files, those with the nearest names are read") {
  const TemporaryFolder folder;
  const auto name = [](int i) { return "f" + std::to_string(10'000 + i) + ".json"; };
  const int last = static_cast<int>(kino::kMostSiblingsExamined) + 40;
  for (int i = 0; i < last; ++i) folder.write(name(i), "{}");
  const auto own = folder.write(name(last), trace_text(0, 2, 0));
  folder.replace(name(last - 1), trace_text(1, 2, 0));
  const kino::JobSiblings siblings = found_beside(own);
  CHECK(siblings.count() == 2);
  CHECK(siblings.more);
  CHECK_FALSE(siblings.whole_folder);
}

TEST_CASE("a stopped search finds nothing") {
  const TemporaryFolder folder;
  const auto own = folder.write("a.json", trace_text(0, 2, 0));
  folder.write("b.json", trace_text(1, 2, 0));
  kino::OpenOptions options;
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(own, options, progress, {});
  REQUIRE(opened.ok());
  std::stop_source stop;
  stop.request_stop();
  CHECK(kino::siblings_of(own, *opened.value().trace, stop.get_token()).count() == 0);
}

}  // namespace siblings_of_traces
