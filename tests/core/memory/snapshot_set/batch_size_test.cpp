// Covers: batch_size, snapshot_set_tables
// The peak as a linear function of the batch size.
#include "core/memory/snapshot_set/batch_size.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "core/memory/snapshot_set/snapshot_set_tables.hpp"
#include "tests/fixtures/table_cells.hpp"

using kino::BatchFit;
using kino::SnapshotMember;
using kino::SnapshotSet;

namespace {

struct BatchPart {
  const char* category;
  std::uint64_t bytes;
};

/// A file with this peak line of code and these categories.
SnapshotMember of_parts(const std::string& file, std::size_t source, const std::vector<BatchPart>& parts,
                        const char* place = "model.py:9 forward") {
  SnapshotMember it{file, -1, true, true, {}, source};
  it.sums.peak_place = place;
  for (const BatchPart& part : parts) {
    it.sums.peak_bytes += part.bytes;
    it.sums.rows[static_cast<std::size_t>(kino::SumsBy::category)].push_back(
        {part.category, part.category, part.bytes, 1});
  }
  it.sums.reserved_peak_bytes = it.sums.peak_bytes + 20;
  return it;
}

/// 1000 bytes of parameters, 50 fixed bytes and 10 per unit of the batch.
SnapshotMember of_batch(const std::string& file, std::size_t source, std::uint64_t size) {
  return of_parts(file, source, {{"Parameters", 1000}, {"Activations", 50 + 10 * size}});
}

bool notes_say(const std::vector<kino::Message>& sentences, std::string_view words) {
  return std::ranges::any_of(kino::english_texts(sentences),
                             [&](const std::string& it) { return it.find(words) != it.npos; });
}

}  // namespace

TEST_CASE("two snapshots define a line per category, the need of other sizes, and the largest that fits") {
  const SnapshotSet set = kino::snapshot_set({of_batch("a", 0, 8), of_batch("b", 1, 16)});
  const BatchFit fit =
      kino::batch_fit(set, std::vector<std::uint64_t>{8, 16}, 1399, kino::ByteUnits::decimal);
  REQUIRE(fit.refused.empty());
  CHECK(fit.peak.fixed == 1050);
  CHECK(fit.peak.per_unit == 10);
  CHECK(fit.peak.at(100) == 2050);
  REQUIRE(fit.lines.size() == 2);
  CHECK(fit.lines[0].name == "Activations");
  CHECK(fit.lines[0].fixed == 50);
  CHECK(fit.lines[1].per_unit == 0);
  CHECK(fit.lines[1].fixed == 1000);
  CHECK(fit.most_live == 34);      // 1390, and 35 would be 1400
  CHECK(fit.most_reserved == 32);  // 20 more bytes each
  const auto notes = kino::batch_notes(fit, kino::ByteUnits::decimal);
  CHECK(notes.front() == "Peak of live memory = 1.05 kB + 10 B x size.");
  CHECK(notes_say(notes, "sizes up to 34 fit into"));
  CHECK(notes_say(notes, "Only a third size shows"));
  CHECK(kino::batch_fit(set, std::vector<std::uint64_t>{8, 16}, 900, kino::ByteUnits::decimal).most_live ==
        0);
  CHECK(!kino::batch_fit(set, std::vector<std::uint64_t>{8, 16}, std::nullopt, kino::ByteUnits::decimal)
             .most_live);
}

TEST_CASE("sizes are by file in any order of members; of several GPUs the highest peak counts") {
  SnapshotMember other = of_batch("big", 0, 2);
  other.sums.device = 1;
  const SnapshotSet set =
      kino::snapshot_set({of_batch("big", 0, 16), std::move(other), of_batch("a small", 1, 8)});
  const BatchFit fit =
      kino::batch_fit(set, std::vector<std::uint64_t>{16, 8}, std::nullopt, kino::ByteUnits::decimal);
  REQUIRE(fit.refused.empty());
  CHECK(fit.points.front().size == 8);
  CHECK(set.members[fit.points.front().member].file == "a small");
  CHECK(fit.peak.per_unit == 10);
}

TEST_CASE("a member that ran out of memory is excluded from the fit, and provides the capacity") {
  SnapshotMember failed = of_parts("c", 2, {{"Parameters", 1000}, {"Activations", 5}});
  failed.sums.out_of_memory = kino::SumOutOfMemory{3, 0, 500, 300, 1, 1099};
  const SnapshotSet set = kino::snapshot_set({of_batch("a", 0, 8), of_batch("b", 1, 16), failed});
  const BatchFit fit =
      kino::batch_fit(set, std::vector<std::uint64_t>{8, 16, 64}, std::nullopt, kino::ByteUnits::decimal);
  REQUIRE(fit.refused.empty());
  CHECK(fit.points.size() == 2);
  CHECK(fit.capacity == 1399);
  CHECK(fit.capacity_from_oom);
  CHECK(fit.most_live == 34);
  CHECK(notes_say(fit.doubts, "Size 64 ran out of memory"));
}

TEST_CASE("notes recordings that lack events, but not other notes on them") {
  SnapshotMember small = of_batch("a", 0, 8);
  small.sums.notes = {"Events without a stack: 7."};
  const std::vector<std::uint64_t> sizes{8, 16};
  const auto doubts = [&] {
    const SnapshotSet set = kino::snapshot_set({small, of_batch("b", 1, 16)});
    return kino::batch_fit(set, sizes, std::nullopt, kino::ByteUnits::decimal).doubts;
  };
  CHECK_FALSE(notes_say(doubts(), "Some of these recordings are incomplete"));
  small.sums.lacks_events = true;
  CHECK(notes_say(doubts(), "Some of these recordings are incomplete"));
}

TEST_CASE("refuses other programs, nonlinear curves and peaks that do not grow") {
  const std::vector<std::uint64_t> two{8, 16};
  const auto refused = [&](std::vector<SnapshotMember> members, std::vector<std::uint64_t> sizes) {
    const SnapshotSet set = kino::snapshot_set(std::move(members));
    const BatchFit fit = kino::batch_fit(set, sizes, 5000, kino::ByteUnits::decimal);
    CHECK(!fit.most_live);
    CHECK(kino::batch_notes(fit, kino::ByteUnits::decimal).size() == 1);
    CHECK(kino::batch_table(set, fit, kino::ByteUnits::decimal).row_count() == 0);
    return fit.refused.str();
  };
  CHECK(
      refused({of_parts("a", 0, {{"Parameters", 1000}, {"Activations", 80}}),
               of_parts("b", 1, {{"Parameters", 1200}, {"Activations", 160}})},
              two) ==
      "Parameters: 1.00 kB at the peak of a and 1.20 kB at the peak of b. This category does not depend on the "
      "batch size. So the snapshots are not from the same program at the same moment.");
  CHECK(refused({of_batch("a", 0, 16), of_batch("b", 1, 8)}, two).starts_with("The peak does not grow"));
  CHECK(refused({of_batch("a", 0, 8), of_batch("b", 1, 8)}, {8, 8}) == "Two snapshots have the size 8.");
  CHECK(refused({of_batch("a", 0, 8)}, {8}).starts_with("A line needs two snapshots"));
  CHECK(refused({of_batch("a", 0, 8), of_batch("b", 1, 16)}, {8, 0}).starts_with("A line needs two"));
  const auto squared = [](const char* file, std::size_t source, std::uint64_t size) {
    return of_parts(file, source, {{"Parameters", 10}, {"Activations", size * size}});
  };
  CHECK(
      refused({squared("a", 0, 80), squared("b", 1, 160)}, {80, 160})
          .starts_with(
              "The line of Activations has the value -12.8 kB at size 0. The memory grows faster than the size"));
  // The fixed part hides the curvature from two sizes, but a third size shows it.
  const auto bent = [](const char* file, std::size_t source, std::uint64_t size) {
    return of_parts(file, source, {{"Parameters", 10}, {"Activations", 40'000 + size * size}});
  };
  CHECK(refused({bent("a", 0, 8), bent("b", 1, 80), bent("c", 2, 160)}, {8, 80, 160})
            .starts_with("At size 8, the line through 80 and 160 predicts"));
}

TEST_CASE(
    "a smaller size with another peak moment does not contradict the line, one with the same confirms it") {
  SnapshotMember small =
      of_parts("a", 0, {{"Parameters", 1000}, {"Optimizer temporaries", 400}}, "adam.py:3 step");
  const SnapshotSet other = kino::snapshot_set({small, of_batch("b", 1, 80), of_batch("c", 2, 160)});
  const BatchFit one =
      kino::batch_fit(other, std::vector<std::uint64_t>{1, 80, 160}, std::nullopt, kino::ByteUnits::decimal);
  CHECK(one.refused.empty());
  CHECK(notes_say(one.doubts, "The peaks of size 1 (adam.py:3 step) and size 160"));
  const SnapshotSet same =
      kino::snapshot_set({of_batch("a", 0, 4), of_batch("b", 1, 80), of_batch("c", 2, 160)});
  const BatchFit three =
      kino::batch_fit(same, std::vector<std::uint64_t>{4, 80, 160}, std::nullopt, kino::ByteUnits::decimal);
  CHECK(three.refused.empty());
  CHECK(notes_say(three.doubts, "Number of smaller sizes on the line: 1, with a deviation of at most 0"));
}

TEST_CASE("beyond its sizes, the line of linearly growing allocations is never above the peak") {
  std::mt19937 random(20);
  const auto number = [&](std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(0, most)(random);
  };
  std::size_t lines = 0;
  for (int round = 0; round < 500; ++round) {
    // Moments of a step: the fixed part, and the part per unit of the batch.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> moments;
    for (std::uint64_t i = 0; i <= number(4); ++i) moments.emplace_back(number(10'000), number(300));
    const auto peak = [&](std::uint64_t size) {
      std::uint64_t most = 0;
      for (const auto& [fixed, each] : moments) most = std::max(most, fixed + each * size);
      return most;
    };
    const std::uint64_t low = 1 + number(20);
    const std::uint64_t high = low + 1 + number(20);
    const SnapshotSet set = kino::snapshot_set(
        {of_parts("a", 0, {{"Unknown", peak(low)}}), of_parts("b", 1, {{"Unknown", peak(high)}})});
    const BatchFit fit =
        kino::batch_fit(set, std::vector<std::uint64_t>{low, high}, 20'000, kino::ByteUnits::decimal);
    if (!fit.refused.empty()) continue;
    ++lines;
    for (const std::uint64_t size : {high + 1, high * 2, high * 10})
      CHECK(fit.peak.at(static_cast<double>(size)) <= static_cast<double>(peak(size)) + 1e-6);
    if (*fit.most_live >= high) CHECK(peak(*fit.most_live + 1) > 20'000);
  }
  CHECK(lines > 100);
}

TEST_CASE("reads sizes after a word for them in file names, and ignores other numbers") {
  const auto sizes = [](std::vector<std::string> names) { return kino::sizes_in_names(names); };
  CHECK(sizes({"run_bs8.pickle", "run_bs16.pickle"}) == std::vector<std::uint64_t>{8, 16});
  CHECK(sizes({"7b-batch_32-x", "7b-batch_64-x"}) == std::vector<std::uint64_t>{32, 64});
  CHECK(sizes({"xl_ctx512_step.pkl", "xl_ctx1024_step.pkl"}) == std::vector<std::uint64_t>{512, 1024});
  CHECK(sizes({"rank0.pickle", "rank1.pickle"}).empty());
  CHECK(sizes({"step_100", "step_200"}).empty());
  CHECK(sizes({"bs8", "bs8"}).empty());
  CHECK(sizes({"bs8", "ctx16"}).empty());
  CHECK(sizes({"bs8", "model"}).empty());
  CHECK(sizes({"b7b", "b8b"}).empty());
  CHECK(sizes({"bs0", "bs99999999999999999999"}).empty());
  CHECK(sizes({}).empty());
  CHECK(kino::sizes_from_text("8,16").value() == std::vector<std::uint64_t>{8, 16});
  for (const char* text : {"", "8,", ",8", "0", "-1", "8.5", "x", "99999999999999999999"})
    CHECK(!kino::sizes_from_text(text).ok());
}

TEST_CASE("the table has one row per category, the peak and reserved memory, and columns per size") {
  const SnapshotSet set = kino::snapshot_set({of_batch("bs8", 0, 8), of_batch("bs16", 1, 16)});
  kino::TableRequest request;
  request.name = "batch-size";
  request.settings = {"capacity_mb=40960"};
  const auto made = kino::snapshot_set_table(set, request);
  REQUIRE(made.ok());
  const kino::Table& table = made.value();
  REQUIRE(table.row_count() == 4);
  CHECK(kino_test::text(table, "category", 0) == "Activations");
  CHECK(kino_test::text(table, "category", 2) == "Peak of live memory");
  CHECK(kino_test::integer(table, "bytes_1", 2) == 1130);
  CHECK(kino_test::integer(table, "bytes_2", 2) == 1210);
  CHECK(table.find("bytes_2")->title == "Size 16");
  CHECK(notes_say(table.notes, "Judging by live memory, sizes up to"));
  CHECK(notes_say(table.notes, " fit into a capacity of 42.9 GB."));
  request.sizes = {1, 2};
  CHECK(kino::snapshot_set_table(set, request).value().find("bytes_2")->title == "Size 2");
  request.settings = {"expandable_segments=True"};
  CHECK(!kino::snapshot_set_table(set, request).ok());
  request.settings.clear();
  request.sizes = {2, 2};
  CHECK(kino::snapshot_set_table(set, request).error().what == "Two snapshots have the size 2.");
  request.sizes.clear();
  const SnapshotSet unnamed = kino::snapshot_set({of_batch("a", 0, 8), of_batch("b", 1, 16)});
  CHECK(kino::snapshot_set_table(unnamed, request)
            .error()
            .what.str()
            .starts_with("The file names contain no batch sizes"));
}
