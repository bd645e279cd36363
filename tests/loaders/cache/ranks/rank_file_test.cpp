// Covers: rank_file, rank_digest, cached_ranks
// A rank's digest in a file: written values are restored, damaged and hostile files are ignored.
#include "loaders/cache/ranks/rank_file.hpp"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <xxhash.h>

#include "core/base/messages/message.hpp"
#include "loaders/cache/ranks/cached_ranks.hpp"
#include "loaders/formats/contained_traces.hpp"
#include "tests/fixtures/job_fixture.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using kino::CachedRank;
using kino::RankDigest;
using kino::RankSource;
using kino_test::TemporaryFolder;

namespace {

CachedRank some_rank() {
  CachedRank rank;
  kino_test::MadeRank made = kino_test::rank_of(3, 8);
  made.has_whole_us = true;
  for (int i = 0; i < 20; ++i) {
    kino_test::add(made, 1000 * i, 1000 * i + 700, i % 3 == 0 ? -1 : i);
    kino::TraceInterval& stretch = made.stretches.emplace_back();
    if (i > 0) stretch = {static_cast<std::uint32_t>(i - 1), 300, {}};
    stretch.times[2] = stretch.length_ns;
  }
  made.compute = {{5, 9}, {12, 20}};
  made.steps = {{7, {kino_test::kJobOrigin, kino_test::kJobOrigin + 5000}}};
  made.kernel_times.classes = {{17, 3, 0, 900, 0, 300.5, 0}, {19, 0, 2, 0, 800, 0, 400}};
  made.kernel_times.alone = {kino::KernelTimes::kColumns, std::vector<std::int64_t>{3, 250, 90, 310}};
  kino::Table& table = made.tables.emplace_back();
  table.name = "idle";
  table.add_texts("stream", "Stream", "Its number") = {"7", "20"};
  table.add_integers("idle_ns", "Idle", kino::Unit::ns, "All of it") = {12, kino::kNoInteger};
  table.add_numbers("share", "Share", kino::Unit::share, "Of the time") = {0.25, 1};
  table.add_texts("cause", "Cause", "Why it was idle");
  for (const kino::msg::Id cause : {kino::msg::idle, kino::msg::compute})
    table.columns.back().add_word(cause);
  table.notes = {"Coverage."};
  rank.digest = std::move(made).packed();
  rank.damage.add(kino::DamageReason::unknown_phase, 99, "Z", 3);
  rank.slices = 41;
  return rank;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Recomputes the checksums of a file.
void seal(std::string& file) {
  constexpr std::size_t kHeadBytes = 80;
  const auto put = [&](std::size_t at, std::uint64_t value) {
    std::memcpy(file.data() + at, &value, sizeof value);
  };
  put(56, file.size() - kHeadBytes);
  put(64, XXH3_64bits(file.data() + kHeadBytes, file.size() - kHeadBytes));
  put(72, XXH3_64bits(file.data(), 72));
}

}  // namespace

TEST_CASE("the digest of a trace that may not be opened is not read") {
  const TemporaryFolder folder;
  const std::filesystem::path trace = folder.path() / "rank3.json";
  REQUIRE_FALSE(kino::write_rank_file(kino::rank_file_beside(trace), {1, 2}, some_rank()));
  kino::OpenOptions options;
  options.cache_directory = folder.path() / "cache";
  CHECK(kino::find_cached_rank(trace, options));
  for (const std::filesystem::path& refused : {trace, kino::rank_file_beside(trace)}) {
    options.may_open = [refused](const std::filesystem::path& path) { return path != refused; };
    CHECK_FALSE_MESSAGE(kino::find_cached_rank(trace, options), refused.string());
  }
}

TEST_CASE("a rank digest is read as it was written") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "a.json.kinorank";
  const CachedRank rank = some_rank();
  REQUIRE(kino::is_consistent(rank.digest));
  CHECK_FALSE(kino::write_rank_file(file, {123, 456}, rank));
  const auto head = kino::read_rank_file_head(file);
  REQUIRE(head);
  CHECK(head->source == RankSource{123, 456});
  CHECK(head->rank == 3);
  CHECK(head->world_size == 8);
  const auto read = kino::read_rank_file(file);
  REQUIRE(read);
  CHECK(read->slices == 41);
  CHECK(read->damage.count(kino::DamageReason::unknown_phase) == 3);
  const RankDigest& digest = read->digest;
  CHECK(digest.groups == rank.digest.groups);
  CHECK(digest.has_whole_us);
  REQUIRE(digest.kernels.size() == 20);
  CHECK(digest.kernels[4].sequence == 4);
  CHECK(digest.kernels[4].start_ns == kino_test::kJobOrigin + 4000);
  CHECK(digest.texts[digest.kernels[4].family] == "all-reduce");
  CHECK(digest.stretches[5].previous == 4);
  CHECK(digest.stretches[5].times[2] == 300);
  CHECK(digest.compute.size() == 2);
  CHECK(digest.steps[0].number == 7);
  CHECK(digest.kernel_times.classes[0].isolated_median_ns == 300.5);
  REQUIRE(digest.kernel_times.alone.size() == 2);
  CHECK(digest.kernel_times.alone.at(1, kino::KernelTimes::kDuration) == 310);
  REQUIRE(digest.tables.size() == 1);
  const kino::Table& table = digest.tables[0];
  CHECK(table.notes == rank.digest.tables[0].notes);
  CHECK(std::get<kino::TableColumn::Integers>(table.find("idle_ns")->values)[0] == 12);
  CHECK(std::get<kino::TableColumn::Texts>(table.find("stream")->values)[1] == "20");
  CHECK(table.find("share")->unit == kino::Unit::share);
  CHECK(table.find("cause")->words.at(1).id() == kino::msg::compute);
}

TEST_CASE("a column of a rank's table has a text for each row, or none") {
  RankDigest digest = some_rank().digest;
  std::vector<kino::Message>& words = digest.tables[0].columns.back().words;
  words.pop_back();
  CHECK_FALSE(kino::is_consistent(digest));
  words.clear();
  CHECK(kino::is_consistent(digest));
}

TEST_CASE("truncated, changed and foreign rank files are ignored safely") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "a.json.kinorank";
  CHECK_FALSE(kino::write_rank_file(file, {123, 456}, some_rank()));
  const std::string whole = content_of(file);
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    folder.replace("a.json.kinorank", whole.substr(0, size));
    CHECK_FALSE(kino::read_rank_file(file));
  }
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    folder.replace("a.json.kinorank", changed);
    CHECK_FALSE(kino::read_rank_file(file));
  }
  CHECK_FALSE(kino::read_rank_file(folder.path()));
  CHECK_FALSE(kino::read_rank_file(folder.path() / "missing"));
  // With valid checksums it reads as a consistent digest, or not at all.
  std::mt19937 random(7);
  std::size_t read = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string made = whole;
    for (int i = 0; i < 1 + round % 3; ++i)
      made[80 + random() % (made.size() - 80)] = static_cast<char>(random());
    if (round % 10 == 0) made.resize(80 + random() % (made.size() - 80));
    seal(made);
    folder.replace("a.json.kinorank", made);
    if (const auto rank = kino::read_rank_file(file)) {
      ++read;
      CHECK(kino::is_consistent(rank->digest));
    }
  }
  CHECK(read > 100);
  CHECK(read < 4000);
}

TEST_CASE("a folder of digests lists its ranks, with or without the traces") {
  const TemporaryFolder folder;
  const std::string trace = R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1}]})";
  for (const int rank : {0, 1, 2}) {
    const std::filesystem::path path = folder.path() / ("t" + std::to_string(rank) + ".json");
    if (rank < 2) folder.write(path.filename().string(), trace);
    CachedRank kept = some_rank();
    kept.digest.rank = 4 + rank;
    const RankSource source = kino::rank_source(path).value_or(RankSource{});
    CHECK_FALSE(kino::write_rank_file(kino::rank_file_beside(path), source, kept));
  }
  auto contained = kino::traces_in_folder(folder.path(), {});
  REQUIRE(contained.ok());
  REQUIRE(contained->traces.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(contained->traces[i].name == "t" + std::to_string(i) + ".json");
    CHECK(contained->traces[i].rank == static_cast<std::int64_t>(4 + i));
    CHECK(contained->traces[i].world_size == 8);
  }
  // If the trace has changed, its digest is ignored.
  folder.write("t0.json", trace + "\n");
  contained = kino::traces_in_folder(folder.path(), {});
  REQUIRE(contained.ok());
  CHECK(contained->traces[0].rank == -1);
}

TEST_CASE("a digest's name contains its trace's name") {
  CHECK(kino::trace_of_rank_file(kino::rank_file_beside("/a/rank0.json")) == "/a/rank0.json");
  CHECK(kino::trace_of_rank_file("/a/rank0.json") == "/a/rank0.json");
}
