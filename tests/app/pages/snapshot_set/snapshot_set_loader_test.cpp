// Covers: snapshot_set_loader, snapshot_set_info, contained_traces
// Reading many snapshots, reporting broken ones, and detecting sets in folders.
#include "app/pages/snapshot_set/snapshot_set_loader.hpp"

#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/cli/snapshot_set_info.hpp"
#include "core/memory/tables/snapshot_categories.hpp"
#include "loaders/formats/contained_traces.hpp"
#include "tests/fixtures/real_data.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using kino::ContainedTraces;
using kino::SnapshotFile;
using kino::SnapshotSetLoader;

namespace {

/// One GPU: `keep` bytes of the model and `more` of another line; ends with an out-of-memory error.
std::string snapshot_text(std::uint64_t keep, std::uint64_t more, bool failed = false,
                          std::int64_t begin_us = 1'000) {
  const auto entry = [&](const char* action, std::uint64_t addr, std::uint64_t size, int line, int when) {
    return std::string(R"({"action": ")") + action + R"(", "addr": )" + std::to_string(addr) +
           R"(, "size": )" + std::to_string(size) + R"(, "stream": 0, "time_us": )" +
           std::to_string(begin_us + when) + R"(, "frames": [{"filename": "/home/me/model.py", "line": )" +
           std::to_string(line) + R"(, "name": "forward"}]})";
  };
  std::string text = R"({"segments": [], "device_traces": [[)" + entry("alloc", 0x10000, keep, 10, 0);
  if (more > 0) text += "," + entry("alloc", 0x900000, more, 120, 10);
  if (failed) {
    text += R"(,{"action": "oom", "device_free": 512, "size": 4096, "stream": 0, "frames": [], "time_us": )" +
            std::to_string(begin_us + 20) + "}";
  }
  return text + "]]}";
}

kino::SnapshotSet set_of_folder(const std::filesystem::path& folder) {
  const auto contained = kino::traces_in_folder(folder, {});
  REQUIRE(contained.ok());
  CHECK(kino::are_snapshots(contained.value()));
  SnapshotSetLoader loader(contained.value().traces, {}, kino::default_category_rules());
  loader.wait();
  CHECK(loader.done());
  return kino::loaded_set(loader.files());
}

}  // namespace

TEST_CASE("a folder of snapshots is a set that reports the OOM and the line with more memory") {
  const kino_test::TemporaryFolder folder;
  for (int rank = 0; rank < 4; ++rank) {
    const bool last = rank == 3;
    folder.write("rank" + std::to_string(rank) + ".pickle",
                 snapshot_text(1'000'000, last ? 2'100'000 : 0, last));
  }
  const kino::SnapshotSet set = set_of_folder(folder.path());
  REQUIRE(set.members.size() == 4);
  CHECK(set.by_rank);
  CHECK(set.together);
  CHECK(set.order.front() == 3);
  CHECK(
      kino::set_verdict(set, 0, kino::ByteUnits::decimal) ==
      "Out of memory: rank 3. The failed allocation requested 4.10 kB with 512 B free. The peak of this snapshot is 2.10 MB above the median, "
      "most of it at model.py:120 forward (+2.10 MB).");
  for (const kino::SnapshotMember& it : set.members) {
    for (const auto& rows : it.sums.rows) {
      std::uint64_t sum = 0;
      for (const kino::SumRow& row : rows) sum += row.bytes;
      CHECK(sum == it.sums.peak_bytes);
    }
  }
}

TEST_CASE("reports truncated and empty snapshots by name, and opens the others") {
  const kino_test::TemporaryFolder folder;
  const std::array files{folder.write("rank0.pickle", snapshot_text(1'000, 0)),
                         folder.write("rank1.pickle", ""),
                         folder.write("rank2.pickle", R"({"segments": 7, "device_traces": 8})"),
                         folder.write("rank3.pickle", snapshot_text(1'000, 0))};
  const auto given = kino::as_snapshots(files);
  REQUIRE(given);
  REQUIRE(given->traces.size() == 4);
  SnapshotSetLoader loader(given->traces, {}, kino::default_category_rules());
  loader.wait();
  const std::vector<SnapshotFile> read = loader.files();
  CHECK(read[0].state == SnapshotFile::State::ready);
  CHECK(read[1].state == SnapshotFile::State::failed);
  CHECK(!read[1].error.what.str().empty());
  CHECK(read[1].name == "rank1.pickle");
  CHECK(read[3].state == SnapshotFile::State::ready);
  CHECK(kino::failed_file_count(read) >= 1);
  CHECK(kino::loaded_set(read).members.size() == 4 - kino::failed_file_count(read));
  CHECK(read[1].members == nullptr);

  const auto contained = kino::traces_in_folder(folder.path(), {});
  REQUIRE(contained.ok());
  CHECK(contained.value().left_out.find("rank1.pickle") != std::string::npos);
}

TEST_CASE("mixed files and a single file are not a set") {
  const kino_test::TemporaryFolder folder;
  const auto a = folder.write("a.pickle", snapshot_text(1'000, 0));
  const auto b = folder.write("b.json", R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2}]})");
  const auto c = folder.write("c.pickle", snapshot_text(2'000, 0));
  const auto d = folder.write("d.pickle", "");
  const auto given = [](std::vector<std::filesystem::path> files) {
    return kino::as_snapshots(files).has_value();
  };
  CHECK(given({a, c}));
  CHECK(!given({a, b}));
  CHECK(!given({a}));
  CHECK(!given({d, d}));
  CHECK(!given({a, folder.path() / "missing.pickle"}));
}

TEST_CASE("a set without readable files reports that it has no members") {
  const kino_test::TemporaryFolder folder;
  ContainedTraces contained;
  for (const char* const name : {"a.pickle", "b.pickle"}) {
    contained.traces.push_back(
        {.path = folder.write(name, ""), .name = name, .size_bytes = 0, .snapshot = true});
  }
  SnapshotSetLoader loader(contained.traces, {}, kino::default_category_rules());
  loader.wait();
  const std::vector<SnapshotFile> read = loader.files();
  CHECK(kino::set_verdict(kino::loaded_set(read), kino::failed_file_count(read), kino::ByteUnits::decimal) ==
        "None of these snapshots can be read.");
}

TEST_CASE("the JSON of a set contains one row per snapshot with its differences, and names broken files") {
  const kino_test::TemporaryFolder folder;
  ContainedTraces contained;
  for (int rank = 0; rank < 5; ++rank) {
    const std::string name = "rank" + std::to_string(rank) + ".pickle";
    const std::string text = rank == 4 ? std::string() : snapshot_text(1'000'000, rank == 2 ? 500'000 : 0);
    contained.traces.push_back({.path = folder.write(name, text),
                                .name = name,
                                .size_bytes = text.size(),
                                .rank = rank,
                                .snapshot = true});
  }
  const kino::ReadSnapshots read = kino::read_snapshots({}, contained);
  CHECK(read.broken == 1);
  CHECK(read.incomplete);
  const auto json = nlohmann::json::parse(kino::snapshot_set_json(folder.path(), read));
  CHECK(json["kind"] == "snapshots");
  CHECK(json["files"] == 5);
  REQUIRE(json["snapshots"].size() == 4);
  CHECK(json["snapshots"][0]["name"] == "rank 2");
  CHECK(json["snapshots"][0]["outlier"] == true);
  CHECK(json["snapshots"][0]["difference_bytes"] == 500'000);
  CHECK(json["snapshots"][0]["out_of_memory"].is_null());
  CHECK(json["snapshots"][0]["differences"]["line"][0]["name"] == "model.py:120 forward");
  CHECK(json["snapshots"][0]["differences"]["line"][0]["difference_bytes"] == 500'000);
  CHECK(json["snapshots"][1]["differences"]["line"].empty());
  CHECK(json["problems"][0].get<std::string>().find("rank4.pickle") != std::string::npos);
  const std::string text = kino::snapshot_set_text(folder.path(), read);
  CHECK(text.find("4 of 5 read") != std::string::npos);
  CHECK(text.find("+500 kB model.py:120 forward") != std::string::npos);
}

TEST_CASE("a set of real snapshots has the known peaks, and each grouping adds up") {
  if (!kino_test::real_data("golden/snapshots.json")) return;
  const kino::SnapshotSet set =
      set_of_folder(kino_test::data_folder() / "snapshot/Wedsonlin-assignment2-systems");
  REQUIRE(set.members.size() == 6);
  for (const kino::SnapshotMember& it : set.members) {
    CAPTURE(it.file);
    if (it.file == "medium_512_training_memory_snapshot.pickle") CHECK(it.sums.peak_bytes == 12'426'629'128);
    for (const auto& rows : it.sums.rows) {
      std::uint64_t sum = 0;
      for (const kino::SumRow& row : rows) sum += row.bytes;
      CHECK(sum == it.sums.peak_bytes);
    }
  }
}
