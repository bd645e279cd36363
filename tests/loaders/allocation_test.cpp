// Covers: open, contained_traces
// Makes each allocation fail in turn while a file is opened: the result is an Error, and nothing remains.
#include <atomic>
#include <cerrno>
#include <limits>
#include <new>
#include <string>

#include <doctest/doctest.h>
#include <sys/mman.h>

#include "core/base/platform/new_file.hpp"
#include "tests/fixtures/counted_memory.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/random_trace.hpp"

namespace {

// Set while a file is opened; shared by the loader's threads.
std::atomic<bool> armed{false};
std::atomic<std::int64_t> left{0};             // allocations before the one that fails
std::atomic<std::int64_t> failed{0};           // number of failed allocations
std::atomic<std::size_t> fails_again_from{0};  // bytes: all later allocations of at least this size fail

bool fails(std::size_t size) {
  if (!armed.load(std::memory_order_relaxed)) return false;
  const std::int64_t before = left.fetch_sub(1);
  if (before > 0 || (before < 0 && size < fails_again_from.load())) return false;
  ++failed;
  return true;
}

struct Failing {
  Failing(std::int64_t request, std::size_t again_from) {
    left = request;
    failed = 0;
    fails_again_from = again_from;
    armed = true;
    kino_test::set_allocation_fails(fails);
  }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
  ~Failing() {
    kino_test::set_allocation_fails(nullptr);
    armed = false;
  }
};

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

struct Attempt {
  bool opened = false;
  bool says_why = false;
  std::int64_t failed_requests = 0;
  std::int64_t kept_allocations = 0;
  std::ptrdiff_t kept_descriptors = 0;
};

Attempt open_with_failure(const std::filesystem::path& path, std::int64_t request, std::size_t again_from) {
  kino::OpenOptions options;
  options.threads = 2;
  options.unit_bytes = 4096;
  options.cache_directory = path.parent_path();
  options.on_partial = [](const kino::OpenedTrace&, double) {};
  options.partial.first_seconds = 0;
  options.partial.least_seconds_left = 0;
  kino::LoadProgress progress;
  const std::ptrdiff_t descriptors = open_descriptors();
  const std::int64_t before = kino_test::live_allocations();
  Attempt attempt;
  {
    const auto result = [&] {
      const Failing failing(request, again_from);
      return kino::open_trace(path, options, progress, {});
    }();
    attempt.opened = result.ok();
    attempt.says_why = !result.ok() && !result.error().what.str().empty();
  }
  attempt.failed_requests = failed;
  attempt.kept_allocations = kino_test::live_allocations() - before;
  attempt.kept_descriptors = open_descriptors() - descriptors;
  return attempt;
}

}  // namespace

// The linker redirects calls of mmap here (--wrap).
extern "C" void* __real_mmap(void* address, std::size_t size, int protection, int flags, int fd,
                             off_t offset);
extern "C" void* __wrap_mmap(void* address, std::size_t size, int protection, int flags, int fd,
                             off_t offset) {
  if (fails(size)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return __real_mmap(address, size, protection, flags, fd, offset);
}

TEST_CASE("a failed allocation while opening a file returns an error and leaves nothing behind" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  kino_test::RandomTrace random(3);
  const std::string text = random.document(random.elements(120), ",\n");
  std::string broken = text;
  for (std::size_t at = 3000; at < broken.size(); at += 7001) broken[at] = '\x01';
  for (const std::string& content : {text, broken, kino_test::gzip(broken)}) {
    const auto path = folder.write("trace", content);
    constexpr auto kNever = std::numeric_limits<std::int64_t>::max();
    REQUIRE(open_with_failure(path, kNever, 0).opened);  // fills caches that remain
    for (const std::size_t again_from : {std::numeric_limits<std::size_t>::max(), std::size_t{1024}}) {
      std::int64_t request = 0;
      for (bool any = true; any; request += kino_test::kSanitized ? 17 : 1) {
        CAPTURE(request);
        CAPTURE(again_from);
        const Attempt attempt = open_with_failure(path, request, again_from);
        CHECK((attempt.opened || attempt.says_why));
        CHECK(attempt.kept_allocations == 0);
        CHECK(attempt.kept_descriptors == 0);
        any = attempt.failed_requests > 0;
        if (!any) CHECK(attempt.opened);
      }
      CHECK(request > 100);
    }
  }
}

TEST_CASE("a failed allocation while opening a cached trace leaves nothing behind, and it remains cached" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  kino_test::RandomTrace random(4);
  const auto path = folder.write("trace", kino_test::gzip(random.document(random.elements(120), ",\n")));
  kino::OpenOptions options;
  options.cache_directory = folder.path();
  kino::LoadProgress progress;
  {
    const auto opened = kino::open_trace(path, options, progress, {});
    REQUIRE(opened.ok());
    REQUIRE_FALSE(kino::store_opened(opened.value(), options, {}).has_value());
  }
  std::int64_t request = 0;
  for (bool any = true; any; ++request) {
    CAPTURE(request);
    const Attempt attempt = open_with_failure(path, request, std::numeric_limits<std::size_t>::max());
    CHECK((attempt.opened || attempt.says_why));
    CHECK(attempt.kept_allocations == 0);
    CHECK(attempt.kept_descriptors == 0);
    any = attempt.failed_requests > 0;
  }
  CHECK(request > 20);
  CHECK(kino::open_trace(path, options, progress, {}).value().from_cache);
}

TEST_CASE("a failed allocation while searching a folder returns a result" * doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "1/2");
  folder.write("1/2/trace.json", R"({"traceEvents":[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a"}]})");
  folder.write("kept.kinoindex", "none");
  const auto each_request_fails = [](const auto& body) {
    std::int64_t request = 0;
    for (bool any = true; any; ++request) {
      CAPTURE(request);
      const std::ptrdiff_t descriptors = open_descriptors();
      const std::int64_t before = kino_test::live_allocations();
      {
        const Failing failing(request, std::numeric_limits<std::size_t>::max());
        try {
          body();
        } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): for the caller
        }
      }
      CHECK(kino_test::live_allocations() == before);
      CHECK(open_descriptors() == descriptors);
      any = failed > 0;
    }
    CHECK(request > 3);
  };
  each_request_fails([&] { static_cast<void>(kino::traces_in_folder(folder.path(), {})); });
  each_request_fails([&] { kino::cache_entries(folder.path()); });
  each_request_fails([&] { kino::remove_leftovers(folder.path()); });
}
