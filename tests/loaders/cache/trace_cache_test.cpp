#include "loaders/cache/trace_cache.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/platform/new_file.hpp"
#include "core/trace/trace_check.hpp"
#include "loaders/bytes/spool.hpp"
#include "loaders/formats/chrome_trace/args_reader.hpp"
#include "tests/fixtures/archive_files.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/random_trace.hpp"
#include "tests/fixtures/same_trace.hpp"

namespace {

namespace fs = std::filesystem;
using kino_test::TemporaryFolder;

/// Opens and keeps, in a cache folder of its own.
class Cache {
 public:
  Cache() {
    options.threads = 2;
    options.cache_directory = folder.path() / "cache";
    options.cache.least_text_bytes = 0;
    options.cache.refused = [this](const std::string& why, const std::string& source) {
      refused.push_back(why);
      refused_source = source;
    };
    options.cache.keep = [this](const kino::OpenedTrace& opened) {
      problem = kino::keep_opened(opened, options, {});
      ++kept;
    };
  }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  kino::Result<kino::OpenedTrace> open(const fs::path& path) const {
    kino::LoadProgress progress;
    return kino::open_trace(path, options, progress, {});
  }
  /// Of the only trace that is kept.
  fs::path file() const {
    const auto entries = kino::cache_entries(options.cache_directory);
    REQUIRE(entries.size() == 1);
    return entries.front().file;
  }

  TemporaryFolder folder;
  kino::OpenOptions options;
  std::optional<kino::Error> problem;
  int kept = 0;
  std::vector<std::string> refused;
  std::string refused_source;  // of the last
};

/// A trace with something of everything: nesting, launches, flows, counters, instants, damage.
std::string random_trace(unsigned seed, int events) {
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  std::string text = R"({"distributedInfo": {"rank": 3, "world_size": 8, "backend": "nccl"},
"deviceProperties": [{"id": 0, "name": "GPU <0>"}], "traceEvents": [
{"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "python"}})";
  for (int i = 0; i < events; ++i) {
    const std::string ts = std::to_string(below(events * 5)) + "." + std::to_string(below(1000));
    const std::string at = R"(, "pid": 7, "tid": )" + std::to_string(below(4)) + R"(, "ts": )" + ts;
    const std::string id = std::to_string(1 + below(events));
    switch (below(9)) {
      case 0:
        text += R"(,{"ph": "i", "name": "point", "cat": "mark")" + at + "}";
        break;
      case 1:
        text += R"(,{"ph": "C", "name": "memory")" + at + R"(, "args": {"bytes": )" + id + "}}";
        break;
      case 2:
        text += R"(,{"ph": "s", "name": "f", "cat": "fwdbwd", "id": )" + id + at + "}";
        break;
      case 3:
        text += R"(,{"ph": "f", "name": "f", "cat": "fwdbwd", "bp": "e", "id": )" + id + at + "}";
        break;
      case 4:
        text += R"(,{"ph": "X", "name": "cudaLaunchKernel", "cat": "cuda_runtime")" + at +
                R"(, "dur": 2, "args": {"correlation": )" + id + "}}";
        break;
      case 5:
        text += R"(,{"ph": "X", "name": "kernel )" + std::to_string(below(5)) +
                R"(", "cat": "kernel", "pid": 0, "tid": 7, "ts": )" + ts + R"(, "dur": )" +
                std::to_string(below(40)) + R"(, "args": {"correlation": )" + id + "}}";
        break;
      case 6:
        text += below(10) == 0 ? R"(,{"ph": "X", "name": "no time"})" : "";
        break;
      default:
        text += R"(,{"ph": "X", "name": "aten::op)" + std::to_string(below(30)) + R"(", "cat": "cpu_op")" +
                at + R"(, "dur": )" + std::to_string(below(200)) + R"(, "args": {"i": )" + std::to_string(i) +
                "}}";
    }
  }
  return text + "]}";
}

/// What read_trace() makes of these bytes.
std::shared_ptr<const kino::Trace> read_back(const std::string& index, std::uint64_t text_bytes) {
  const int fd = ::memfd_create("index", MFD_CLOEXEC);
  REQUIRE(::write(fd, index.data(), index.size()) == static_cast<ssize_t>(index.size()));
  const auto head = kino::read_index_head(fd);
  auto trace = head ? kino::read_trace(fd, *head, text_bytes, 1, {}).trace : nullptr;
  ::close(fd);
  return trace;
}

}  // namespace

TEST_CASE("a trace that was opened before is the same from the cache, byte for byte, with its arguments") {
  Cache cache;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    kino_test::RandomTrace any(seed);  // escapes and spellings, but hardly a launch
    const std::string text = seed % 3 == 0 ? any.document(any.elements(100 * seed), "")
                                           : random_trace(seed, static_cast<int>(seed * seed * 20));
    const bool packed = seed % 2 == 0;
    const fs::path path = cache.folder.write("trace" + std::to_string(seed) + (packed ? ".gz" : ".json"),
                                             packed ? kino_test::gzip(text) : text);
    const auto fresh = cache.open(path);
    REQUIRE(fresh.ok());
    CHECK_FALSE(fresh.value().from_cache);
    REQUIRE_FALSE(cache.problem.has_value());
    CHECK(kino::holds_together(*fresh.value().trace, 2, {}));
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
    // The index behind the text is not part of it.
    CHECK(again.value().text->read_text(text.size() - 1, 100).value() == text.substr(text.size() - 1));
    CHECK(fresh.value().text->read_text(text.size() - 1, 100).value() == text.substr(text.size() - 1));
  }
  CHECK(cache.kept == 12);
}

TEST_CASE("every real trace is the same from the cache" * doctest::test_suite("serial")) {
  Cache cache;
  const std::vector<fs::path> files = kino_test::real_files({"kineto", "chrome", "robust", "jax"});
  if (files.empty()) return;
  int compared = 0;
  for (const fs::path& path : files) {
    const auto fresh = cache.open(path);
    if (!fresh.ok() || fs::file_size(path) == 0) continue;
    CAPTURE(path);
    CHECK(kino::holds_together(*fresh.value().trace, 2, {}));
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

TEST_CASE("another state of the source is read anew, and takes the place of the old") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(1, 500));
  REQUIRE(cache.open(path).ok());
  SUBCASE("another content") { cache.folder.write("trace.json", random_trace(2, 500)); }
  SUBCASE("another time") { fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(5)); }
  SUBCASE("the same size and time, but another end") {
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
  CHECK(cache.refused.front() == "What was kept of a trace is not used, because the file has changed since");
  CHECK(cache.refused_source == fs::canonical(path).string());
  CHECK(kino::cache_entries(cache.options.cache_directory).size() == 1);
  CHECK(cache.open(path).value().from_cache);
  CHECK(cache.refused.size() == 1);
}

TEST_CASE("a change in the middle is seen, also when size and time of the file are what they were") {
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
        std::vector<std::string>{"What was kept of a trace is not used, because the file has changed since"});
}

TEST_CASE("the cache folder is made for nobody else to look into") {
  const TemporaryFolder folder;
  const fs::path made = folder.path() / "deep" / "cache";
  kino::make_cache_folder(made);
  CHECK(fs::status(made).permissions() == fs::perms(0700));
  // One that somebody else made and named is left as it is.
  fs::permissions(made, fs::perms(0755));
  kino::make_cache_folder(made);
  CHECK(fs::status(made).permissions() == fs::perms(0755));
  // The program's own, of an older version.
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string restored = before != nullptr ? before : "";
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  fs::create_directory(folder.path() / "kinetoscope");
  fs::permissions(folder.path() / "kinetoscope", fs::perms(0755));
  kino::make_cache_folder(kino::default_cache_directory());
  CHECK(fs::status(folder.path() / "kinetoscope").permissions() == fs::perms(0700));
  before != nullptr ? ::setenv("XDG_CACHE_HOME", restored.c_str(), 1) : ::unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("an index that another user owns is not used, and stays") {
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

TEST_CASE("entries of an archive and single traces in folders are kept each for itself") {
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

TEST_CASE("a kept trace that is cut or changed anywhere is not used, and is replaced") {
  Cache cache;
  const fs::path path =
      cache.folder.write("trace.json.zst", kino_test::compressed("zstd", random_trace(3, 40)));
  REQUIRE(cache.open(path).ok());
  const auto fresh = cache.open(path);
  const fs::path file = cache.file();
  const std::string whole = kino_test::file_content(file);
  const std::uint64_t text_bytes = fresh.value().stats.text_bytes;
  const auto put = [&](const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; };
  std::mt19937 random(1);
  for (std::size_t length = 0; length < whole.size(); length += 1 + random() % 5) {
    REQUIRE(read_back(whole.substr(0, length), text_bytes) == nullptr);
  }
  for (const std::size_t length : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
    put(whole.substr(0, length));
    const auto opened = cache.open(path);
    REQUIRE(opened.ok());
    CHECK_FALSE(opened.value().from_cache);
    CHECK(kino_test::file_content(cache.file()) == whole);
    REQUIRE_FALSE(cache.refused.empty());
    CHECK(cache.refused.back().ends_with("another build of the program wrote it, or it is damaged"));
    cache.refused.clear();
  }
  std::string flipped = whole;
  const std::size_t in_columns = text_bytes + (whole.size() - text_bytes) / 4;
  for (std::size_t i = in_columns; i < in_columns + 64; ++i) flipped[i] = static_cast<char>(~flipped[i]);
  put(flipped);
  CHECK_FALSE(cache.open(path).value().from_cache);
  REQUIRE(cache.refused.size() == 1);
  CHECK(cache.refused.back().ends_with("because it is damaged"));
  int caught = 0;
  for (std::size_t i = text_bytes; i < whole.size(); i += 1 + random() % 13) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ (1U << random() % 8));
    // Between the columns nothing is stored, and nothing is read.
    const auto trace = read_back(bytes, text_bytes);
    if (!trace) {
      ++caught;
      continue;
    }
    CHECK(whole[i] == '\0');
    CHECK(kino_test::difference(*fresh.value().trace, *trace) == "");
  }
  CHECK(caught > 0);
}

TEST_CASE("a kept text is checked where it is read, whatever it was compressed with and in how many pieces") {
  const std::string text = random_trace(11, 9000);
  std::string members;
  for (std::size_t at = 0; at < text.size(); at += 3001) members += kino_test::gzip(text.substr(at, 3001));
  // What can be read again in place is not kept: a gzip file is, unless it lies in an archive.
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
    CHECK(again.value().text->read_text(damaged - 10, 5).ok());  // found right when it was read before
    const auto got = fresh.value().text->read_text(damaged - 10, 5);
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().kind == kino::Error::Kind::wrong_checksum);
    CHECK_FALSE(fs::exists(file));
    CHECK(fresh.value().text->read_text(100, 50).value() == text.substr(100, 50));
  }
}

TEST_CASE("of a gzip file only the trace is kept, and where its text can be inflated from") {
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

TEST_CASE("an index of another version or program is not used, whatever its checksums") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(4, 100));
  const auto fresh = cache.open(path);
  const std::string whole = kino_test::file_content(cache.file());
  std::string resealed = whole;
  kino::reseal_index(resealed);
  CHECK(resealed == whole);
  constexpr std::size_t kFooter = 17 * 8;
  for (const std::size_t field : {0, 1, 2, 3}) {  // magic, version, program, layout
    std::string other = whole;
    other[other.size() - kFooter + field * 8] ^= 1;
    kino::reseal_index(other);
    CHECK(other.substr(other.size() - 8) != whole.substr(whole.size() - 8));
    CHECK(read_back(other, fs::file_size(path)) == nullptr);
  }
}

TEST_CASE("an index with fitting checksums but any content gives a trace that holds together, or none" *
          doctest::test_suite("serial")) {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(5, 150));
  const auto fresh = cache.open(path);
  const std::string whole = kino_test::file_content(cache.file());
  std::mt19937 random(7);
  int refused = 0;
  int accepted = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = whole;
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(random() % 3 == 0 ? random() : bytes[at] ^ (1U << random() % 8));
    }
    kino::reseal_index(bytes);
    const auto trace = read_back(bytes, fs::file_size(path));
    ++(trace ? accepted : refused);
    if (trace) REQUIRE(kino::holds_together(*trace, 1, {}));
  }
  CHECK(refused > 500);
  CHECK(accepted > 500);
}

TEST_CASE("an index that is too large for its text is refused before memory is taken for it") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(6, 2000));
  const auto fresh = cache.open(path);
  const std::string whole = kino_test::file_content(cache.file());
  CHECK(read_back(whole, fs::file_size(path)) != nullptr);
  CHECK(read_back(whole, 100) == nullptr);
}

TEST_CASE(
    "without a cache folder, or one that cannot be written to or is full, the trace opens all the same") {
  Cache cache;
  const std::string text = random_trace(7, 400);
  const fs::path plain = cache.folder.write("trace.json", text);
  const fs::path packed = cache.folder.write("trace.json.zst", kino_test::compressed("zstd", text));
  SUBCASE("a file lies in its place") {
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
  SUBCASE("there is room for nothing") {
    cache.options.cache.limit.most_bytes = 1000;
    for (const fs::path& path : {plain, packed}) {
      REQUIRE(cache.open(path).ok());
      REQUIRE(cache.problem.has_value());
      CHECK(cache.problem->kind == kino::Error::Kind::no_space);
    }
    CHECK(kino::cache_entries(cache.options.cache_directory).empty());
  }
  SUBCASE("a file in it may not grow far enough") {
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    for (const fs::path& path : {plain, packed}) {
      const rlimit small{(path == packed ? text.size() : 0) + 3000, old.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &small);
      const auto opened = cache.open(path);
      CHECK(opened.ok());
      CHECK(cache.problem.has_value());
      // The arguments are there still, and nothing is behind them.
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

TEST_CASE("what was not used for the longest time goes first when there is too little room") {
  Cache cache;
  const auto path_of = [&](int i) { return cache.folder.path() / ("trace" + std::to_string(i) + ".json"); };
  for (int i = 0; i < 4; ++i) {
    cache.folder.write(path_of(i).filename(), random_trace(static_cast<unsigned>(i), 3000));
    REQUIRE(cache.open(path_of(i)).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(15));  // times of files are no finer
  }
  REQUIRE(cache.open(path_of(0)).value().from_cache);  // used again
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

TEST_CASE("the cache leaves the disk a multiple of what it takes") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(1, 300));
  cache.options.cache.limit.least_free_parts = std::uint64_t{1} << 40;
  REQUIRE(cache.open(path).ok());
  REQUIRE(cache.problem.has_value());
  CHECK(cache.problem->kind == kino::Error::Kind::no_space);
  CHECK(fs::is_empty(cache.options.cache_directory));
}

TEST_CASE("small traces and those of pipes are not kept, nor is anything unless asked for") {
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

TEST_CASE("a new file has its name or leaves nothing, with and without unnamed files") {
  for (const bool unnamed : {true, false}) {
    const TemporaryFolder folder;
    folder.write("name", "old");
    {
      auto file = kino::NewFile::create(folder.path(), unnamed);
      REQUIRE(file.ok());
      REQUIRE(::write(file.value().fd(), "half", 4) == 4);
      kino::remove_leftovers(folder.path());  // its maker lives
      CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == (unnamed ? 1 : 2));
    }
    CHECK(kino_test::file_content(folder.path() / "name") == "old");
    {
      auto file = kino::NewFile::create(folder.path(), unnamed);
      REQUIRE(::write(file.value().fd(), "new", 3) == 3);
      CHECK_FALSE(file.value().publish("name").has_value());
    }
    CHECK(kino_test::file_content(folder.path() / "name") == "new");
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
  }
  const TemporaryFolder folder;
  folder.write("abcdef.part", "of a program that died");
  kino::remove_leftovers(folder.path());
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("keeping and finding stop when asked to") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json", random_trace(1, 3000));
  cache.options.cache.keep = {};
  const auto opened = cache.open(path);
  std::stop_source stopped;
  stopped.request_stop();
  const auto error = kino::keep_opened(opened.value(), cache.options, stopped.get_token());
  REQUIRE(error.has_value());
  CHECK(error->kind == kino::Error::Kind::cancelled);
  CHECK(fs::is_empty(cache.options.cache_directory));
  REQUIRE_FALSE(kino::keep_opened(opened.value(), cache.options, {}).has_value());
  kino::LoadProgress progress;
  const auto cancelled = kino::open_trace(path, cache.options, progress, stopped.get_token());
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().kind == kino::Error::Kind::cancelled);
  CHECK(cache.open(path).value().from_cache);  // it was not taken for damaged
}

TEST_CASE("two that open and keep the same trace at once both get it") {
  Cache cache;
  const fs::path path = cache.folder.write("trace.json.gz", kino_test::gzip(random_trace(8, 1500)));
  const auto reference = kino_test::open(path);
  std::vector<std::jthread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      kino::OpenOptions options = cache.options;
      options.cache.keep = [&options](const kino::OpenedTrace& opened) {
        kino::keep_opened(opened, options, {});
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
