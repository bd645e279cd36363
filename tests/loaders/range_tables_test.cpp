// Covers: range_analysis
// Operators, key averages and modules of ranges of real traces.
#include "tests/fixtures/range_tables.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "tests/fixtures/loader_files.hpp"

namespace {

namespace fs = std::filesystem;

/// The smallest file of each folder that has more than a few events.
std::vector<fs::path> real_jobs() {
  constexpr std::uintmax_t kLeastBytes = 20'000;
  std::map<fs::path, fs::path> by_folder;
  for (const fs::path& path : kino_test::real_files({"kineto"})) {
    const std::string name = path.filename().string();
    if (!name.ends_with(".json") && !name.ends_with(".json.gz")) continue;
    fs::path& smallest = by_folder[path.parent_path()];
    if (fs::file_size(path) >= kLeastBytes &&
        (smallest.empty() || fs::file_size(path) < fs::file_size(smallest))) {
      smallest = path;
    }
  }
  std::vector<fs::path> jobs;
  for (const auto& [folder, file] : by_folder) {
    if (!file.empty()) jobs.push_back(file);
  }
  return jobs;
}

}  // namespace

TEST_CASE("tables of ranges of real traces equal those of each range alone" * doctest::test_suite("serial")) {
  for (const fs::path& path : real_jobs()) {
    CAPTURE(path.string());
    const auto opened = kino_test::open(path);
    if (!opened.ok()) continue;
    const kino::Trace& trace = *opened.value().trace;
    const kino::RangeAnalyses analyses(trace);
    std::mt19937_64 random(trace.slice_count());
    for (int i = 0; i < 4; ++i) {
      const auto time = [&] {
        return trace.content.begin_ns +
               static_cast<std::int64_t>(random() %
                                         static_cast<std::uint64_t>(trace.content.length_ns() + 1));
      };
      const auto [begin, end] = std::minmax({time(), time()});
      kino_test::check_range_tables(*analyses.of({begin, end}));
    }
  }
}
