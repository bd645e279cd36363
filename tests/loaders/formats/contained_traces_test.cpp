// Covers: contained_traces
// Detection of the traces in a folder.
#include "loaders/formats/contained_traces.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;

std::string trace_of_rank(int rank) {
  return R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
         R"(, "world_size": 2}, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]})";
}

kino::ContainedTraces traces_in(const fs::path& folder) {
  auto contained = kino::traces_in_folder(folder, {});
  REQUIRE(contained.ok());
  return std::move(contained).value();
}

}  // namespace

TEST_CASE("a folder of links to the ranks of a job opens as that job") {
  const kino_test::TemporaryFolder elsewhere;
  const kino_test::TemporaryFolder folder;
  for (const int rank : {0, 1}) {
    const std::string name = "worker" + std::to_string(rank) + ".json";
    fs::create_symlink(elsewhere.write("2026-11-27_" + name, trace_of_rank(rank)), folder.path() / name);
  }
  const kino::ContainedTraces contained = traces_in(folder.path());
  REQUIRE(contained.traces.size() == 2);
  CHECK(contained.traces[1].name == "worker1.json");
  CHECK(contained.traces[1].rank == 1);
  CHECK(contained.left_out.empty());
  CHECK(kino::are_ranks(contained));
  const auto opened = kino_test::open(contained.traces[0].path);
  REQUIRE(opened.ok());
  CHECK(opened.value().trace->slice_count() == 1);
}

TEST_CASE("a link to a trace in the same folder adds no second rank, and dangling links are reported") {
  const kino_test::TemporaryFolder folder;
  folder.write("rank0.json", trace_of_rank(0));
  folder.write("rank1.json", trace_of_rank(1));
  fs::create_symlink("rank1.json", folder.path() / "latest.json");
  fs::create_symlink("/nowhere.json", folder.path() / "rank2.json");
  const kino::ContainedTraces contained = traces_in(folder.path());
  CHECK(contained.traces.size() == 2);
  CHECK(contained.left_out == "skipped links to missing files: 1");
  CHECK(kino::are_ranks(contained));
}

TEST_CASE("Nsight Systems exports are traces of a folder; reports and other databases are skipped") {
  const kino_test::TemporaryFolder folder;
  const std::string database = std::string("SQLite format 3") + '\0';
  folder.write("a.sqlite", database + "CREATE TABLE StringIds (id INTEGER)");
  folder.write("b.sqlite", database + "CREATE TABLE songs (id INTEGER)");
  folder.write("c.nsys-rep", "NVIDIA Tegra Profiler Report" + std::string(100, ' '));
  const kino::ContainedTraces contained = traces_in(folder.path());
  REQUIRE(contained.traces.size() == 1);
  CHECK(contained.traces[0].name == "a.sqlite");
  CHECK_FALSE(contained.guessed);
  CHECK(contained.left_out ==
        "1 file was skipped because its first 64 KB contain no events: b.sqlite; skipped reports of Nsight "
        "Systems (.nsys-rep): 1");
  fs::remove(folder.path() / "a.sqlite");
  CHECK(traces_in(folder.path()).traces.at(0).report);
}

TEST_CASE("traces are found after long members, and other files are reported as skipped") {
  const kino_test::TemporaryFolder folder;
  const auto fields = [](std::size_t bytes) {
    return R"({"metadata": {"packages": ")" + std::string(bytes, 'x') + "\"}";
  };
  const std::string events =
      R"(, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]})";
  folder.write("a.json", trace_of_rank(0));
  folder.write("b.json", fields(26 << 10) + events);
  folder.write("c.json", fields(70 << 10) + events);
  folder.write("notes.txt", "no JSON");
  kino::ContainedTraces contained = traces_in(folder.path());
  REQUIRE(contained.traces.size() == 2);
  CHECK(contained.traces[1].name == "b.json");
  CHECK_FALSE(contained.guessed);
  CHECK(contained.left_out == "1 file was skipped because its first 64 KB contain no events: c.json");
  folder.write("d.json", R"({"batch_size": 32})");
  CHECK(traces_in(folder.path()).left_out ==
        "2 files were skipped because their first 64 KB contain no events: c.json, d.json");
  fs::remove(folder.path() / "a.json");
  fs::remove(folder.path() / "b.json");
  contained = traces_in(folder.path());
  CHECK(contained.traces.size() == 2);
  CHECK(contained.guessed);
  CHECK(contained.left_out.empty());
}

TEST_CASE("errors for folders with several files list them and the commands that open them") {
  kino::ContainedTraces contained;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    kino::ContainedTrace& trace = contained.traces.emplace_back();
    trace.rank = rank;
  }
  const auto sentence = [&] { return kino::none_of(contained, "folder").what.str(); };
  CHECK(sentence() == "There are 2 traces in this folder, which the command info lists; open one of them");
  CHECK(kino::none_of(contained, "archive").what ==
        "There are 2 traces in this archive, which the command info lists; open one of them as FILE#NAME");
  contained.traces[1].dump = true;
  CHECK(sentence() ==
        "There are 2 recordings in this folder, which the command info lists; open one of them");
  contained.traces[1].dump = false;
  contained.traces[0].world_size = 2;
  CHECK(sentence().starts_with("There are 2 ranks of a job in this folder; open one of them, or use"));
  for (kino::ContainedTrace& trace : contained.traces) trace.dump = true;
  CHECK(
      sentence().starts_with("There are 2 flight recorder dumps of a job in this folder; the command info"));
  CHECK(kino::none_of(contained, "archive").what.str().find("unpack it") != std::string::npos);
  contained.traces[0].name = "a/dump_0";
  contained.traces[1].name = "a/dump_1";
  CHECK(
      sentence().starts_with("There are 2 flight recorder dumps in a; open that folder, or use that folder"));
  contained.traces[1].name = "b/dump_1";
  CHECK(sentence().starts_with(
      "There are 2 flight recorder dumps in 2 folders, each of one job: a, b; open one of these folders"));
  contained.traces[0].name = contained.traces[1].name = "";
  for (kino::ContainedTrace& trace : contained.traces) {
    trace.dump = false;
    trace.snapshot = true;
  }
  CHECK(sentence().starts_with("There are 2 allocator snapshots in this folder"));
}
