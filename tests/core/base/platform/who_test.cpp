// Covers: who
#include "core/base/platform/who.hpp"

#include <algorithm>
#include <cstdlib>

#include <doctest/doctest.h>

TEST_CASE("the names of machine and user are listed once each, without root") {
  const char* const before = std::getenv("HOME");
  const std::string home = before == nullptr ? "" : before;
  ::setenv("HOME", "/home/someone_here", 1);
  ::setenv("LOGNAME", "someone_here", 1);
  const std::vector<std::string> names = kino::machine_and_user_names();
  CHECK(std::ranges::count(names, "someone_here") == 1);
  CHECK(std::ranges::count(names, "root") == 0);
  CHECK(std::ranges::none_of(names, [](const std::string& name) { return name.empty(); }));
  ::setenv("HOME", home.c_str(), 1);
}
