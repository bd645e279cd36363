// Covers: program_start
#include "app/system/program_start.hpp"

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

TEST_CASE("a program's output arrives with its exit code, and its arguments are passed unchanged") {
  const auto end =
      kino::run_for_output({"/bin/sh", "-c", "printf '%s' \"$1\"; exit 3", "sh", "a  'b' $c"}, {});
  REQUIRE(end.has_value());
  CHECK(end->output == "a  'b' $c");
  CHECK(end->exit_code == 3);
  CHECK_FALSE(end->stopped);
}

TEST_CASE("error messages of a program are read only on request") {
  const std::vector<std::string> command{"/bin/sh", "-c", "echo out; echo error >&2"};
  const auto both = kino::run_for_output(command, {}, kino::ProgramOutput::with_errors);
  REQUIRE(both.has_value());
  CHECK(both->output == "out\nerror\n");
  const std::vector<std::string> quiet{"/bin/sh", "-c", "echo out; echo error >/dev/null"};
  CHECK(kino::run_for_output(quiet, {})->output == "out\n");
}

TEST_CASE("a missing program is not started") {
  CHECK_FALSE(kino::run_for_output({"/no/such/program"}, {}).has_value());
}

TEST_CASE("a program is terminated when it is no longer waited for") {
  std::stop_source stop;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  const auto end = kino::run_for_output({"/bin/sleep", "60"}, stop.get_token());
  REQUIRE(end.has_value());
  CHECK(end->stopped);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
}

TEST_CASE("a program is searched for only in absolute folders of the list") {
  CHECK(kino::find_program("sh", "relative:/bin") == "/bin/sh");
  CHECK_FALSE(kino::find_program("sh", "bin:.").has_value());
  CHECK_FALSE(kino::find_program("sh", "").has_value());
}
