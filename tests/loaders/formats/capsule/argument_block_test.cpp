// Covers: argument_block
#include "loaders/formats/capsule/argument_block.hpp"

#include <random>

#include <doctest/doctest.h>

#include "loaders/bytes/json_members.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "tests/fixtures/random_trace.hpp"

namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;

void check_back(const std::vector<std::string>& texts) {
  const auto block = kino::ArgumentBlock::read(kino::packed_arguments(texts));
  REQUIRE(block.has_value());
  REQUIRE(block->size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(block->text(i, kMost) == texts[i]);
    CHECK(block->has(i) == !texts[i].empty());
  }
}

}  // namespace

TEST_CASE("arguments are restored byte for byte") {
  check_back({});
  check_back({""});
  check_back({R"({"stream": 7, "correlation": 4711, "name": "x"})", "", R"({"stream": 8, "correlation": 4713,
    "name": "y"})"});
  check_back({R"({"a": -0, "b": 007, "c": 1.50, "d": 1e5, "e": -12, "f": 123456789012345678901, "g": +1})"});
  check_back(
      {R"({"quote \" in a key": "and \\ in a \" text", "list": [[1, 2], [], "x"], "t": true, "n": null})"});
  check_back({"no JSON", R"({"cut": "off)", "{\"a\": \"\x01\x02\"}", "\x02", "{}", "[1, 2"});
  check_back({"-9223372036854775808 9223372036854775807 999999999999999999"});
}

TEST_CASE("arguments of random events are restored byte for byte") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    kino_test::RandomTrace random(seed);
    std::vector<std::string> texts;
    for (const std::string& event : random.elements(300)) {
      texts.emplace_back(kino::args_of_event(event));
      texts.push_back(event);
    }
    check_back(texts);
  }
}

TEST_CASE("common parts of arguments are stored once") {
  std::vector<std::string> texts;
  std::size_t bytes = 0;
  for (int i = 0; i < 10'000; ++i) {
    texts.push_back(R"({"External id": )" + std::to_string(i * 3) +
                    R"(, "device": 0, "stream": 7, "grid": [8, )" + std::to_string(i % 5) + "]}");
    bytes += texts.back().size();
  }
  const std::string packed = kino::packed_arguments(texts);
  CHECK(packed.size() < bytes / 6);
  const auto block = kino::ArgumentBlock::read(packed);
  REQUIRE(block.has_value());
  REQUIRE(block->skeletons().size() == 1);
  CHECK(block->skeletons()[0].starts_with(R"({"External id": )"));
}

TEST_CASE("truncated and changed blocks are refused or read safely") {
  const std::string packed = kino::packed_arguments(
      std::vector<std::string>{R"({"a": 1, "b": "x"})", R"({"a": 2, "b": "y"})", "", R"({"c": [3]})"});
  for (std::size_t size = 0; size < packed.size(); ++size) {
    CHECK(!kino::ArgumentBlock::read(std::string_view(packed).substr(0, size)).has_value());
  }
  CHECK(!kino::ArgumentBlock::read(packed + "x").has_value());
  for (std::size_t at = 0; at < packed.size(); ++at) {
    for (const unsigned bits : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
      std::string changed = packed;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ bits);
      const auto block = kino::ArgumentBlock::read(changed);
      if (!block) continue;
      for (std::size_t i = 0; i < block->size(); ++i) CHECK(block->text(i, kMost).size() <= kMost);
    }
  }
}

TEST_CASE("a text above the limit is empty") {
  const auto block =
      kino::ArgumentBlock::read(kino::packed_arguments(std::vector<std::string>{"{\"a\": \"0123456789\"}"}));
  REQUIRE(block.has_value());
  CHECK(block->text(0, 10).empty());
  CHECK(block->text(0, 18).empty());
  CHECK(block->text(0, 19) == "{\"a\": \"0123456789\"}");
}
