// Covers: load_job
#include "app/shell/documents/load_job.hpp"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "core/base/platform/process_limits.hpp"

TEST_CASE("the error for running out of memory has the memory limit of the process") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_DATA, &before) == 0);
  kino::limit_memory(std::uint64_t{64} << 30);
  const kino::Error error = kino::out_of_memory_error();
  const bool limited = kino::memory_limit_bytes().has_value();
  ::setrlimit(RLIMIT_DATA, &before);
  CHECK(error.kind == kino::Error::Kind::out_of_memory);
  // Builds with a sanitizer have no limit.
  CHECK((error.what.str().find("limit of 64.0 GiB") != std::string::npos) == limited);
}
