// Covers: snapshot_set
// Median and outliers of a set of snapshots.
#include "core/memory/snapshot_set/snapshot_set.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

using kino::snapshot_set;
using kino::SnapshotMember;
using kino::SnapshotSet;
using kino::SumsBy;

namespace {

using BytesOfLines = std::vector<std::pair<std::string, std::uint64_t>>;

SnapshotMember member(std::string file, std::int64_t rank, const BytesOfLines& lines,
                      std::int64_t first_us = 100, std::int64_t last_us = 200) {
  SnapshotMember made{std::move(file), rank, true, true, {}, 0};
  for (const auto& [name, bytes] : lines) {
    made.sums.rows[0].push_back({"/home/" + name, name, bytes, 1});
    made.sums.peak_bytes += bytes;
  }
  std::ranges::stable_sort(made.sums.rows[0], std::ranges::greater(), &kino::SumRow::bytes);
  made.sums.first_us = first_us;
  made.sums.last_us = last_us;
  return made;
}

std::vector<SnapshotMember> ranks(const std::vector<std::uint64_t>& peaks) {
  std::vector<SnapshotMember> made;
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    made.push_back(member("rank" + std::to_string(i) + ".pickle", static_cast<std::int64_t>(i),
                          {{"model.py:1 f", peaks[i]}}));
  }
  return made;
}

}  // namespace

TEST_CASE("the median is the snapshot with the middle peak, the lower of two") {
  CHECK(snapshot_set(ranks({30, 10, 20})).median == 2);
  CHECK(snapshot_set(ranks({30, 10, 20, 40})).median == 2);
  CHECK(snapshot_set(ranks({7})).median == 0);
}

TEST_CASE("differences from the median add up to the difference of the peaks") {
  const SnapshotSet set = snapshot_set({member("a", 0, {{"a", 100}, {"b", 50}}),
                                        member("b", 1, {{"a", 130}, {"c", 5}, {"b", 50}}),
                                        member("c", 2, {{"a", 100}, {"b", 51}})});
  CHECK(set.median == 2);
  const auto found = kino::differences(set.members[1].sums, set.members[set.median].sums, SumsBy::line);
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "a");
  CHECK(found[0].difference() == 30);
  CHECK(found[1].name == "c");
  CHECK(found[1].median_bytes == 0);
  CHECK(found[2].difference() == -1);
  std::int64_t sum = 0;
  for (const auto& it : found) sum += it.difference();
  CHECK(sum == set.difference(1));
  CHECK(kino::differences(set.members[2].sums, set.members[2].sums, SumsBy::line).empty());
}

TEST_CASE("differences of random snapshots add up to those of the peaks") {
  std::mt19937 random(20);
  for (int round = 0; round < 50; ++round) {
    std::vector<SnapshotMember> members;
    for (int m = 0; m < 6; ++m) {
      BytesOfLines lines;
      for (int line = 0; line < 12; ++line) {
        if (random() % 3 != 0) lines.emplace_back("l" + std::to_string(line), random() % 5 * 100);
      }
      members.push_back(member("f" + std::to_string(m), m, lines));
    }
    const SnapshotSet set = snapshot_set(members);
    for (std::uint32_t i = 0; i < set.members.size(); ++i) {
      std::int64_t sum = 0;
      for (const auto& it :
           kino::differences(set.members[i].sums, set.members[set.median].sums, SumsBy::line)) {
        CHECK(it.bytes != it.median_bytes);
        sum += it.difference();
      }
      CHECK(sum == set.difference(i));
    }
    std::vector<std::uint64_t> peaks;
    for (const auto& it : set.members) peaks.push_back(it.sums.peak_bytes);
    std::ranges::sort(peaks);
    CHECK(set.median_peak() == peaks[(peaks.size() - 1) / 2]);
  }
}

TEST_CASE("an outlier is reported and comes first; small differences are not reported") {
  const SnapshotSet set = snapshot_set(ranks({1000, 1010, 1005, 1500, 990}));
  CHECK(set.outlier == std::vector<bool>{false, false, false, true, false});
  CHECK(set.order.front() == 3);
  CHECK(
      kino::set_verdict(set, 0, kino::ByteUnits::decimal) ==
      "Outlier: rank 3. The peak of this snapshot is 495 B above the median, most of it at model.py:1 f (+495 B).");
  const SnapshotSet even = snapshot_set(ranks({1000, 1010, 1005, 1040, 990}));
  CHECK(std::ranges::count(even.outlier, true) == 0);
  CHECK(kino::set_verdict(even, 0, kino::ByteUnits::decimal)
            .str()
            .starts_with("There are no outliers. Peaks range from 990 B to 1.04 kB"));
  const SnapshotSet unlike = snapshot_set(ranks({1000, 2500, 4000, 8000, 16000}));
  CHECK(std::ranges::count(unlike.outlier, true) == 0);
  CHECK(kino::set_verdict(unlike, 0, kino::ByteUnits::decimal)
            .str()
            .starts_with("Peaks differ widely, from 1.00 kB to 16.0 kB"));
}

TEST_CASE("two different snapshots have no outlier and no median in texts") {
  const SnapshotSet set = snapshot_set(ranks({1000, 5000}));
  CHECK(std::ranges::count(set.outlier, true) == 0);
  CHECK_FALSE(set.typical);
  CHECK(kino::set_verdict(set, 0, kino::ByteUnits::decimal) ==
        "There are only two snapshots, with peaks of 1.00 kB and 5.00 kB. Two are too few for a median.");
}

TEST_CASE("snapshots of different programs have no typical one and no outlier") {
  const auto programs = [](std::string d) {
    return snapshot_set({member("a", -1, {{"a.py:1 f", 1000}}), member("b", -1, {{"b.py:1 f", 1000}}),
                         member("c", -1, {{"c.py:1 f", 1010}}), member("d", -1, {{std::move(d), 9000}})});
  };
  CHECK_FALSE(programs("d.py:1 f").typical);
  CHECK(std::ranges::count(programs("d.py:1 f").outlier, true) == 0);
  CHECK(kino::set_verdict(programs("d.py:1 f"), 0, kino::ByteUnits::decimal)
            .str()
            .starts_with("No snapshot is typical, because the snapshots are from different programs"));
  CHECK(programs("a.py:1 f").typical);
}

TEST_CASE("counts snapshots without a history by file, also if an event marks the end") {
  std::vector<SnapshotMember> members = ranks({1000, 1000, 1000});
  members[1].file = members[0].file;
  members[0].alone = members[1].alone = false;
  members[1].sums.device = 1;
  members[2].sums.history = false;
  members[2].sums.events = 1;
  const SnapshotSet set = snapshot_set(members);
  CHECK(kino::set_notes(set).back().str().starts_with("Snapshots without a history: 1 of 2."));
  CHECK(std::ranges::find(set.names, "rank 0, device 0") != set.names.end());
}

TEST_CASE("counts recordings that lack events, but not complete recordings with notes or without a history") {
  std::vector<SnapshotMember> members = ranks({1000, 1000, 1000, 1000});
  members[0].sums.notes = {"Events without a stack: 7."};
  members[1].sums.notes = {"Allocations older than the recording: 3."};
  members[1].sums.lacks_events = true;
  members[2].sums.history = false;
  members[2].sums.notes = {"No history was recorded."};
  CHECK(kino::english_texts(kino::set_notes(snapshot_set(members))) ==
        std::vector<std::string>{
            "Snapshots without a history: 1 of 4. The values of these snapshots are from the "
            "moment when they were taken, not from a peak.",
            "Recordings that lack early events or all events of some kind: 1 of 4. The peaks of "
            "these recordings cover only the recorded part."});
  members[1].sums.lacks_events = false;
  CHECK(kino::set_notes(snapshot_set(members)).size() == 1);
}

TEST_CASE("out-of-memory is listed first, and the verdict reports the difference") {
  std::vector<SnapshotMember> members = ranks({1000, 900, 1000, 5000});
  members[1].sums.rows[0] = {{"/home/x", "x.py:9 g", 400, 1}, {"/home/model.py:1 f", "model.py:1 f", 500, 1}};
  members[1].sums.out_of_memory = kino::SumOutOfMemory{7, 150, 2'000'000'000, 1'000'000'000, 1};
  const SnapshotSet set = snapshot_set(members);
  CHECK(set.order.front() == 1);
  CHECK(set.order[1] == 3);
  CHECK(set.outlier[1]);
  CHECK(
      kino::set_verdict(set, 0, kino::ByteUnits::decimal) ==
      "Out of memory: rank 1. The failed allocation requested 2.00 GB with 1.00 GB free. The peak of this snapshot "
      "is 100 B below the median. The largest difference is model.py:1 f (-500 B), which others partly offset.");
  members[1].sums.peak_bytes = 400;
  members[1].sums.rows[0] = {{"/home/x", "x.py:9 g", 100, 1}, {"/home/model.py:1 f", "model.py:1 f", 300, 1}};
  members[0] = member("rank0.pickle", 0, {{"model.py:1 f", 550}, {"y.py:2 h", 450}});
  members[2] = member("rank2.pickle", 2, {{"model.py:1 f", 550}, {"y.py:2 h", 450}});
  CHECK(kino::set_verdict(snapshot_set(members), 0, kino::ByteUnits::decimal)
            .str()
            .ends_with("600 B below the median, most of it at y.py:2 h (-450 B)."));
}

TEST_CASE("reports duplicate ranks, and names snapshots by file then") {
  std::vector<SnapshotMember> members = ranks({1000, 1000, 1000});
  members[2].rank = 1;
  const SnapshotSet set = snapshot_set(members);
  CHECK(!set.by_rank);
  CHECK(set.doubled_ranks == std::vector<std::int64_t>{1});
  CHECK(kino::english_texts(set.names) ==
        std::vector<std::string>{"rank0.pickle", "rank1.pickle", "rank2.pickle"});
  const auto notes = kino::set_notes(set);
  REQUIRE(!notes.empty());
  CHECK(notes.front() == "Rank 1 occurs more than once: rank1.pickle, rank2.pickle.");
}

TEST_CASE("the verdict names snapshots out of memory, or devices of a snapshot with several") {
  std::vector<SnapshotMember> members = ranks({1000, 1000, 1000});
  for (const std::size_t i : {0, 1})
    members[i].sums.out_of_memory = kino::SumOutOfMemory{7, 150, 2'000'000'000, 1'000'000'000, 1};
  CHECK(kino::set_verdict(snapshot_set(members), 0, kino::ByteUnits::decimal)
            .str()
            .starts_with(
                "Out of memory: 2 of 3 snapshots (rank 0, rank 1). The first failed allocation requested"));
  members[1].file = members[0].file;
  members[1].rank = 0;
  members[1].sums.device = 1;
  members[0].alone = members[1].alone = false;
  CHECK(kino::set_verdict(snapshot_set(members), 0, kino::ByteUnits::decimal)
            .str()
            .starts_with("Out of memory: 2 of 3 devices (rank 0, device 0, rank 0, device 1)."));
}

TEST_CASE("GPUs of one file have different names, and their rank is not a duplicate") {
  std::vector<SnapshotMember> members = ranks({1000, 1000});
  members[1].file = members[0].file;
  members[1].rank = 0;
  members[1].sums.device = 1;
  members[0].alone = members[1].alone = false;
  const SnapshotSet set = snapshot_set(members);
  CHECK(set.doubled_ranks.empty());
  CHECK(kino::english_texts(set.names) == std::vector<std::string>{"rank 0, device 0", "rank 0, device 1"});
}

TEST_CASE("a series with a rising peak is reported, with its line of code") {
  std::vector<SnapshotMember> series;
  for (int i = 0; i < 4; ++i) {
    series.push_back(member("step" + std::to_string(9 - i), -1,
                            {{"keep.py:3 f", static_cast<std::uint64_t>(100 * i)}, {"model.py:1 f", 1000}},
                            1000 * i, 1000 * i + 10));
  }
  const SnapshotSet set = snapshot_set(series);
  CHECK(set.rises);
  CHECK(!set.together);
  CHECK(set.names.front() == "step9");
  CHECK(kino::set_verdict(set, 0, kino::ByteUnits::decimal) ==
        "The peak rises with each snapshot, from 1.00 kB to 1.30 kB, most of it at keep.py:3 f "
        "(+300 B).");
  series[2].sums.peak_bytes = 1;
  CHECK(!snapshot_set(series).rises);
}

TEST_CASE("distinguishes concurrent snapshots from a series") {
  CHECK(snapshot_set(ranks({1, 2, 3})).together);
  std::vector<SnapshotMember> later = ranks({1, 2});
  later[1].sums.first_us = 300;
  later[1].sums.last_us = 400;
  CHECK(!snapshot_set(later).together);
  later[1].sums.first_us = kino::SnapshotEntries::kNoTime;
  later[1].sums.events = 1;
  CHECK(!snapshot_set(later).timed);
}

TEST_CASE("a truncated file is neither median nor outlier, and comes last") {
  std::vector<SnapshotMember> members = ranks({1000, 10, 1000, 1001, 20});
  members[1].whole = members[4].whole = false;
  const SnapshotSet set = snapshot_set(members);
  CHECK(set.median_peak() == 1000);
  CHECK(std::ranges::count(set.outlier, true) == 0);
  CHECK(set.order[3] == 1);
  CHECK(set.order[4] == 4);
  CHECK(set.lowest_peak == 1000);
  members[0].whole = members[2].whole = members[3].whole = false;
  CHECK(snapshot_set(members).median_peak() == 1000);
}

TEST_CASE("a snapshot without events does not need times for a common clock") {
  std::vector<SnapshotMember> members = ranks({5, 6});
  members[0].sums.events = 3;
  members[1].sums.first_us = members[1].sums.last_us = kino::SnapshotEntries::kNoTime;
  members[1].sums.events = 0;
  CHECK(snapshot_set(members).timed);
  CHECK(snapshot_set(members).together);
  members[1].sums.events = 1;
  CHECK(!snapshot_set(members).timed);
}

TEST_CASE("rows of all snapshots have the bytes of each, and 0 if missing") {
  const SnapshotSet set =
      snapshot_set({member("a", 0, {{"a", 100}, {"b", 50}}), member("b", 1, {{"a", 130}, {"c", 500}}),
                    member("c", 2, {{"a", 100}, {"b", 51}})});
  const kino::SetRows found = kino::set_rows(set, SumsBy::line);
  CHECK(found.left_out == 0);
  REQUIRE(found.rows.size() == 3);
  CHECK(found.rows[0].name == "c");
  CHECK(found.rows[0].bytes == std::vector<std::uint64_t>{0, 500, 0});
  CHECK(found.rows[0].lowest == 0);
  CHECK(found.rows[0].highest_member == 1);
  CHECK(found.rows[1].name == "b");
  CHECK(found.rows[1].bytes == std::vector<std::uint64_t>{50, 0, 51});
  CHECK(found.rows[2].lowest == 100);
  CHECK(found.rows[2].highest == 130);
  CHECK(kino::set_rows(set, SumsBy::module).rows.empty());
}

TEST_CASE("no snapshot, one snapshot and broken ones have texts") {
  CHECK(kino::set_verdict(snapshot_set({}), 0, kino::ByteUnits::decimal) == "No snapshot was found.");
  CHECK(kino::set_verdict(snapshot_set({}), 3, kino::ByteUnits::decimal) ==
        "None of these snapshots can be read.");
  CHECK(kino::set_verdict(snapshot_set(ranks({2000})), 0, kino::ByteUnits::decimal) ==
        "There is only one snapshot, with a peak of 2.00 kB, so there is nothing to compare.");
  CHECK(kino::set_verdict(snapshot_set(ranks({5, 5})), 0, kino::ByteUnits::decimal) ==
        "There are no outliers. All peaks are 5 B.");
  CHECK(snapshot_set({}).difference(0) == 0);
}
