// Covers: process_limits
#include "core/base/platform/process_limits.hpp"

#include <cstdint>
#include <new>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "core/base/huge_memory.hpp"

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

/// Restores the memory limit of the test program.
class KeptLimit {
 public:
  KeptLimit() { REQUIRE(::getrlimit(RLIMIT_DATA, &before_) == 0); }
  KeptLimit(const KeptLimit&) = delete;
  KeptLimit& operator=(const KeptLimit&) = delete;
  ~KeptLimit() { ::setrlimit(RLIMIT_DATA, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("allocations beyond the memory limit fail, and smaller ones do not") {
  const KeptLimit kept;
  kino::limit_memory(16 * kGiB);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  CHECK(kino::memory_limit_bytes() != 16 * kGiB);
#else
  CHECK(kino::memory_limit_bytes() == 16 * kGiB);
  CHECK_THROWS_AS(kino::HugeMemory(32 * kGiB), std::bad_alloc);
#endif
  const kino::HugeMemory memory(kGiB);
  CHECK(memory.size_bytes() == kGiB);
}
