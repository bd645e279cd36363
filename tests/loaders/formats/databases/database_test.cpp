// Covers: database, database_format, text_vfs
// Untrusted databases: contents other than tables of rows, damage, and stopping.
#include "loaders/formats/databases/database.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>

#include "loaders/bytes/file_source.hpp"
#include "loaders/cache/format.hpp"
#include "tests/fixtures/database_file.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace database_files {
namespace {

using kino_test::TemporaryFolder;

std::shared_ptr<kino::FileSource> source_of(const std::filesystem::path& path) {
  auto source =
      std::make_shared<kino::FileSource>(kino::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
  source->set_size_bytes(std::filesystem::file_size(path));
  return source;
}

constexpr const char* kSmall =
    "CREATE TABLE StringIds (id INTEGER, value TEXT); INSERT INTO StringIds VALUES (1, 'a'), (2, NULL), "
    "('x', 'b');"
    "CREATE TABLE OSRT_API (start, \"end\", globalTid, nameId);"
    "INSERT INTO OSRT_API VALUES (10, 20, 42, 1), (30, 40, 42, 1);";

}  // namespace

TEST_CASE("reads rows by column name, and missing columns have no values") {
  const TemporaryFolder folder;
  kino_test::write_database(folder.path() / "a", kSmall);
  const auto database = kino::Database::open(source_of(folder.path() / "a"), {});
  REQUIRE(database.ok());
  CHECK(database.value().has("OSRT_API", "end"));
  CHECK_FALSE(database.value().has("OSRT_API", "value"));
  auto rows = database.value().rows("StringIds", {"value", "id", "absent"});
  REQUIRE(rows.next());
  CHECK(rows.text(0) == "a");
  CHECK(rows.integer(1) == 1);
  CHECK_FALSE(rows.integer(2).has_value());
  REQUIRE(rows.next());
  CHECK(rows.text(0).empty());
  REQUIRE(rows.next());
  CHECK_FALSE(rows.integer(1).has_value());
  CHECK_FALSE(rows.next());
  CHECK_FALSE(rows.next());
  CHECK(rows.failure().empty());
  auto none = database.value().rows("absent", {"id"});
  CHECK_FALSE(none.next());
}

TEST_CASE("reads only requested rows, and ignores missing columns in filters") {
  const TemporaryFolder folder;
  kino_test::write_database(
      folder.path() / "a",
      "CREATE TABLE t (id INTEGER, kind, json TEXT); INSERT INTO t VALUES (1, 39, NULL), "
      "(2, 40, NULL), (3, 40, 'x'), (4, 'x', NULL), (5, 75, NULL);");
  const auto database = kino::Database::open(source_of(folder.path() / "a"), {});
  REQUIRE(database.ok());
  const auto ids = [&](const kino::RowsWith& with) {
    std::string text;
    for (auto rows = database.value().rows("t", {"id"}, with); rows.next();)
      text += std::to_string(rows.integer_or(0, -1));
    return text;
  };
  CHECK(ids({}) == "12345");
  CHECK(ids({.column = "kind", .values = {39, 75}}) == "15");
  CHECK(ids({.column = "kind", .values = {39}, .or_any = {"absent", "json"}}) == "13");
  CHECK(ids({.column = "kind"}).empty());
  CHECK(ids({.column = "absent", .values = {39}}).empty());
  CHECK(ids({.column = "absent", .values = {39}, .or_any = {"json"}}) == "3");
}

TEST_CASE("reads two large tables at the same time, and either can be abandoned") {
  const TemporaryFolder folder;
  kino_test::write_database(folder.path() / "a",
                            "CREATE TABLE a (id INTEGER, value, text TEXT); WITH RECURSIVE n(i) AS (SELECT 1 "
                            "UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO a SELECT i, i / 2.0, "
                            "'text ' || i FROM n;"
                            "CREATE TABLE b (id INTEGER); INSERT INTO b SELECT -id FROM a;");
  const auto database = kino::Database::open(source_of(folder.path() / "a"), {});
  REQUIRE(database.ok());
  std::int64_t wrong = 0;
  auto first = database.value().rows("a", {"id", "value", "text"});
  auto second = database.value().rows("b", {"id"});
  for (std::int64_t i = 1; i <= 20'000; ++i) {
    REQUIRE(first.next());
    if (i <= 9000) REQUIRE(second.next());
    const bool as_written = first.integer(0) == i && first.number(1) == static_cast<double>(i) / 2 &&
                            first.text(2) == "text " + std::to_string(i) &&
                            second.integer(0) == -std::min<std::int64_t>(i, 9000);
    if (!as_written) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK_FALSE(first.next());
  CHECK(first.failure().empty());
  second = database.value().rows("a", {"id"});
  REQUIRE(second.next());
  CHECK(second.integer(0) == 1);
}

TEST_CASE("reports progress of reading and importing a database") {
  const TemporaryFolder folder;
  kino_test::write_database(folder.path() / "a", std::string(kSmall) +
                                                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + "
                                                     "1 FROM n WHERE i < 100000) INSERT INTO OSRT_API "
                                                     "SELECT 10 * i, 10 * i + 5, 42, 1 FROM n;");
  kino::OpenOptions options;
  options.cache_directory = folder.path() / "cache";
  options.partial = {.first_seconds = 0, .least_seconds_left = 0, .first_bytes = 1 << 20};
  std::mutex mutex;
  std::vector<double> shares;
  options.on_partial = [&](const kino::OpenedTrace& part, double share) {
    const std::lock_guard lock(mutex);
    CHECK(part.trace->slice_count() > 0);
    shares.push_back(share);
  };
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(folder.path() / "a", options, progress, {});
  REQUIRE(opened.ok());
  CHECK(opened.value().trace->slice_count() == 100'002);
  CHECK(progress.transcribed > 0.8);
  CHECK(progress.transcribed < 1);
  CHECK(kino::fraction_read(progress) > 0.8);
  for (const double share : shares) CHECK((share > 0 && share < 1));
}

TEST_CASE("reads a large table up to a damaged page, and reports the damage") {
  const TemporaryFolder folder;
  kino_test::write_database(
      folder.path() / "a",
      "CREATE TABLE a (id INTEGER); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
      "200000) INSERT INTO a SELECT i FROM n;");
  const auto size = std::filesystem::file_size(folder.path() / "a");
  {
    std::fstream file(folder.path() / "a", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file << std::string(64 << 10, '\xff');
  }
  const auto database = kino::Database::open(source_of(folder.path() / "a"), {});
  REQUIRE(database.ok());
  std::int64_t last = 0;
  auto rows = database.value().rows("a", {"id"});
  while (rows.next()) {
    REQUIRE(rows.integer(0) == last + 1);
    ++last;
  }
  CHECK(last > 50'000);
  CHECK(last < 150'000);
  CHECK_FALSE(rows.failure().empty());
}

TEST_CASE("ignores views, virtual tables and triggers, and computed columns call nothing") {
  const TemporaryFolder folder;
  kino_test::write_database(folder.path() / "a",
                            "CREATE TABLE base (id INTEGER, big TEXT AS (hex(zeroblob(1000000))));"
                            "INSERT INTO base (id) VALUES (1);"
                            "CREATE VIEW OSRT_API AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                            "FROM n) SELECT i FROM n;"
                            "CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(text);"
                            "CREATE TRIGGER t AFTER INSERT ON base BEGIN DELETE FROM base; END;");
  const auto database = kino::Database::open(source_of(folder.path() / "a"), {});
  REQUIRE(database.ok());
  CHECK(database.value().has("base"));
  CHECK_FALSE(database.value().has("OSRT_API"));
  CHECK_FALSE(database.value().has("NVTX_EVENTS"));
  auto rows = database.value().rows("base", {"id", "big"});
  if (rows.next()) CHECK(rows.text(1).empty());
  auto plain = database.value().rows("base", {"id"});
  REQUIRE(plain.next());
  CHECK(plain.integer(0) == 1);
}

TEST_CASE("describes databases of other programs by their tables") {
  const TemporaryFolder folder;
  kino_test::write_database(folder.path() / "a", "CREATE TABLE moz_places (id); CREATE TABLE b (id);");
  const auto opened = kino_test::open(folder.path() / "a");
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().what.str().find("SQLite database with the tables moz_places, b") != std::string::npos);
}

TEST_CASE("unsupported profiler databases are named, with the format to open instead") {
  struct Case {
    const char* sql;
    const char* what;
    const char* instead;
  };
  constexpr std::array kCases{
      Case{"CREATE TABLE rocpd_metadata (id); CREATE TABLE rocpd_string (id, string); CREATE TABLE rocpd_api "
           "(id); "
           "CREATE TABLE rocpd_op (id); CREATE TABLE rocpd_kernelapi (id);",
           "rocmProfileData (RPD)", "rpd2tracing.py"},
      Case{"CREATE TABLE STRING_IDS (id, value); CREATE TABLE PYTORCH_API (id); CREATE TABLE CANN_API (id); "
           "CREATE TABLE TASK (id); CREATE TABLE COMPUTE_TASK_INFO (id);",
           "Ascend PyTorch Profiler", "trace_view.json"},
      Case{"CREATE TABLE STRING_IDS (id, value); CREATE TABLE TASK (id); CREATE TABLE CANN_API (id);",
           "msprof", "--type=text"},
      Case{"CREATE TABLE a (id);", "neither Nsight Systems nor rocprofv3 wrote", "with the tables a"}};
  for (const Case& it : kCases) {
    CAPTURE(it.sql);
    const TemporaryFolder folder;
    kino_test::write_database(folder.path() / "a", it.sql);
    const auto opened = kino_test::open(folder.path() / "a");
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().what.str().find(it.what) != std::string::npos);
    CHECK(opened.error().what.str().find(it.instead) != std::string::npos);
  }
}

TEST_CASE("each database belongs to one profiler") {
  const TemporaryFolder folder;
  kino_test::write_database(folder.path() / "a", "CREATE TABLE META_DATA_EXPORT (name, value);");
  kino_test::write_database(folder.path() / "b",
                            "CREATE TABLE rocpd_region_0 (id); CREATE TABLE rocpd_string_0 (id);");
  const auto nsight = kino_test::open(folder.path() / "a");
  REQUIRE(nsight.ok());
  CHECK(nsight.value().format->title == "a database of Nsight Systems");
  const auto rocpd = kino_test::open(folder.path() / "b");
  REQUIRE(rocpd.ok());
  CHECK(rocpd.value().format->title == "a database of rocprofv3");
}

TEST_CASE("reads a database in write-ahead mode without creating files next to it") {
  const TemporaryFolder folder;
  kino_test::write_database(folder.path() / "a", std::string("PRAGMA journal_mode=WAL;") + kSmall);
  const auto opened = kino_test::open(folder.path() / "a");
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  CHECK(opened.value().trace->slice_count() == 2);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("truncated and corrupted databases open in part or are rejected, and never hang" *
          doctest::test_suite("serial")) {
  const TemporaryFolder folder;
  kino_test::write_database(folder.path() / "a", kSmall);
  const std::string whole = kino_test::file_content(folder.path() / "a");
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    if (round < 60) {
      bytes.resize(whole.size() * static_cast<std::size_t>(round) / 60);
    } else {
      for (int i = 0; i < 8; ++i) bytes[16 + random() % (bytes.size() - 16)] = static_cast<char>(random());
    }
    std::ofstream(folder.path() / "b", std::ios::binary) << bytes;
    const auto opened = kino_test::open(folder.path() / "b");
    if (opened.ok()) {
      CHECK(opened.value().trace->slice_count() <= 2);
    } else {
      CHECK_FALSE(opened.error().what.str().empty());
    }
  }
}

TEST_CASE("opening a database can be cancelled, also from a compressed file") {
  const TemporaryFolder folder;
  kino_test::write_database(folder.path() / "a", kSmall);
  std::stop_source stop;
  stop.request_stop();
  kino::OpenOptions options;
  options.cache_directory = folder.path();
  kino::LoadProgress progress;
  const auto stopped = kino::open_trace(folder.path() / "a", options, progress, stop.get_token());
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().kind == kino::Error::Kind::cancelled);
  std::ofstream(folder.path() / "a.gz", std::ios::binary)
      << kino_test::gzip(kino_test::file_content(folder.path() / "a"));
  const auto opened = kino_test::open(folder.path() / "a.gz");
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  CHECK(opened.value().trace->slice_count() == 2);
}

}  // namespace database_files
