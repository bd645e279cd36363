// Covers: similar_runs, time_scale
// Runs in the folder of a trace, and the time unit of the page.
#include "app/pages/summary/similar_runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "app/pages/summary/time_scale.hpp"

namespace {

struct RunFolder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("kinetoscope-similar-" + std::to_string(std::rand()));
  RunFolder() { std::filesystem::create_directories(path); }
  ~RunFolder() { std::filesystem::remove_all(path); }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  std::filesystem::path file(const std::string& name) const {
    std::ofstream(path / name) << "{}";
    return path / name;
  }
};

}  // namespace

TEST_CASE("runs with similar names are listed, the most similar first") {
  const RunFolder folder;
  const auto own = folder.file("resnet_workers_0.pt.trace.json");
  const auto near = folder.file("resnet_workers_4.pt.trace.json.gz");
  const auto far = folder.file("resnet_amp_big.pt.trace.json");
  folder.file("notes_about_resnet_workers_0.txt");
  folder.file("x.json");
  const auto runs = kino::similar_runs(own);
  REQUIRE(runs.size() == 2);
  CHECK(std::ranges::find(runs, near) != runs.end());
  CHECK(std::ranges::find(runs, far) != runs.end());
}

TEST_CASE("no more than three runs are listed, and a missing folder has none") {
  const RunFolder folder;
  const auto own = folder.file("run_0.json");
  for (int i = 1; i < 9; ++i) folder.file("run_" + std::to_string(i) + ".json");
  CHECK(kino::similar_runs(own).size() == kino::kMostSimilarRuns);
  CHECK(kino::similar_runs(folder.path / "missing" / "run_0.json").empty());
  CHECK(kino::similar_runs("-").size() <= kino::kMostSimilarRuns);
}

TEST_CASE("short steps are shown in us, others in ms") {
  CHECK(std::string(kino::TimeScale(214'300'000).unit()) == "ms");
  CHECK(kino::TimeScale(214'300'000).number(52'060'000) == "52.06");
  CHECK(std::string(kino::TimeScale(900'000).unit()) == "us");
  CHECK(kino::TimeScale(900'000).number(1300) == "1.3");
}
