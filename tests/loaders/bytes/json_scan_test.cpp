// Covers: json_scan, event_array
#include "loaders/bytes/json_scan.hpp"

#include <random>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "loaders/formats/chrome_trace/event_array.hpp"

TEST_CASE("values end where JSON requires, whatever their strings contain") {
  CHECK(kino::value_end(R"({"a":"}","b":[1,{"c":"\""}]},x)", 0) == 28);
  CHECK(kino::value_end(R"("a\\",)", 0) == 5);
  CHECK(kino::value_end("12.5,", 0) == 4);
  CHECK(kino::value_end("null}", 0) == 4);
  CHECK(kino::value_end(R"({"a":"})", 0) == kino::kIncomplete);
  CHECK(kino::value_end("[[", 0) == kino::kIncomplete);
  CHECK(kino::value_end("", 0) == kino::kIncomplete);
  CHECK(kino::string_end(R"("ab\)", 0) == kino::kIncomplete);
}

TEST_CASE("nesting counts brackets outside of strings") {
  CHECK_FALSE(kino::nests_deeper_than("", 0));
  CHECK_FALSE(kino::nests_deeper_than(R"({"[[[": "]]", "a": [1]})", 2));
  CHECK(kino::nests_deeper_than(R"({"[[[": "]]", "a": [1]})", 1));
  CHECK_FALSE(kino::nests_deeper_than("[],[],[]", 1));
  CHECK_FALSE(kino::nests_deeper_than(R"("\"[[)", 5));
  CHECK_FALSE(kino::nests_deeper_than("]]]][", 1));
}

TEST_CASE("unescaping random strings equals nlohmann_json") {
  std::mt19937 random(9);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (unsigned i = 0; i < random() % 30; ++i) {
      static const char* const kParts[] = {
          "a", "\\n", "\\\"", "\\\\", "\\u00e9", "\\u5185", "\\ud83d\\ude00", "\\/", "é", "\\t"};
      text += kParts[random() % 10];
    }
    CHECK(kino::unescape(text) == nlohmann::json::parse("\"" + text + "\"").get<std::string>());
  }
}

TEST_CASE("invalid escapes remain unchanged") {
  CHECK(kino::unescape(R"(torch\profiler\x)") == "torch\\profiler\\x");
  CHECK(kino::unescape(R"(\u12)") == "\\u12");
  CHECK(kino::unescape(R"(\ud83d)") == "\xEF\xBF\xBD");
  CHECK(kino::unescape("end\\") == "end\\");
}

TEST_CASE("the separator is learnt with its white space, or is empty") {
  CHECK(kino::detect_separator("{\"a\":1\n  },\n  {\"b\":2}") == "\n  },\n  {");
  CHECK(kino::detect_separator(R"({"a":"},{"},{"b":2})") == "},{");
  CHECK(kino::detect_separator("{\"a\":1}\n{\"b\":2}") == "}\n{");
  CHECK(kino::detect_separator(R"({"a":1}])").empty());
  CHECK(kino::detect_separator("").empty());
  CHECK(kino::detect_separator("{}, {}") == "}, {");
}

TEST_CASE("comments and log lines before the event array are skipped and counted") {
  kino::EventArray array;
  for (const std::string head : {"WARNING: something\n[INFO] more {\n{\"a\": 1, \"traceEvents\": [",
                                 "{\"a\": 1,\n // one\n /* two\n */ \"traceEvents\": [", "# one\n# two\n["}) {
    CAPTURE(head);
    REQUIRE(kino::find_event_array(head, array) == kino::ArraySearch::found);
    CHECK(array.begin == head.size());
    CHECK(array.damage.count(kino::DamageReason::repaired_document) == 2);
  }
  CHECK(kino::find_event_array("some text", array) == kino::ArraySearch::needs_more_text);
}

TEST_CASE("the event array is found among other members and not inside them") {
  kino::EventArray array;
  const std::string text = R"({"a":{"traceEvents":[]},"b":"\"traceEvents\":[","traceEvents" : [{)";
  REQUIRE(kino::find_event_array(text, array) == kino::ArraySearch::found);
  CHECK(array.begin == text.size() - 1);
  CHECK(array.members.size() == 2);
  CHECK(kino::find_event_array("{\"a\":[1,2", array) == kino::ArraySearch::needs_more_text);
  CHECK(kino::find_event_array("{\"a\":1}", array) == kino::ArraySearch::absent);
  CHECK(kino::find_event_array("  [", array) == kino::ArraySearch::found);
  CHECK(kino::find_event_array("", array) == kino::ArraySearch::needs_more_text);
  CHECK(kino::find_event_array("{\"ph\":\"X\"}\n{", array) == kino::ArraySearch::found);
  CHECK(array.form == kino::ArrayForm::lines);
}
