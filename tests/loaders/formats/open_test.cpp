// Covers: open, args_reader, file_source, gzip_inflate, load_progress
#include <chrono>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "loaders/bytes/file_source.hpp"
#include "loaders/formats/chrome_trace/args_reader.hpp"
#include "loaders/formats/chrome_trace/chrome_trace_loader.hpp"
#include "tests/fixtures/loader_files.hpp"

using kino::DamageReason;
using kino::Error;

namespace {

std::string many_events(int count, const std::string& separator = ",\n  ") {
  std::string text = "{\"traceEvents\": [\n  ";
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += separator;
    text += "{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op" + std::to_string(i % 50) +
            "\", \"pid\": 1, \"tid\": 1,\n    \"ts\": " + std::to_string(i * 10) +
            ", \"dur\": 5,\n    \"args\": {\"i\": " + std::to_string(i) + "}\n  }";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace

TEST_CASE("a gzip file opens as its content, with one or more members and any name") {
  const kino_test::TemporaryFolder folder;
  const std::string text = many_events(5000);
  const std::size_t half = text.size() / 2;
  for (const std::string& packed :
       {kino_test::gzip(text), kino_test::gzip(text, 0),
        kino_test::gzip(text.substr(0, half)) + kino_test::gzip("") + kino_test::gzip(text.substr(half)),
        kino_test::gzip(text) + std::string(700, '\0')}) {
    const auto opened = kino_test::open(folder.write("named.json", packed));
    REQUIRE(opened.ok());
    CHECK(opened.value().trace->slice_count() == 5000);
    CHECK(opened.value().trace->damage.empty());
    CHECK(opened.value().stats.text_bytes == text.size());
    CHECK(opened.value().stats.file_bytes == packed.size());
  }
}

TEST_CASE("a truncated gzip file shows its readable part and reports the damage") {
  const kino_test::TemporaryFolder folder;
  const std::string packed = kino_test::gzip(many_events(20000), 0);
  const auto opened = kino_test::open(folder.write("cut.json.gz", packed.substr(0, packed.size() / 2)));
  REQUIRE(opened.ok());
  CHECK(opened.value().trace->slice_count() > 5000);
  CHECK(opened.value().trace->slice_count() < 15000);
  CHECK(opened.value().trace->damage.count(DamageReason::truncated_gzip) == 1);
  CHECK(opened.value().trace->damage.count(DamageReason::truncated_file) == 1);
}

TEST_CASE("a wrong checksum and trailing bytes are reported, and the data are shown") {
  const kino_test::TemporaryFolder folder;
  std::string packed = kino_test::gzip(many_events(100));
  const auto trailing = kino_test::open(folder.write("a.gz", packed + "rubbish"));
  REQUIRE(trailing.ok());
  CHECK(trailing.value().trace->damage.count(DamageReason::trailing_data) == 1);
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
  const auto wrong = kino_test::open(folder.write("b.gz", packed));
  REQUIRE(wrong.ok());
  CHECK(wrong.value().trace->slice_count() == 100);
  CHECK(wrong.value().trace->damage.count(DamageReason::gzip_checksum) == 1);
}

TEST_CASE("gzip cut at every byte neither crashes nor hangs") {
  const kino_test::TemporaryFolder folder;
  const std::string packed = kino_test::gzip(many_events(30));
  for (std::size_t length = 0; length < packed.size(); ++length) {
    const auto opened = kino_test::open(folder.replace("cut.gz", packed.substr(0, length)));
    if (opened.ok()) {
      CHECK_FALSE(opened.value().trace->damage.empty());
    } else {
      CHECK_FALSE(opened.error().what.str().empty());
    }
  }
}

TEST_CASE("files of unknown formats are refused with their probable kind") {
  const kino_test::TemporaryFolder folder;
  struct Case {
    std::string content;
    const char* says;
  };
  using namespace std::string_literals;
  for (const Case& refused : std::vector<Case>{{"", "empty"},
                                               {"  \n ", "white space"},
                                               {"\x80\x04\x95"s, "pickle"},
                                               {"\x80\x04\x95\x0c\x28\x8c\x08segments"s, "CUDA allocator"},
                                               {"PK\x03\x04", "archive"},
                                               {"\x28\xB5\x2F\xFD"s, "compressed data"},
                                               {"NVIDIA Tegra Profiler Report 2024"s, "Nsight"},
                                               {"\x7f"
                                                "ELF\x02\x01"s,
                                                "ELF"},
                                               {"\x89PNG\r\n\x1a\n"s, "PNG"},
                                               {"%PDF-1.7", "PDF"},
                                               {"<html><script src=MemoryViz.js>", "memory_viz"},
                                               {"\x01\x02\x03\x04"s, "binary"},
                                               {"SQLite format 3\0"s, "SQLite"},
                                               {"<!DOCTYPE html>", "HTML"},
                                               {"<html>\n<head><meta charset=\"utf-8\" /><title>GPU Memory "
                                                "Timeline HTML</title></head>\n<body>\n<img "
                                                "src='data:image/png;base64,iVBORw0KGgo'>",
                                                "contains only a picture"},
                                               {"\xFF\xFE\0\0[\0\0\0"s, "UTF-32"},
                                               {"hello", "not JSON"},
                                               {"{\"a\": 1}", "no event array"},
                                               {"{\"traceEvents\": {}}", "no event array"},
                                               {"\x1f\x8b rubbish", "before the first byte"},
                                               {kino_test::gzip("\x80\x04\x95"), "pickle"}}) {
    CAPTURE(refused.says);
    const auto opened = kino_test::open(folder.write("refused", refused.content));
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().what.str().find(refused.says) != std::string::npos);
    CHECK(opened.error().what.str().find("no window") == std::string::npos);
  }
  const auto missing = kino_test::open(folder.path() / "missing");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().kind == Error::Kind::not_found);
  const auto device = kino_test::open("/dev/null");
  REQUIRE_FALSE(device.ok());
  CHECK(device.error().kind == Error::Kind::not_a_file);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder.path() / "socket").string();
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const auto socket = kino_test::open(path);
  ::close(listening);
  REQUIRE_FALSE(socket.ok());
  CHECK(socket.error().kind == Error::Kind::not_a_file);
  CHECK(socket.error().what.str().find("socket") != std::string::npos);
}

TEST_CASE("a file that shrinks while it is read returns an error") {
  const kino_test::TemporaryFolder folder;
  const std::string text = many_events(5000);
  const auto path = folder.write("t.json", text);
  for (const std::size_t kept : {std::size_t{0}, std::size_t{100}, text.size() / 2, text.size() - 1}) {
    CAPTURE(kept);
    kino::GrowingText growing(
        std::make_shared<kino::FileSource>(kino::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC))));
    growing.grow_to(text.size());
    growing.finish();
    folder.write("t.json", text.substr(0, kept));
    kino::LoadProgress progress;
    const auto parsed = kino::parse_chrome_trace(growing, {}, progress, {});
    REQUIRE_FALSE(parsed.ok());
    CHECK(!parsed.error().what.str().empty());
    folder.write("t.json", text);
  }
}

TEST_CASE("a gzip trace opens without a usable cache folder") {
  const kino_test::TemporaryFolder folder;
  kino::OpenOptions options;
  options.cache_directory = folder.write("a file", "x") / "below";
  kino::LoadProgress progress;
  const auto opened =
      kino::open_trace(folder.write("t.gz", kino_test::gzip(many_events(10))), options, progress, {});
  REQUIRE(opened.ok());
  CHECK(opened.value().trace->slice_count() == 10);
}

TEST_CASE("nothing remains in the cache folder") {
  const kino_test::TemporaryFolder folder;
  const kino_test::TemporaryFolder cache;
  kino::OpenOptions options;
  options.cache_directory = cache.path();
  kino::LoadProgress progress;
  {
    const auto opened =
        kino::open_trace(folder.write("t.gz", kino_test::gzip(many_events(10))), options, progress, {});
    REQUIRE(opened.ok());
  }
  CHECK(std::filesystem::is_empty(cache.path()));
}

TEST_CASE("a stop request cancels loading, before and during it") {
  const kino_test::TemporaryFolder folder;
  const auto plain = folder.write("t.json", many_events(200000));
  const auto packed = folder.write("t.json.gz", kino_test::gzip(kino_test::file_content(plain), 1));
  for (const auto& path : {plain, packed}) {
    for (const int delay_us : {0, 500, 3000}) {
      std::stop_source source;
      kino::LoadProgress progress;
      std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
        source.request_stop();
      });
      if (delay_us == 0) stopper.join();
      const auto opened = kino::open_trace(path, {}, progress, source.get_token());
      if (delay_us == 0) REQUIRE_FALSE(opened.ok());
      if (!opened.ok()) CHECK(opened.error().kind == Error::Kind::cancelled);
    }
  }
}

TEST_CASE("progress ends at the size of the text and the number of events") {
  const kino_test::TemporaryFolder folder;
  const std::string text = many_events(3000);
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(folder.write("t.json", text), {}, progress, {});
  REQUIRE(opened.ok());
  CHECK(progress.events == 3000);
  CHECK(progress.file_bytes == text.size());
  CHECK(progress.text_bytes > text.size() - 100);
  CHECK(progress.stage.load() == kino::LoadStage::finished);
}

TEST_CASE("an event's arguments are read from the text in order and unescaped") {
  const kino_test::TemporaryFolder folder;
  const std::string text =
      R"([{"ph":"X","ts":1,"dur":2,"name":"a\"b","args":{"Input Dims":[[2,3],[]],"z":"\u00e9","a":18446744073709551615,"n":null,"deep":{"x":[1.50]}}}])";
  for (const std::string& content : {text, kino_test::gzip(text)}) {
    const auto opened = kino_test::open(folder.write("args.json", content));
    REQUIRE(opened.ok());
    const auto event = kino::read_event(*opened.value().text, opened.value().trace->slices.source_offset[0]);
    REQUIRE(event.ok());
    CHECK(event.value().find("name")->text == "a\"b");
    const kino::ArgNode& args = *event.value().find("args");
    REQUIRE(args.children.size() == 5);
    CHECK(args.children[0].key == "Input Dims");
    CHECK(args.children[0].children[0].children[1].text == "3");
    CHECK(args.children[1].text == "é");
    CHECK(args.children[2].text == "18446744073709551615");
    CHECK(args.children[3].kind == kino::ArgNode::Kind::literal);
    CHECK(args.find("deep")->find("x")->children[0].text == "1.50");
  }
}

TEST_CASE("arguments that are missing, too deep or truncated return an error") {
  const kino_test::TemporaryFolder folder;
  const std::string deep =
      "[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"args\":" + std::string(100, '[') + std::string(100, ']') + "}]";
  const auto opened = kino_test::open(folder.write("deep.json", deep));
  REQUIRE(opened.ok());
  REQUIRE(opened.value().trace->slice_count() == 1);
  CHECK_FALSE(kino::read_event(*opened.value().text, 1).ok());
  CHECK_FALSE(kino::read_event(*opened.value().text, 0).ok());
  CHECK_FALSE(kino::read_event(*opened.value().text, 1 << 20).ok());
}

TEST_CASE("arguments of a changed file are refused, those of a replaced file are read") {
  const kino_test::TemporaryFolder folder;
  const std::string text = many_events(100);
  const auto path = folder.write("a.json", text);
  auto opened = kino_test::open(path);
  REQUIRE(opened.ok());
  const std::uint64_t offset = opened->trace->slices.source_offset[50];
  REQUIRE(kino::read_event(*opened->text, offset).ok());

  const auto other = folder.write("other.json", many_events(7));
  std::filesystem::rename(other, path);
  CHECK(kino::read_event(*opened->text, offset).ok());

  auto second = kino_test::open(path);
  REQUIRE(second.ok());
  CHECK(second->stamp != opened->stamp);
  CHECK(kino::stamp_of(path) == second->stamp);
  folder.write("a.json", many_events(7) + " ");  // truncates and writes the same file
  const auto changed = kino::read_event(*second->text, second->trace->slices.source_offset[3]);
  REQUIRE_FALSE(changed.ok());
  CHECK(changed.error().what.str().find("changed on disk") != std::string::npos);
  std::filesystem::remove(path);
  CHECK_FALSE(kino::stamp_of(path).has_value());
}

TEST_CASE("the fraction read advances from 0 to 1, for plain and compressed files") {
  const kino_test::TemporaryFolder folder;
  const std::string text = many_events(3000);
  for (const auto& path : {folder.write("a.json", text), folder.write("a.json.gz", kino_test::gzip(text))}) {
    kino::OpenOptions options;
    options.cache_directory = folder.path();
    kino::LoadProgress progress;
    CHECK(kino::fraction_read(progress) == 0);
    REQUIRE(kino::open_trace(path, options, progress, {}).ok());
    CHECK(kino::fraction_read(progress) > 0.99);
  }
}
