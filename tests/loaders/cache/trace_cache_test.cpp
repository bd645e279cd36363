// Covers: trace_cache, index_file
#include "loaders/cache/trace_cache.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/trace/trace_check.hpp"
#include "loaders/bytes/spool.hpp"
#include "loaders/formats/chrome_trace/args_reader.hpp"
#include "tests/fixtures/archive_files.hpp"
#include "tests/fixtures/cache_fixture.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/random_trace.hpp"
#include "tests/fixtures/same_trace.hpp"

namespace {

namespace fs = std::filesystem;
using Cache = kino_test::TestCache;
using kino_test::random_trace;
using kino_test::TemporaryFolder;

}  // namespace

TEST_CASE("a trace from the cache equals the original byte for byte, with its arguments") {
  Cache cache;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    kino_test::RandomTrace any(seed);  // has escapes and spellings, but few launches
    const std::string text = seed % 3 == 0 ? any.document(any.elements(100 * seed), "")
                                           : random_trace(seed, static_cast<int>(seed * seed * 20));
    const bool packed = seed % 2 == 0;
    const fs::path path = cache.folder.write("trace" + std::to_string(seed) + (packed ? ".gz" : ".json"),
                                             packed ? kino_test::gzip(text) : text);
    const auto fresh = cache.open(path);
    REQUIRE(fresh.ok());
    CHECK_FALSE(fresh.value().from_cache);
    REQUIRE_FALSE(cache.problem.has_value());
    CHECK(kino::is_consistent(*fresh.value().trace, 2, {}));
    const auto again = cache.open(path);
    REQUIRE(again.ok());
    CHECK(again.value().from_cache);
    CHECK(kino_test::difference(*fresh.value().trace, *again.value().trace) == "");
    CHECK(again.value().stats.text_bytes == text.size());
    CHECK(again.value().stamp == fresh.value().stamp);
    const auto offsets = again.value().trace->slices.source_offset.span();
    for (std::size_t i = 0; i < offsets.size(); i += 7) {
      const auto before = kino::read_event(*fresh.value().text, offsets[i]);
      const auto after = kino::read_event(*again.value().text, offsets[i]);
      REQUIRE(after.ok());
      CHECK(before.value().find("name")->text == after.value().find("name")->text);
    }
    // Excludes the index after the text.
    CHECK(again.value().text->read_text(text.size() - 1, 100).value() == text.substr(text.size() - 1));
    CHECK(fresh.value().text->read_text(text.size() - 1, 100).value() == text.substr(text.size() - 1));
  }
  CHECK(cache.kept == 12);
}

TEST_CASE("every real trace is equal from the cache" * doctest::test_suite("serial")) {
  Cache cache;
  const std::vector<fs::path> files = kino_test::real_files({"kineto", "chrome", "robust", "jax"});
  if (files.empty()) return;
  int compared = 0;
  for (const fs::path& path : files) {
    const auto fresh = cache.open(path);
    if (!fresh.ok() || fs::file_size(path) == 0) continue;
    CAPTURE(path);
    CHECK(kino::is_consistent(*fresh.value().trace, 2, {}));
    if (cache.problem) {
      CHECK(cache.problem->what == "");
      continue;
    }
    const auto again = cache.open(path);
    REQUIRE(again.ok());
    CHECK(again.value().from_cache);
    CHECK(kino_test::difference(*fresh.value().trace, *again.value().trace) == "");
    kino::clear_cache(cache.options.cache_directory);
    ++compared;
  }
  CHECK(2 * compared > static_cast<int>(files.size()));
  MESSAGE(compared << " of " << files.size() << " files compared");
}

TEST_CASE("a changed source is loaded again and replaces the cached trace") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(1, 500));
  REQUIRE(cache.open(path).ok());
  SUBCASE("other content") { cache.folder.write("trace.json", random_trace(2, 500)); }
  SUBCASE("another time") { fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(5)); }
  SUBCASE("equal size and time, but another end") {
    const auto time = fs::last_write_time(path);
    std::string text = kino_test::file_content(path);
    text[text.rfind("\"X\"") + 1] = 'Y';
    cache.folder.write("trace.json", text);
    fs::last_write_time(path, time);
  }
  const auto changed = cache.open(path);
  REQUIRE(changed.ok());
  CHECK_FALSE(changed.value().from_cache);
  CHECK(cache.kept == 2);
  REQUIRE(cache.refused.size() == 1);
  CHECK(cache.refused.front() == "The cached trace is not used because the trace has changed since");
  CHECK(cache.refused_source == fs::canonical(path).string());
  CHECK(kino::cache_entries(cache.options.cache_directory).size() == 1);
  CHECK(cache.open(path).value().from_cache);
  CHECK(cache.refused.size() == 1);
}

TEST_CASE("a change in the middle is detected, also with equal size and time") {
  Cache cache;
  std::string text = random_trace(3, 40000);
  REQUIRE(text.size() > std::size_t{200} << 10);
  const fs::path path = cache.folder.write("t.json", text);
  REQUIRE(cache.open(path).ok());
  const auto modified = fs::last_write_time(path);
  const std::size_t at = text.find("\"name\": \"aten::op", text.size() / 2);
  REQUIRE(at < text.size() - (std::size_t{70} << 10));
  text.replace(at, 13, "\"name\": \"ATEN");
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
  fs::last_write_time(path, modified);
  const auto opened = cache.open(path);
  REQUIRE(opened.ok());
  CHECK_FALSE(opened.value().from_cache);
  CHECK(cache.refused ==
        std::vector<std::string>{"The cached trace is not used because the trace has changed since"});
}

TEST_CASE("the cache folder is private") {
  const TemporaryFolder folder;
  const fs::path made = folder.path() / "deep" / "cache";
  kino::make_cache_folder(made);
  CHECK(fs::status(made).permissions() == fs::perms(0700));
  // A folder that exists and is not the default one remains unchanged.
  fs::permissions(made, fs::perms(0755));
  kino::make_cache_folder(made);
  CHECK(fs::status(made).permissions() == fs::perms(0755));
  // The default folder, as an older version created it, becomes private.
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string restored = before != nullptr ? before : "";
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  fs::create_directory(folder.path() / "kinetoscope");
  fs::permissions(folder.path() / "kinetoscope", fs::perms(0755));
  kino::make_cache_folder(kino::default_cache_directory());
  CHECK(fs::status(folder.path() / "kinetoscope").permissions() == fs::perms(0700));
  before != nullptr ? ::setenv("XDG_CACHE_HOME", restored.c_str(), 1) : ::unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("an index owned by another user is not used, and remains") {
  if (::geteuid() != 0) {
    MESSAGE("skipped: only root can give a file away");
    return;
  }
  Cache cache;
  const fs::path path = cache.folder.write("t.json", random_trace(4, 500));
  REQUIRE(cache.open(path).ok());
  const fs::path index = cache.file();
  REQUIRE(cache.open(path).value().from_cache);
  REQUIRE(::chown(index.c_str(), 12345, 12345) == 0);
  kino::OpenOptions looks_only = cache.options;
  looks_only.cache.keep = nullptr;
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(path, looks_only, progress, {});
  REQUIRE(opened.ok());
  CHECK_FALSE(opened.value().from_cache);
  REQUIRE(cache.refused.size() == 1);
  CHECK(cache.refused.front().find("belongs to another user") != std::string::npos);
  CHECK(fs::exists(index));
}

TEST_CASE("entries of an archive and traces in folders are cached separately") {
  Cache cache;
  fs::create_directory(cache.folder.path() / "run");
  const fs::path path = cache.folder.write("run/trace.json", random_trace(1, 300));
  REQUIRE(cache.open(cache.folder.path() / "run").ok());
  CHECK(cache.open(cache.folder.path() / "run").value().from_cache);
  CHECK(cache.open(path).value().from_cache);
  const fs::path link = cache.folder.path() / "link.json";
  fs::create_symlink(path, link);
  CHECK(cache.open(link).value().from_cache);
}

TEST_CASE("a cached text is verified on reading, for any compression and number of pieces") {
  const std::string text = random_trace(11, 9000);
  std::string members;
  for (std::size_t at = 0; at < text.size(); at += 3001) members += kino_test::gzip(text.substr(at, 3001));
  // The text of a gzip file is cached only if the file is in an archive. Otherwise, it is inflated again.
  const auto in_archive = [](const std::string& gzip) {
    return kino_test::packed("zip", "none", {{"trace.json.gz", gzip}});
  };
  for (const std::string& compressed :
       {kino_test::compressed("zstd", text), in_archive(kino_test::gzip(text)), in_archive(members)}) {
    Cache cache;
    const fs::path path = cache.folder.write("trace", compressed);
    REQUIRE(cache.open(path).ok());
    REQUIRE_FALSE(cache.problem);
    const auto again = cache.open(path);
    REQUIRE(again.value().from_cache);
    CHECK(again.value().text->read_text(0, text.size()).value() == text);

    const auto fresh = cache.open(path);
    const fs::path file = cache.file();
    const std::size_t damaged = text.size() - 100;
    {
      std::fstream changed(file, std::ios::in | std::ios::out | std::ios::binary);
      changed.seekp(static_cast<std::streamoff>(damaged));
      changed.put(static_cast<char>(text[damaged] ^ 1));
    }
    CHECK(again.value().text->read_text(damaged - 10, 5).ok());  // was verified by the earlier read
    const auto got = fresh.value().text->read_text(damaged - 10, 5);
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().kind == kino::Error::Kind::wrong_checksum);
    CHECK_FALSE(fs::exists(file));
    CHECK(fresh.value().text->read_text(100, 50).value() == text.substr(100, 50));
  }
}

TEST_CASE("for a gzip file, only the trace and its seek points are cached") {
  Cache cache;
  std::string text = random_trace(12, 3000);
  text.resize(text.size() - 2);
  std::mt19937 random(12);
  const std::size_t begin = text.size();
  while (text.size() < std::size_t{40} << 20) {
    text += R"(,{"ph": "X", "name": "long", "pid": 7, "tid": 1, "ts": )" + std::to_string(text.size()) +
            R"(, "dur": 1, "args": {"what": ")";
    for (int i = 0; i < 3000; ++i) text += std::to_string(random() % 100000);
    text += "\"}}";
  }
  text += "]}";
  const fs::path path = cache.folder.write("trace.json.gz", kino_test::gzip(text, 1));
  const auto fresh = cache.open(path);
  REQUIRE(fresh.ok());
  REQUIRE_FALSE(cache.problem);
  CHECK(fs::file_size(cache.file()) < text.size() / 10);
  const auto again = cache.open(path);
  REQUIRE(again.value().from_cache);
  CHECK(kino_test::difference(*fresh.value().trace, *again.value().trace) == "");
  CHECK(again.value().stats.text_bytes == text.size());
  REQUIRE(again.value().text->seek_points() != nullptr);
  CHECK(again.value().text->seek_points()->points.size() == 2);
  for (const auto& opened : {fresh, again}) {
    for (const std::size_t at : {begin, text.size() / 2, text.size() - 100, std::size_t{0}, begin + 1000})
      CHECK(opened.value().text->read_text(at, 3000).value() == text.substr(at, 3000));
  }
}

TEST_CASE("a trace opens without a cache folder, or with a read-only or full one") {
  Cache cache;
  const std::string text = random_trace(7, 400);
  const fs::path plain = cache.folder.write("trace.json", text);
  const fs::path packed = cache.folder.write("trace.json.zst", kino_test::compressed("zstd", text));
  SUBCASE("a file has its name") {
    cache.folder.write("cache", "no folder");
    for (const fs::path& path : {plain, packed, plain, packed}) {
      const auto opened = cache.open(path);
      REQUIRE(opened.ok());
      CHECK_FALSE(opened.value().from_cache);
      CHECK(cache.problem.has_value());
    }
  }
  SUBCASE("it does not exist") {
    cache.options.cache_directory = "/nonexistent/for/certain";
    if (::geteuid() == 0) cache.options.cache_directory = "/proc/self/fdinfo/none";
    for (const fs::path& path : {plain, packed}) {
      REQUIRE(cache.open(path).ok());
      CHECK(cache.problem.has_value());
    }
  }
  SUBCASE("the disk is full") {
    cache.options.cache.limit.most_bytes = 1000;
    for (const fs::path& path : {plain, packed}) {
      REQUIRE(cache.open(path).ok());
      REQUIRE(cache.problem.has_value());
      CHECK(cache.problem->kind == kino::Error::Kind::no_space);
    }
    CHECK(kino::cache_entries(cache.options.cache_directory).empty());
  }
  SUBCASE("a file in it cannot grow enough") {
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    for (const fs::path& path : {plain, packed}) {
      const rlimit small{(path == packed ? text.size() : 0) + 3000, old.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &small);
      const auto opened = cache.open(path);
      CHECK(opened.ok());
      CHECK(cache.problem.has_value());
      // The arguments are still there, and nothing follows them.
      CHECK(opened.value().text->read_text(text.size() - 1, 10).value() == "}");
      struct stat status {};
      const kino::FileSource* const spool = opened.value().text->spool();
      REQUIRE((spool != nullptr) == (path == packed));
      if (spool == nullptr) continue;
      ::fstat(spool->fd(), &status);
      CHECK(static_cast<std::size_t>(status.st_size) == text.size());
    }
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    CHECK(fs::is_empty(cache.options.cache_directory));
  }
}

TEST_CASE("the least recently used files are removed first when space is short") {
  Cache cache;
  const auto path_of = [&](int i) { return cache.folder.path() / ("trace" + std::to_string(i) + ".json"); };
  for (int i = 0; i < 4; ++i) {
    cache.folder.write(path_of(i).filename(), random_trace(static_cast<unsigned>(i), 3000));
    REQUIRE(cache.open(path_of(i)).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(15));  // resolution of file times
  }
  REQUIRE(cache.open(path_of(0)).value().from_cache);  // marks it as used
  const auto entries = kino::cache_entries(cache.options.cache_directory);
  REQUIRE(entries.size() == 4);
  CHECK(entries.front().source == fs::canonical(path_of(0)));
  CHECK(entries.back().source == fs::canonical(path_of(1)));
  std::uint64_t all = 0;
  for (const auto& entry : entries) all += entry.size_bytes;
  const fs::path another = cache.folder.write("another.json", random_trace(9, 3000));
  const std::uint64_t needed = kino_test::open(another).value().trace->size_bytes();
  cache.options.cache.limit.most_bytes = all + needed - entries.back().size_bytes / 2;
  REQUIRE(cache.open(another).ok());
  REQUIRE_FALSE(cache.problem.has_value());
  std::vector<std::string> sources;
  for (const auto& entry : kino::cache_entries(cache.options.cache_directory))
    sources.push_back(entry.source);
  const std::vector<std::string> expected = {fs::canonical(another), fs::canonical(path_of(0)),
                                             fs::canonical(path_of(3)), fs::canonical(path_of(2))};
  CHECK(sources == expected);
  CHECK(kino::clear_cache(cache.options.cache_directory).empty());
  CHECK(kino::cache_entries(cache.options.cache_directory).empty());
}

TEST_CASE("the cache leaves a multiple of its size free on the disk") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(1, 300));
  cache.options.cache.limit.least_free_parts = std::uint64_t{1} << 40;
  REQUIRE(cache.open(path).ok());
  REQUIRE(cache.problem.has_value());
  CHECK(cache.problem->kind == kino::Error::Kind::no_space);
  CHECK(fs::is_empty(cache.options.cache_directory));
}

TEST_CASE("small traces, pipes and traces without a request are not cached") {
  Cache cache;
  const std::string text = random_trace(1, 300);
  const fs::path path = cache.folder.write("trace.json", text);
  cache.options.cache.least_text_bytes = text.size() + 1;
  REQUIRE(cache.open(path).ok());
  CHECK(cache.kept == 0);
  cache.options.cache.least_text_bytes = text.size();
  REQUIRE(cache.open(path).ok());
  CHECK(cache.kept == 1);
  cache.options.cache.look = false;
  CHECK_FALSE(cache.open(path).value().from_cache);
  const fs::path pipe = cache.folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::jthread writer([&] { std::ofstream(pipe) << text; });
  cache.options.cache.look = true;
  cache.kept = 0;
  REQUIRE(cache.open(pipe).ok());
  CHECK(cache.kept == 0);
}

TEST_CASE("storing and finding stop on request") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(1, 3000));
  cache.options.cache.keep = {};
  const auto opened = cache.open(path);
  std::stop_source stopped;
  stopped.request_stop();
  const auto error = kino::store_opened(opened.value(), cache.options, stopped.get_token());
  REQUIRE(error.has_value());
  CHECK(error->kind == kino::Error::Kind::cancelled);
  CHECK(fs::is_empty(cache.options.cache_directory));
  REQUIRE_FALSE(kino::store_opened(opened.value(), cache.options, {}).has_value());
  kino::LoadProgress progress;
  const auto cancelled = kino::open_trace(path, cache.options, progress, stopped.get_token());
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().kind == kino::Error::Kind::cancelled);
  CHECK(cache.open(path).value().from_cache);  // it was not removed as damaged
}

TEST_CASE("four threads that open and store one trace at once all succeed") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json.gz", kino_test::gzip(random_trace(8, 1500)));
  const auto reference = kino_test::open(path);
  std::vector<std::jthread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      kino::OpenOptions options = cache.options;
      options.cache.keep = [&options](const kino::OpenedTrace& opened) {
        kino::store_opened(opened, options, {});
      };
      for (int i = 0; i < 15; ++i) {
        kino::LoadProgress progress;
        const auto opened = kino::open_trace(path, options, progress, {});
        if (!opened.ok() || !kino_test::difference(*opened.value().trace, *reference.value().trace).empty()) {
          ++wrong;
        }
        if (i % 5 == t) kino::clear_cache(cache.options.cache_directory);
      }
    });
  }
  threads.clear();
  CHECK(wrong == 0);
  CHECK(kino::cache_entries(cache.options.cache_directory).size() <= 1);
}
