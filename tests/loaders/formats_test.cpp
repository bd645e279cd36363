// Which format a content is taken for by its first bytes.
#include "loaders/formats.hpp"

#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

using kino::Format;
using kino::Likeness;
using namespace std::string_literals;

namespace {

std::string guessed(std::string_view head) {
  const kino::FormatGuess guess = kino::most_alike(kino::all_formats(), head);
  return guess.format == nullptr ? "" : std::string(guess.format->name);
}

Likeness likeness(std::string_view head) { return kino::most_alike(kino::all_formats(), head).likeness; }

template <Likeness kAnswer>
Likeness always(std::string_view /*head*/) {
  return kAnswer;
}

constexpr Format named(std::string_view name, Likeness (*likeness)(std::string_view)) {
  return {name, "", Format::Holds::trace, likeness, nullptr};
}

}  // namespace

TEST_CASE("the most alike of the formats wins, of equal ones the first") {
  constexpr std::array kSome = {
      named("never", always<Likeness::none>), named("barely", always<Likeness::barely>),
      named("maybe", always<Likeness::maybe>), named("maybe too", always<Likeness::maybe>)};
  const kino::FormatGuess guess = kino::most_alike(kSome, "");
  REQUIRE(guess.format != nullptr);
  CHECK(std::string(guess.format->name) == "maybe");
  CHECK(guess.likeness == Likeness::maybe);
  CHECK(kino::most_alike(std::span(kSome).first(1), "").format == nullptr);
  CHECK(kino::most_alike(std::span<const Format>(), "").format == nullptr);
}

TEST_CASE("each format has a name of its own and can be asked and opened") {
  std::set<std::string_view> names;
  for (const Format& format : kino::all_formats()) {
    CAPTURE(std::string(format.name));
    CHECK(names.insert(format.name).second);
    CHECK_FALSE(format.title.empty());
    REQUIRE((format.likeness != nullptr));
    CHECK((format.open != nullptr));
    CHECK(format.likeness("") == Likeness::none);
    CHECK(format.likeness(" \n") == Likeness::none);
  }
}

TEST_CASE("the forms of a snapshot are told by their first bytes") {
  CHECK(guessed("{\"segments\": [") == "snapshot-json");
  CHECK(guessed("[[-1, 1, 512, 0], [") == "memory-timeline");
  CHECK(guessed("[[17], [[0, 512, 0, 0, 0, 0, 0, 0, 0]]]") == "memory-timeline");
  CHECK(guessed("[[1,2,3,4,5,6,7,8,9,10") == "memory-timeline");
  CHECK(guessed("[[1, 2], [3, 4]]") == "chrome-trace");
  CHECK(guessed("[[1, 2, 3], [") == "chrome-trace");
  CHECK(guessed("\n<!DOCTYPE html> MemoryViz") == "snapshot-page");
  CHECK(guessed("<html>").empty());
  CHECK(guessed("\x80\x04}(\x8c\x08segments"s) == "snapshot-pickle");
  CHECK(guessed("\x80\x04}(\x8c\x07weights"s) == "pickle");
  CHECK(likeness("\x80\x04}(\x8c\x07weights"s) == Likeness::barely);
}

TEST_CASE("a trace is told by the names at its begin, even with names of a snapshot in it") {
  CHECK(guessed("{\"traceEvents\": [{\"name\": \"segments\"}") == "chrome-trace");
  CHECK(guessed(R"({"traceEvents": [{"args": {"segments": 1}})") == "chrome-trace");
  CHECK(likeness(" [{\"ph\": \"X\"") == Likeness::surely);
  CHECK(likeness("\xEF\xBB\xBF{\"traceEvents\"") == Likeness::surely);
  CHECK(likeness("{\"lr\": 1}") == Likeness::maybe);
  CHECK(likeness("text \"ph\"") == Likeness::barely);
  CHECK(likeness("text") == Likeness::none);
  CHECK(likeness("SQLite format 3\0 \"ph\""s) == Likeness::maybe);
  // The header of a trace lists process groups, as a dump of the flight recorder does.
  CHECK(guessed(R"({"schemaVersion": 1, "distributedInfo": {"pg_config": [{"pg_name": "0"}]},)") ==
        "chrome-trace");
  CHECK(guessed(R"({"version": "2.10", "pg_config": {"0": {"ranks": "[0, 1]"}}, "entries": [)") ==
        "flight-recorder");
}
