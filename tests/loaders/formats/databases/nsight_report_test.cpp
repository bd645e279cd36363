// Covers: nsight_report
// Reports of Nsight Systems, converted by a program nsys that the test writes.
#include "loaders/formats/databases/nsight_report.hpp"

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/fixtures/database_file.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace nsight_reports {
namespace {

constexpr const char* kReport = "NVIDIA Tegra Profiler Report 2024@6@2@225-";

/// Restores the PATH.
class PathGuard {
 public:
  explicit PathGuard(const std::filesystem::path& folder) : before_(std::getenv("PATH")) {
    ::setenv("PATH", (folder.string() + ":" + before_).c_str(), 1);
  }
  PathGuard(const PathGuard&) = delete;
  PathGuard& operator=(const PathGuard&) = delete;
  ~PathGuard() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

void write_program(const std::filesystem::path& folder, const std::string& body) {
  kino_test::write_database(folder / "made.sqlite",
                            "CREATE TABLE OSRT_API (start, \"end\", globalTid, nameId);"
                            "INSERT INTO OSRT_API VALUES (10, 20, 42, 1), (30, 40, 42, 1);");
  std::ofstream(folder / "nsys") << "#!/bin/sh\n" << body;
  std::filesystem::permissions(folder / "nsys", std::filesystem::perms::owner_all);
}

kino::Result<kino::OpenedTrace> open_report(const std::filesystem::path& path,
                                            const std::filesystem::path& cache,
                                            const std::stop_token& stop = {}) {
  kino::OpenOptions options;
  options.cache_directory = cache;
  kino::LoadProgress progress;
  return kino::open_trace(path, options, progress, stop);
}

}  // namespace

TEST_CASE("exports a report with nsys, opens it, and removes the export") {
  const kino_test::TemporaryFolder folder;
  write_program(folder.path(),
                "test \"$1 $2 $3\" = 'export --type sqlite' && cp \"${0%/*}/made.sqlite\" \"$7\"\n");
  const PathGuard path(folder.path());
  const auto report = folder.write("it's a run.nsys-rep", kReport);
  std::filesystem::create_directory(folder.path() / "cache");
  const auto opened = open_report(report, folder.path() / "cache");
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  CHECK(opened.value().trace->slice_count() == 2);
  CHECK(std::filesystem::is_empty(folder.path() / "cache"));
}

TEST_CASE("errors of nsys are passed on") {
  const kino_test::TemporaryFolder folder;
  write_program(folder.path(), "echo working; echo 'The report is newer than this nsys.' >&2; exit 3\n");
  const PathGuard path(folder.path());
  const auto opened = open_report(folder.write("run.nsys-rep", kReport), folder.path());
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().what.str().find("The report is newer than this nsys.") != std::string::npos);
}

TEST_CASE("a long export can be cancelled") {
  const kino_test::TemporaryFolder folder;
  write_program(folder.path(), "exec sleep 60\n");
  const PathGuard path(folder.path());
  const auto report = folder.write("run.nsys-rep", kReport);
  std::stop_source stop;
  const std::jthread later([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  const auto opened = open_report(report, folder.path(), stop.get_token());
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().kind == kino::Error::Kind::cancelled);
}

TEST_CASE("without nsys the error has the command to run, ready to copy") {
  if (kino::find_nsys()) return;
  const kino_test::TemporaryFolder folder;
  const auto opened = open_report(folder.write("it's.nsys-rep", kReport), folder.path());
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().what.str().find("nsys export --type sqlite --force-overwrite true '") !=
        std::string::npos);
  CHECK(opened.error().what.str().find("it'\\''s.nsys-rep'") != std::string::npos);
}

}  // namespace nsight_reports
