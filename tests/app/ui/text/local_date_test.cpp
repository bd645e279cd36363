// Covers: local_date
// Dates are shown in the time zone of the user.
#include "app/ui/text/local_date.hpp"

#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>

#include <doctest/doctest.h>

TEST_CASE("a date is shown in local time, and a date that is out of range is empty") {
  const char* const before = std::getenv("TZ");
  const std::string zone = before != nullptr ? before : "";
  ::setenv("TZ", "UTC-3", 1);
  ::tzset();
  CHECK(kino::local_date(0) == "1970-01-01 03:00");
  CHECK(kino::local_date(1'764'374'459) == "2025-11-29 03:00");
  CHECK(kino::local_date(std::numeric_limits<std::int64_t>::max()).empty());
  before != nullptr ? ::setenv("TZ", zone.c_str(), 1) : ::unsetenv("TZ");
  ::tzset();
}
