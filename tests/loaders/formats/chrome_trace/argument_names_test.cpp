// Covers: argument_names, event_blocks
// Names of arguments, sampled and complete.
#include "loaders/formats/chrome_trace/argument_names.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "loaders/formats/chrome_trace/argument_search.hpp"
#include "tests/fixtures/loader_files.hpp"

using kino::ArgumentFields;

namespace {

std::vector<std::string> keys_in(const ArgumentFields& fields) {
  std::vector<std::string> keys;
  for (const ArgumentFields::Field& field : fields.all()) keys.push_back(field.key);
  return keys;
}

std::string event_with_args(int ts, const std::string& args) {
  return R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":)" + std::to_string(ts) +
         R"(,"dur":1,"args":)" + args + "}";
}

}  // namespace

TEST_CASE("names that a sample misses are found in all events") {
  const kino_test::TemporaryFolder folder;
  std::string text = "[";
  constexpr int kEvents = 60'000;
  for (int i = 0; i < kEvents; ++i) {
    text += (i > 0 ? ",\n" : "") +
            event_with_args(i, R"({"plain": 1, "padding": ")" + std::string(100, 'x') + "\"}");
  }
  text += ",\n" + event_with_args(kEvents, R"({"Rare one": 2})") + "]";
  const auto opened = kino_test::open(folder.write("trace.json", text));
  REQUIRE(opened.ok());
  const kino::Trace& trace = *opened.value().trace;
  const ArgumentFields some = kino::sample_argument_fields(trace, *opened.value().text);
  CHECK(keys_in(some) == std::vector<std::string>{"padding", "plain"});
  const auto order = kino::slices_by_offset(trace);
  kino::ArgumentProgress progress;
  const auto all = kino::all_argument_fields(
      trace, *opened.value().text, order, progress, [] {}, {}, 2);
  REQUIRE(all.ok());
  CHECK(keys_in(all.value()) == std::vector<std::string>{"padding", "plain", "rareone"});
  CHECK(progress.bytes == text.size());
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(kino::all_argument_fields(
                  trace, *opened.value().text, order, progress, [] {}, stop.get_token())
                  .ok());
}

TEST_CASE("escaped names are returned unescaped") {
  const kino_test::TemporaryFolder folder;
  const auto opened =
      kino_test::open(folder.write("trace.json", "[" + event_with_args(1, R"({"K\\ernel": 1})") + "]"));
  REQUIRE(opened.ok());
  const ArgumentFields some = kino::sample_argument_fields(*opened.value().trace, *opened.value().text);
  REQUIRE(some.all().size() == 1);
  CHECK(some.all()[0].key == "kernel");
  CHECK(some.all()[0].name == "K\\ernel");
}
