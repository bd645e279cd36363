// Covers: archive, file_kind, spool, text_writer, utf16, trace_path, contained_traces, open
#include "loaders/bytes/archive.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/platform/descriptor.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/bytes/spool.hpp"
#include "loaders/bytes/trace_path.hpp"
#include "tests/fixtures/archive_files.hpp"
#include "tests/fixtures/loader_files.hpp"

using kino::DamageReason;
using kino::Error;
using kino_test::compressed;
using kino_test::packed;

namespace {

std::string trace_text(int count, const std::string& name = "op") {
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
  for (int i = 0; i < count; ++i) {
    text += std::string(i > 0 ? "," : "") + "\n{\"ph\": \"X\", \"name\": \"" + name + std::to_string(i % 7) +
            "\", \"pid\": 1, \"tid\": 1, \"ts\": " + std::to_string(i * 10) + ", \"dur\": 5}";
  }
  return text + "]}\n";
}

struct Opened {
  kino::Result<kino::OpenedTrace> result;
  kino::ContainedTraces choices;
};

Opened open_any(const std::filesystem::path& path, const kino::DecompressionLimit& limit = {}) {
  Opened opened{Error{}, {}};
  kino::OpenOptions options;
  options.threads = 2;
  options.cache_directory = std::filesystem::temp_directory_path();
  options.choices = &opened.choices;
  options.spool_limit = limit;
  kino::LoadProgress progress;
  opened.result = kino::open_trace(path, options, progress, {});
  return opened;
}

std::uint32_t slice_count(const kino::Result<kino::OpenedTrace>& opened) {
  REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? std::string() : opened.error().what.str()));
  return static_cast<std::uint32_t>(opened.value().trace->slice_count());
}

constexpr const char* kFilters[] = {"zstd", "xz", "bzip2", "lz4", "lzma"};

}  // namespace

TEST_CASE("a file compressed by zstd, xz, bzip2, lz4 or lzma opens as its content, with any name") {
  const kino_test::TemporaryFolder folder;
  const std::string text = trace_text(5000);
  for (const char* filter : kFilters) {
    CAPTURE(filter);
    const auto opened = kino_test::open(folder.write("named.json", compressed(filter, text)));
    CHECK(slice_count(opened) == 5000);
    CHECK(opened.value().trace->damage.empty());
    CHECK(opened.value().stats.text_bytes == text.size());
  }
}

TEST_CASE("several zstd frames are one text") {
  const kino_test::TemporaryFolder folder;
  const std::string text = trace_text(500);
  const std::string frames = compressed("zstd", text.substr(0, 900)) + compressed("zstd", text.substr(900));
  CHECK(slice_count(kino_test::open(folder.write("t.zst", frames))) == 500);
}

TEST_CASE("a truncated compressed file shows its readable part and reports the damage") {
  const kino_test::TemporaryFolder folder;
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
  std::uint64_t random = 1;
  for (int i = 0; i < 60000; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    text += std::string(i > 0 ? "," : "") + R"({"ph":"X","name":"n)" + std::to_string(random) +
            R"(","pid":1,"tid":1,"ts":)" + std::to_string(i * 10) + R"(,"dur":5})";
  }
  for (const char* filter : {"zstd", "xz", "bzip2"}) {  // not lz4: the text fits in one of its blocks
    CAPTURE(filter);
    const std::string whole = compressed(filter, text + "]}");
    const auto opened = kino_test::open(folder.write("cut", whole.substr(0, whole.size() / 2)));
    const std::uint32_t slices = slice_count(opened);
    CHECK(slices > 0);
    CHECK(slices < 45000);
    CHECK(opened.value().trace->damage.count(DamageReason::truncated_gzip) == 1);
  }
}

TEST_CASE("compressed files and archives cut at every byte neither crash nor hang" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  std::vector<std::string> contents;
  for (const char* filter : kFilters) contents.push_back(compressed(filter, trace_text(20)));
  for (const char* format : {"zip", "7zip"})
    contents.push_back(packed(format, "none", {{"a.json", trace_text(20)}}));
  contents.push_back(packed("gnutar", "gzip", {{"a.json", trace_text(20)}}));
  for (const std::string& content : contents) {
    for (std::size_t length = 0; length < content.size(); length += 3) {
      const auto opened = kino_test::open(folder.replace("cut", content.substr(0, length)));
      if (!opened.ok()) CHECK_FALSE(opened.error().what.str().empty());
    }
  }
}

TEST_CASE("the only trace in an archive opens, among other files and if compressed itself") {
  const kino_test::TemporaryFolder folder;
  const std::string text = trace_text(300);
  for (const auto& [format, filter] : std::vector<std::pair<const char*, const char*>>{{"gnutar", "none"},
                                                                                       {"pax", "none"},
                                                                                       {"gnutar", "gzip"},
                                                                                       {"gnutar", "zstd"},
                                                                                       {"gnutar", "xz"},
                                                                                       {"zip", "none"},
                                                                                       {"7zip", "none"}}) {
    for (const std::string& content : {text, kino_test::gzip(text), compressed("zstd", text)}) {
      CAPTURE(format);
      CAPTURE(filter);
      const auto path = folder.write("some.name", packed(format, filter,
                                                         {{"notes.txt", "hello"},
                                                          {"config.json", "{\"lr\": 1e-3}"},
                                                          {"run/rank0.json", content},
                                                          {"link.json", "-> run/rank0.json"}}));
      const auto opened = kino_test::open(path);
      CHECK(slice_count(opened) == 300);
      CHECK(opened.value().trace->damage.empty());
      CHECK(opened.value().stats.file_bytes == std::filesystem::file_size(path));
    }
  }
}

TEST_CASE("an archive with several traces lists all, and each opens by FILE#ENTRY") {
  const kino_test::TemporaryFolder folder;
  for (const char* format : {"gnutar", "zip", "7zip"}) {
    CAPTURE(format);
    const auto path = folder.write("ranks", packed(format, "none",
                                                   {{"b/rank1.json", trace_text(20)},
                                                    {"a#b.json", kino_test::gzip(trace_text(10))},
                                                    {"readme", "text"}}));
    const Opened several = open_any(path);
    REQUIRE_FALSE(several.result.ok());
    CHECK(several.result.error().kind == Error::Kind::several_traces);
    REQUIRE(several.choices.traces.size() == 2);
    CHECK(several.choices.traces[0].name == "a#b.json");
    CHECK(several.choices.traces[1].path == path.string() + "#b/rank1.json");
    CHECK(several.choices.traces[1].size_bytes == trace_text(20).size());
    CHECK(slice_count(open_any(several.choices.traces[0].path).result) == 10);
    CHECK(slice_count(open_any(several.choices.traces[1].path).result) == 20);
    const Opened missing = open_any(path.string() + "#nothing.json");
    REQUIRE_FALSE(missing.result.ok());
    CHECK(missing.result.error().kind == Error::Kind::not_found);
  }
}

TEST_CASE("two members with the same name both open") {
  const kino_test::TemporaryFolder folder;
  for (const char* format : {"gnutar", "zip"}) {
    CAPTURE(format);
    const auto path = folder.write(
        std::string("twins.") + format,
        packed(format, "none",
               {{"a.json", trace_text(3)}, {"b.json", trace_text(4)}, {"a.json", trace_text(5)}}));
    const Opened several = open_any(path);
    REQUIRE_FALSE(several.result.ok());
    REQUIRE(several.choices.traces.size() == 3);
    std::vector<std::pair<std::string, std::uint32_t>> opened;
    for (const kino::ContainedTrace& trace : several.choices.traces) {
      opened.emplace_back(trace.name, slice_count(open_any(trace.path).result));
    }
    CHECK(opened ==
          std::vector<std::pair<std::string, std::uint32_t>>{{"a.json", 3}, {"a.json#2", 5}, {"b.json", 4}});
    CHECK_FALSE(open_any(path.native() + "#a.json#3").result.ok());
  }
  // A file that really has this name takes precedence; files that have no other name are counted.
  const auto path = folder.write(
      "liar.tar",
      packed("gnutar", "none",
             {{"a.json", trace_text(3)}, {"a.json", trace_text(5)}, {"a.json#2", trace_text(7)}}));
  const Opened several = open_any(path);
  CHECK(several.choices.traces.size() == 2);
  CHECK(several.choices.left_out == "skipped files with the name of another file: 1");
  CHECK(slice_count(open_any(path.native() + "#a.json#2").result) == 7);
}

TEST_CASE("a file whose name contains a # opens as itself") {
  const kino_test::TemporaryFolder folder;
  folder.write("a", packed("zip", "none", {{"b.json", trace_text(3)}}));
  const auto path = folder.write("a#b.json", trace_text(5));
  CHECK(slice_count(kino_test::open(path)) == 5);
  CHECK(kino::split_trace_path(folder.path() / "a#c.json").entry == "c.json");
  CHECK(kino::split_trace_path(folder.path() / "nothing#c.json").entry.empty());
  const auto plain = kino_test::open(path.string() + "#c.json");
  REQUIRE_FALSE(plain.ok());
  CHECK(plain.error().kind == Error::Kind::not_found);
}

TEST_CASE("names in an archive never access the disk") {
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path outside = folder.path() / "outside.json";
  const auto path = folder.write("evil.tar", packed("gnutar", "none",
                                                    {{outside.string(), trace_text(4)},
                                                     {"../../up.json", trace_text(5)},
                                                     {"link.json", "-> /etc/passwd"}}));
  const Opened several = open_any(path);
  REQUIRE(several.choices.traces.size() == 2);
  CHECK(several.choices.left_out.find("skipped links and devices: 1") != std::string::npos);
  for (const auto& trace : several.choices.traces) CHECK(open_any(trace.path).result.ok());
  CHECK_FALSE(std::filesystem::exists(outside));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a wrong checksum in a zip counts as damage, and the trace opens") {
  const kino_test::TemporaryFolder folder;
  const std::string text = trace_text(200);
  std::string zip = packed("stored zip", "none", {{"a.json", text}});
  const std::size_t name = zip.find("\"op3\"");
  REQUIRE(name != std::string::npos);
  zip[name + 1] = 'q';
  const auto opened = kino_test::open(folder.write("wrong.zip", zip));
  CHECK(slice_count(opened) == 200);
  CHECK(opened.value().trace->damage.count(DamageReason::gzip_checksum) == 1);
}

TEST_CASE("errors for archives without traces name their probable content") {
  const kino_test::TemporaryFolder folder;
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, const char*>> cases = {
      {packed("zip", "none", {{"notes.txt", "hello"}}), "no trace in this archive"},
      {packed("zip", "none", {{"model/data.pkl", "\x80\x02"s}, {"model/version", "3"}}), "torch.save"},
      {packed("zip", "none", {}), "no trace in this archive"},
      {packed("gnutar", "gzip", {{"a.pickle", "\x80\x04\x95"s}}), "no trace in this archive"},
      {compressed("zstd", "\x80\x04\x95\x01segments"s), "snapshot of the CUDA allocator"},
      {compressed("xz", "hello"), "not JSON"},
      {compressed("zstd", compressed("zstd", trace_text(3))).substr(0, 12), "compressed data"},
  };
  for (const auto& [content, says] : cases) {
    CAPTURE(says);
    const auto opened = kino_test::open(folder.write("refused", content));
    REQUIRE_FALSE(opened.ok());
    CAPTURE(opened.error().what.str());
    CHECK(opened.error().what.str().find(says) != std::string::npos);
  }
}

TEST_CASE("a folder opens its only trace or lists all, without links and deep folders") {
  const kino_test::TemporaryFolder folder;
  folder.write("config.json", "{\"lr\": 1}");
  folder.write("notes.txt", "hello");
  const auto empty = open_any(folder.path());
  REQUIRE(empty.result.ok() == false);  // JSON without events is the fallback
  CHECK(empty.result.error().what.str().find("no event array") != std::string::npos);

  std::filesystem::create_directories(folder.path() / "1/2/3");
  folder.write("1/2/rank0.json.gz", kino_test::gzip(trace_text(12)));
  folder.write("1/2/3/too_deep.json", trace_text(13));
  std::filesystem::create_symlink(folder.path() / "1/2/rank0.json.gz", folder.path() / "link.json");
  CHECK(slice_count(open_any(folder.path()).result) == 12);

  folder.write("rank1.json.zst", compressed("zstd", trace_text(14)));
  const Opened several = open_any(folder.path());
  REQUIRE(several.choices.traces.size() == 2);
  CHECK(several.choices.traces[0].name == "1/2/rank0.json.gz");
  CHECK(slice_count(open_any(several.choices.traces[1].path).result) == 14);
}

TEST_CASE("UTF-16 text opens plain, compressed, in archives and in folders") {
  const kino_test::TemporaryFolder folder;
  const std::string plain = trace_text(15);
  const std::u16string wide(plain.begin(), plain.end());
  for (const bool big : {false, true}) {
    const std::string text = kino_test::utf16(wide, big);
    CHECK(slice_count(open_any(folder.write("t.gz", kino_test::gzip(text))).result) == 15);
    // A one-byte member is too short to detect UTF-16.
    const std::string members = kino_test::gzip(text.substr(0, 1)) + kino_test::gzip(text.substr(1));
    CHECK(slice_count(open_any(folder.write("t.gz", members)).result) == 15);
    for (const char* filter : kFilters) {
      CAPTURE(filter);
      CHECK(slice_count(open_any(folder.write("t", compressed(filter, text))).result) == 15);
    }
    const auto zip = folder.write("t.zip", packed("zip", "none", {{"rank0.json.gz", kino_test::gzip(text)}}));
    CHECK(slice_count(open_any(zip).result) == 15);
  }
  const std::string cut = kino_test::utf16(wide, false) + "[";
  CHECK(slice_count(open_any(folder.write("cut.gz", kino_test::gzip(cut))).result) == 15);

  const kino_test::TemporaryFolder ranks;
  ranks.write("rank0.json", kino_test::utf16(wide, false));
  CHECK(slice_count(open_any(ranks.path()).result) == 15);
  ranks.write("rank1.json.gz", kino_test::gzip(kino_test::utf16(wide, true)));
  CHECK(open_any(ranks.path()).choices.traces.size() == 2);
}

TEST_CASE("a named pipe opens, compressed or not, and waiting for it can be cancelled") {
  const kino_test::TemporaryFolder folder;
  const auto fifo = folder.path() / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const std::string text = trace_text(20000);
  for (const std::string& content :
       {text, kino_test::gzip(text), packed("zip", "none", {{"a.json", text}})}) {
    std::jthread writer([&] { std::ofstream(fifo, std::ios::binary) << content; });
    CHECK(slice_count(kino_test::open(fifo)) == 20000);
  }
  {
    std::jthread writer([&] {
      std::ofstream(fifo, std::ios::binary)
          << packed("zip", "none", {{"a.json", trace_text(1)}, {"b.json", trace_text(1)}});
    });
    const Opened several = open_any(fifo);  // a pipe cannot be read again to open one of them
    REQUIRE_FALSE(several.result.ok());
    CHECK(several.result.error().what.str().find("save the archive to a file") != std::string::npos);
  }
  std::stop_source source;
  kino::LoadProgress progress;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    source.request_stop();
  });
  const auto nobody = kino::open_trace(fifo, {}, progress, source.get_token());
  REQUIRE_FALSE(nobody.ok());
  CHECK(nobody.error().kind == Error::Kind::cancelled);
}

TEST_CASE("decompression stops at a limit with a partial result, and continues without one" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  const std::string text = trace_text(20) + std::string(std::size_t{64} << 20, ' ');
  kino::DecompressionLimit limit;
  limit.most_ratio = 50;
  limit.ratio_from_bytes = std::uint64_t{1} << 20;
  limit.check_bytes = std::uint64_t{1} << 20;
  for (const std::string& bomb : {kino_test::gzip(text), compressed("zstd", text), compressed("xz", text),
                                  packed("zip", "none", {{"a.json", text}})}) {
    const auto path = folder.write("bomb", bomb);
    const Opened stopped = open_any(path, limit);
    CHECK(slice_count(stopped.result) == 20);
    CHECK(stopped.result.value().trace->damage.count(DamageReason::spool_limit) == 1);
    CHECK(stopped.result.value().stats.text_bytes < text.size() / 2);
    kino::DecompressionLimit none = limit;
    none.none = true;
    const Opened whole = open_any(path, none);
    CHECK(slice_count(whole.result) == 20);
    CHECK(whole.result.value().stats.text_bytes == text.size());
  }
}

TEST_CASE("decompression bombs are stopped by default, but not small files of blanks" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  const std::string begin = trace_text(20);
  const std::string bomb = begin + std::string(std::size_t{40} << 20, ' ');
  const std::string blanks = begin + std::string(std::size_t{900} << 10, ' ');
  const auto ways_of = [](const std::string& text) {
    return std::vector<std::string>{kino_test::gzip(text, 9), compressed("zstd", text),
                                    compressed("xz", text), packed("zip", "none", {{"a.json", text}}),
                                    packed("gnutar", "gzip", {{"a.json", text}})};
  };
  for (const std::string& way : ways_of(bomb)) {
    CAPTURE(way.size());
    const Opened stopped = open_any(folder.write("bomb", way));
    CHECK(slice_count(stopped.result) == 20);
    CHECK(stopped.result.value().trace->damage.count(DamageReason::spool_limit) == 1);
    CHECK(stopped.result.value().stats.text_bytes <= 1000 * way.size() + (std::size_t{2} << 20));
  }
  for (const std::string& way : ways_of(blanks)) {
    const Opened whole = open_any(folder.write("blanks", way));
    CHECK(slice_count(whole.result) == 20);
    CHECK(whole.result.value().trace->damage.empty());
  }
}

TEST_CASE("bytes of an archive count once, however often they are read") {
  const kino_test::TemporaryFolder folder;
  const std::string zip = packed("zip", "none", {{"a.json", trace_text(2000)}, {"b.json", trace_text(1)}});
  const auto path = folder.write("a.zip", zip);
  const kino::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::stop_token stop;
  auto reader = kino::ArchiveReader::open(file.fd, stop);
  REQUIRE(reader.ok());
  std::vector<std::uint8_t> room(std::size_t{1} << 16);
  for (auto next = (*reader)->next(); next && *next; next = (*reader)->next()) {
    for (auto got = (*reader)->read(room); got && *got > 0;) got = (*reader)->read(room);
  }
  CHECK((*reader)->file_bytes_read() > 0);
  CHECK((*reader)->file_bytes_read() <= zip.size());
}

TEST_CASE("a spool that cannot grow returns an error with a message") {
  const kino_test::TemporaryFolder folder;
  const auto path = folder.write("t.zst", compressed("zstd", trace_text(50000)));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1 << 20;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto opened = kino_test::open(path);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().what.str().find("Writing the decompressed text failed") != std::string::npos);
}

TEST_CASE("without a usable cache folder the spool is in memory") {
  const kino_test::TemporaryFolder folder;
  for (const std::filesystem::path& cache :
       {folder.write("a file", "x") / "below", std::filesystem::path("/proc/no"), std::filesystem::path()}) {
    const auto spool = kino::open_spool(cache);
    REQUIRE(spool.ok());
    struct stat status {};
    CHECK(::fstat(spool.value().fd, &status) == 0);
    CHECK(status.st_nlink == 0);
  }
}

TEST_CASE("first bytes identify the kind of a file") {
  CHECK(kino::kind_of("PK\x05\x06") == kino::FileKind::archive);
  CHECK(kino::kind_of("\x51\x2a\x4d\x18") == kino::FileKind::compressed);
  CHECK(kino::kind_of("") == kino::FileKind::text);
}
