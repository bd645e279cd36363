// Covers: import_writer, json_event_writer, event_sink
// Converted texts are valid JSON for any bytes, and reported events match their text.
#include "loaders/formats/json_import/import_writer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/trace/build/trace_builder.hpp"
#include "loaders/bytes/file_source.hpp"
#include "loaders/bytes/spool.hpp"
#include "loaders/formats/chrome_trace/chrome_trace_loader.hpp"
#include "tests/fixtures/same_trace.hpp"

namespace told_events {
namespace {

/// A text with its events, as reported and as parsed.
class Told {
 public:
  Told()
      : source_(std::make_shared<kino::FileSource>(kino::open_memory_spool().value())),
        spool_(text_, *source_, {}, read_, nullptr),
        events_(text_, options_, progress_, {}) {}

  template <class Write>
  void write(Write&& write) {
    bool good = false;
    {
      kino::ImportWriter out(spool_, events_);
      write(out);
      good = out.good();
    }
    if (good) spool_.finish();
  }
  std::shared_ptr<const kino::Trace> told() { return built(events_.input()); }
  /// Uses `damage` instead of its own if set.
  std::shared_ptr<const kino::Trace> parsed(const kino::DamageLog* damage = nullptr) {
    options_.threads = 1;  // with several threads the ids of tracks are random
    kino::Result<kino::BuildInput> input = kino::parse_chrome_trace(text_, options_, progress_, {});
    REQUIRE(input.ok());
    if (damage != nullptr) input.value().damage = *damage;
    return built(std::move(input));
  }

 private:
  static std::shared_ptr<const kino::Trace> built(kino::Result<kino::BuildInput> input) {
    REQUIRE(input.ok());
    return kino::build_trace(std::move(input).value(), {}).value();
  }

  std::shared_ptr<kino::FileSource> source_;
  kino::GrowingText text_{source_};
  kino::OpenOptions options_;
  kino::LoadProgress progress_;
  std::atomic<std::uint64_t> read_{0};
  kino::SpoolWriter spool_;
  kino::EventSink events_;
};

using Random = std::mt19937;

template <std::size_t N>
std::string_view one_of(const std::array<std::string_view, N>& texts, Random& random) {
  return texts[random() % N];
}

constexpr std::array<std::string_view, 9> kKeys{"correlation", "External id", "Sequence number",
                                                "grid",        "Input Dims",  "Short name",
                                                "Ev Idx",      "name",        "Total Reserved"};
constexpr std::array<std::string_view, 7> kValues{
    "7", "[8, [3]]", "\"a \\\" } b\"", "{\"correlation\":9}", "null", "-1", "18446744073709551615"};

void add_arguments(kino::ImportWriter& out, Random& random) {
  for (std::uint32_t left = random() % 6; left > 0; --left) {
    const std::string_view key = one_of(kKeys, random);
    switch (random() % 5) {
      case 0:
        out.argument(key, static_cast<std::int64_t>(random()) - 5);
        break;
      case 1:
        out.argument_number(key, random() % 4 == 0 ? std::numeric_limits<double>::infinity() : 1.5);
        break;
      case 2:
        out.argument_text(key, "x");
        break;
      case 3:
        out.argument_json(key, one_of(kValues, random));
        break;
      default:
        out.argument_json(key, one_of(kValues, random));
        out.argument("correlation", 12);
    }
  }
}

void add_event(kino::ImportWriter& out, Random& random) {
  constexpr std::array<std::string_view, 6> kCategories{"kernel",          "cpu_op",          "cuda_runtime",
                                                        "user_annotation", "python_function", ""};
  constexpr std::array<std::string_view, 4> kNames{"gemm", "[memory]", "a \\\" b", ""};
  const kino::EventPlace place{random() % 2 == 0 ? "1" : "\"tracks\"", random() % 3 == 0 ? "" : "\"s 7\""};
  const std::string_view category = one_of(kCategories, random);
  const std::uint32_t which = random() % kNames.size();
  const std::string_view name = kNames[which];
  const std::uint32_t number = random() % 3 == 0 ? 0 : which + 1;
  std::int64_t time = static_cast<std::int64_t>(random() % 100'000) - 1000;
  if (random() % 50 == 0) time = std::numeric_limits<std::int64_t>::min() + time + 1000;
  switch (random() % 8) {
    case 0:
      out.instant(category, name, place, time, number);
      break;
    case 1:
      out.counter("c", place.pid, time, random() % 4 == 0 ? std::numeric_limits<double>::quiet_NaN() : 2);
      return;
    case 2:
      out.flow(random() % 2 == 0 ? 's' : 'f', random() % 20, place, time);
      return;
    case 3:
      out.name(random() % 2 == 0 ? "thread_name" : "process_labels", place, "n");
      return;
    default:
      out.slice(category, name, place, time, time + static_cast<std::int64_t>(random() % 1000) - 10, number);
  }
  add_arguments(out, random);
}

}  // namespace

TEST_CASE("reported events equal those that the parser finds in their text" * doctest::test_suite("serial")) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Told both;
    both.write([&](kino::ImportWriter& out) {
      out.begin(R"("baseTimeNanoseconds":1700000000000000000,"distributedInfo":{"rank":3,"world_size":8},)");
      for (std::uint32_t left = seed == 0 ? 0 : 200 * seed; left > 0; --left) add_event(out, random);
      out.finish();
    });
    CHECK(kino_test::difference(*both.told(), *both.parsed(), "trace") == "");
  }
}

TEST_CASE("an event larger than a piece is reported whole") {
  Told both;
  const std::string large(std::size_t{3} << 20, 'x');
  both.write([&](kino::ImportWriter& out) {
    out.begin("");
    out.slice("kernel", large, {"0", "7"}, 10, 20);
    out.argument("correlation", 4);
    out.argument_text("Short name", large);
    out.argument("External id", 5);
    out.finish();
  });
  const auto trace = both.told();
  CHECK(trace->slice_count() == 1);
  CHECK(kino_test::difference(*trace, *both.parsed(), "trace") == "");
}

TEST_CASE("for a truncated text only the events in it are reported") {
  Told both;
  constexpr std::uint32_t kEvents = 20'000;
  both.write([](kino::ImportWriter& out) {
    out.begin("");
    for (std::uint32_t i = 0; i < kEvents; ++i) {
      const std::int64_t start = 10 * std::int64_t{i};
      out.slice("kernel", "k", {"0", "7"}, start, start + 5);
    }
  });
  const auto trace = both.told();
  CHECK(trace->slice_count() > 0);
  CHECK(trace->slice_count() < kEvents);
  CHECK(trace->damage.count(kino::DamageReason::truncated_file) == 1);
  // The text ends after a whole event, so its parser only misses a bracket.
  CHECK(both.parsed()->damage.count(kino::DamageReason::unclosed_document) == 1);
  CHECK(kino_test::difference(*trace, *both.parsed(&trace->damage), "trace") == "");
}

}  // namespace told_events

TEST_CASE("quotes, backslashes and control characters are escaped, and UTF-8 remains") {
  CHECK(kino::json_text("a \"b\" \\ c\nd\te\x01") == "\"a \\\"b\\\" \\\\ c\\nd\\te\\u0001\"");
  const std::string whole = "\xc3\xa9 \xe6\xa0\xbc \xf0\x9f\x98\x80";
  CHECK(kino::json_text(whole) == "\"" + whole + "\"");
  CHECK(kino::json_text("") == "\"\"");
}

TEST_CASE("each invalid UTF-8 byte is replaced") {
  const std::string bad = "\xef\xbf\xbd";
  CHECK(kino::json_text("a\xa5z") == "\"a" + bad + "z\"");
  // Overlong, surrogate, above U+10FFFF, and truncated sequences.
  CHECK(kino::json_text("\xc0\x80") == "\"" + bad + bad + "\"");
  CHECK(kino::json_text("\xed\xa0\x80") == "\"" + bad + bad + bad + "\"");
  CHECK(kino::json_text("\xf4\x90\x80\x80") == "\"" + bad + bad + bad + bad + "\"");
  CHECK(kino::json_text("\xe6\xa0") == "\"" + bad + bad + "\"");
}

TEST_CASE("any bytes become valid JSON text") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 12, ' ');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() % 128 : 0x80 + random() % 128);
    CAPTURE(round);
    CHECK(nlohmann::json::accept(kino::json_text(text)));
  }
}
