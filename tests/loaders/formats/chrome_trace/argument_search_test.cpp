// Covers: argument_search, event_blocks, text_needle
// Searches for slices by the arguments of their events.
#include "loaders/formats/chrome_trace/argument_search.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/ascii.hpp"
#include "loaders/bytes/text_needle.hpp"
#include "tests/fixtures/loader_files.hpp"

using kino::ArgumentTerm;
using kino::SliceId;
using kino::TextNeedle;

namespace {

bool has(const std::string& args, const ArgumentTerm& term) {
  const std::string event =
      R"({"ph": "X", "name": "not 4711 here", "args": )" + args + R"(, "dur": 4711}, {"args")";
  return kino::event_has_arguments(event, std::vector<ArgumentTerm>{term});
}

/// Returns the starts in us of the slices found in a file with this text.
std::vector<std::int64_t> found(const std::string& text, const std::vector<ArgumentTerm>& terms) {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("trace.json", text));
  REQUIRE(opened.ok());
  const kino::Trace& trace = *opened.value().trace;
  const auto order = kino::slices_by_offset(trace);
  REQUIRE(order.size() == trace.slice_count());
  REQUIRE(std::is_sorted(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace.slices.source_offset[a] < trace.slices.source_offset[b];
  }));
  kino::ArgumentProgress progress;
  const auto set = kino::find_arguments(
      trace, *opened.value().text, order, terms, [](SliceId) { return true; }, progress, [] {}, {}, 2);
  REQUIRE(set.ok());
  CHECK(progress.bytes == text.size());
  std::vector<std::int64_t> starts;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (set.value().contains(i)) starts.push_back(trace.slices.start_ns[i] / 1000);
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

std::string event(int ts, const std::string& args) {
  return R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":)" + std::to_string(ts % 3) + R"(,"ts":)" +
         std::to_string(ts) + R"(,"dur":1,"args":)" + args + "}";
}

}  // namespace

TEST_CASE("a literal is found at any position, ignoring case") {
  std::mt19937 random(1);
  std::string text(5000, ' ');
  for (char& c : text) c = "abcABC_?`@{[0189"[random() % 16];
  for (const std::string literal : {"a", "ab", "Ab0", "_", "?", "@a", "{[", "bca", "0", "89a1bc_?", "`"}) {
    const TextNeedle needle(literal);
    std::string lower_text = text;
    std::string lower = literal;
    for (char& c : lower_text) c = kino::lower(c);
    for (char& c : lower) c = kino::lower(c);
    std::size_t expected = 0;
    for (std::size_t at = 0; expected != std::string::npos; at = expected + 1) {
      expected = lower_text.find(lower, at);
      REQUIRE(needle.find_in(text, at) == expected);
    }
  }
  CHECK(TextNeedle("abc").find_in("ab") == std::string_view::npos);
  CHECK(TextNeedle("abc").find_in("abc") == 0);
  CHECK(TextNeedle("abc").find_in("abc", 1) == std::string_view::npos);
  CHECK(TextNeedle("abc").find_in("", 5) == std::string_view::npos);
}

TEST_CASE("an argument matches by the letters of its key and by its value") {
  CHECK(has(R"({"correlation": 4711})", {"correlation", "4711"}));
  CHECK_FALSE(has(R"({"correlation": 47110})", {"correlation", "4711"}));
  CHECK_FALSE(has(R"({"correlation": 4711.5})", {"correlation", "4711"}));
  CHECK_FALSE(has(R"({"other": 4711})", {"correlation", "4711"}));
  CHECK(has(R"({"External id": "4711"})", {"externalid", "4711"}));
  CHECK(has(R"({"other": 4711})", {"", "4711"}));
  CHECK_FALSE(has(R"({"correlation": 5})", {"", "4711"}));  // name and duration are not arguments
  CHECK(has(R"({"Collective name": "AllReduce"})", {"collectivename", "allreduce"}));
  CHECK(has(R"({"a": [1, {"b": "BFloat16"}]})", {"a", "float"}));
  CHECK_FALSE(has(R"([4711])", {"", "4711"}));
  CHECK_FALSE(has(R"({"x": 4711)", {"", "4711x"}));
}

TEST_CASE("shapes match regardless of spaces, with whole numbers") {
  for (const char* dims : {R"([[8,128],[128]])", R"([[8, 128], [128]])", "[\n  [\n 8,\n 128\n],[128]]"}) {
    const std::string args = std::string(R"({"Input Dims": )") + dims + "}";
    CHECK(has(args, {"inputdims", "[8, 128]"}));
    CHECK(has(args, {"", "[8,128]"}));
    CHECK(has(args, {"inputdims", "128"}));
    CHECK_FALSE(has(args, {"inputdims", "12"}));
    CHECK_FALSE(has(args, {"inputdims", "[8, 12]"}));
  }
}

TEST_CASE("a shape matches in all arguments about shapes and in no others") {
  const ArgumentTerm shape{"shape", "[8192, 6144]"};
  CHECK(has(R"({"Input Dims": [[8192,6144],[]]})", shape));
  CHECK(has(R"({"Input dims": [[8192, 6144]]})", shape));
  CHECK(has(R"({"Output Shape": "[8192, 6144]"})", shape));
  CHECK_FALSE(has(R"({"Concrete Inputs": ["[8192, 6144]"]})", shape));
  CHECK_FALSE(has(R"({"Input Dims": [[8192,61440],[18192,6144]]})", shape));
  CHECK(has(R"({"Input Dims": [[4, 8192, 6144]]})", {"shape", "8192,6144"}));
  CHECK_FALSE(has(R"({"Input Dims": [[18192, 6144], [8192, 61440]]})", {"shape", "8192,6144"}));
}

TEST_CASE("strings are compared unescaped") {
  CHECK(has(R"({"path": "a\/b\"c"})", {"path", "a/b\"c"}));
  CHECK(has(R"({"word": "gr\u00f6\u00dfe"})", {"word", "größe"}));
  CHECK(found("[" + event(1, R"({"w":"\u65e5\u672c"})") + "," + event(2, R"({"w":"日本"})") + "," +
                  event(3, R"({"w":"\u65e5"})") + "]",
              {{"w", "日本"}}) == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("all slices with the argument are found, in any file order, and no others") {
  std::mt19937 random(3);
  std::vector<int> order(30'000);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::shuffle(order.begin(), order.end(), random);
  std::string text = "{\"traceEvents\": [\n";
  std::vector<std::int64_t> expected;
  std::vector<std::int64_t> both;
  for (const int i : order) {
    const int value = static_cast<int>(random() % 500);
    const int stream = static_cast<int>(random() % 4);
    const std::string padding(random() % 400, 'x');
    text += event(i, R"({"pad": ")" + padding + R"(", "correlation": )" + std::to_string(value) +
                         R"(, "stream": )" + std::to_string(stream) + "}");
    // Other events with the same arguments are in between.
    text +=
        ",\n"
        R"({"ph":"i","name":"x","pid":1,"tid":1,"ts":5,"args":{"correlation":42}},)"
        "\n";
    if (value == 42) expected.push_back(i);
    if (value == 42 && stream == 3) both.push_back(i);
  }
  text += event(40'000, R"({"correlation": 1})") + "]}\n";
  std::sort(expected.begin(), expected.end());
  std::sort(both.begin(), both.end());
  REQUIRE(text.size() > std::size_t{8} << 20);  // several blocks
  REQUIRE(expected.size() > 20);
  CHECK(found(text, {{"correlation", "42"}}) == expected);
  CHECK(found(text, {{"correlation", "42"}, {"stream", "3"}}) == both);
  CHECK(found(text, {{"", "no such thing"}}).empty());
}

TEST_CASE("an event larger than a read is examined as a whole") {
  const std::string large = R"({"pad": ")" + std::string(300'000, 'x') + R"(", "late": 7})";
  CHECK(found("[" + event(1, "{}") + "," + event(2, large) + "," + event(3, R"({"late": 8})") + "]",
              {{"late", "7"}}) == std::vector<std::int64_t>{1});
  std::string tail = "[" + event(1, large);
  for (int i = 0; i < 20; ++i) tail += "," + event(2 + i, large);
  CHECK(found(tail + "]", {{"late", "7"}}).size() == 21);
}

TEST_CASE("a value without letters and digits is refused, and a stopped search is reported") {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("trace.json", "[" + event(1, R"({"a": 1})") + "]"));
  REQUIRE(opened.ok());
  const kino::Trace& trace = *opened.value().trace;
  const auto order = kino::slices_by_offset(trace);
  const auto search = [&](const std::string& value, const std::stop_token& stop) {
    kino::ArgumentProgress progress;
    const std::vector<ArgumentTerm> terms{{"", value}};
    return kino::find_arguments(
        trace, *opened.value().text, order, terms, [](SliceId) { return true; }, progress, [] {}, stop);
  };
  CHECK(search("/", {}).error().kind == kino::Error::Kind::unknown_format);
  std::stop_source stop;
  stop.request_stop();
  CHECK(search("1", stop.get_token()).error().kind == kino::Error::Kind::cancelled);
  CHECK(search("1", {}).value().count() == 1);
}
