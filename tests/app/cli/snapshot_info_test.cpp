// Covers: snapshot_info
// The summary of a snapshot: the numbers of real snapshots equal those of an independent replay.
#include "app/cli/snapshot_info.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/base/library_frames.hpp"
#include "loaders/formats/open.hpp"
#include "tests/fixtures/real_data.hpp"

namespace {

using Json = nlohmann::json;

kino::Result<kino::OpenedSnapshot> open(const std::filesystem::path& path,
                                        kino::LibraryList libraries = kino::default_libraries()) {
  kino::OpenOptions options;
  options.libraries = std::move(libraries);
  options.cache_directory = std::filesystem::temp_directory_path();
  kino::LoadProgress progress;
  return kino::open_snapshot(path, options, progress, {});
}

/// The golden file rounds means, and keeps segments of equal size in file order.
void round_and_sort(Json& device) {
  device["segments"]["fragmentation_sumsq"] =
      std::round(device["segments"]["fragmentation_sumsq"].get<double>() * 1e8) / 1e8;
  device["frames_mean"] = std::round(device["frames_mean"].get<double>() * 100) / 100;
  Json& segments = device["segments"]["per_segment"];
  std::sort(segments.begin(), segments.end());
}

/// Checks that `made` has each key of `golden` with the same value.
void check_same(const Json& golden, const Json& made) {
  for (const auto& [key, value] : golden.items()) {
    CAPTURE(key);
    REQUIRE(made.contains(key));
    if (value.is_number_float()) {
      CHECK(made[key].get<double>() == doctest::Approx(value.get<double>()).epsilon(1e-9));
    } else {
      CHECK(made[key] == value);
    }
  }
}

}  // namespace

TEST_CASE("the numbers of every real snapshot equal the golden ones") {
  if (!kino_test::real_data("golden/snapshots.json")) return;
  const std::filesystem::path data = kino_test::data_folder();
  const Json golden = Json::parse(std::ifstream(data / "golden/snapshots.json"));
  REQUIRE(golden.size() == 20);
  // The golden file takes the first frame outside of installed packages as the user's frame. The paths of
  // such packages contain one of these texts.
  const kino::LibraryList installed{"python", "torch", "/torch/", "site-packages/", "dist-packages/"};
  for (const auto& [name, expected] : golden.items()) {
    CAPTURE(name);
    const auto opened = open(data / name, installed);
    REQUIRE(opened.ok());
    const Json made = Json::parse(kino::snapshot_info_json(name, opened.value(), 0));
    CHECK(made["damage"].empty());
    CHECK(made["bytes"] == expected["bytes"]);
    CHECK(made["annotations"] == expected["annotations"]);
    CHECK(made["alloc_conf"] == expected["alloc_conf"]);
    REQUIRE(made["devices"].size() == expected["devices"].size());
    for (std::size_t i = 0; i < made["devices"].size(); ++i) {
      Json device = made["devices"][i];
      Json wanted = expected["devices"][i];
      round_and_sort(device);
      round_and_sort(wanted);
      check_same(wanted, device);
    }
  }
}

TEST_CASE("a page of memory_viz has the numbers of the pickle in it") {
  const auto found = kino_test::real_data("snapshot/silmont2000-assignment2-systems");
  if (!found) return;
  const std::filesystem::path& folder = *found;
  for (const auto& [page, pickle] : {std::pair("bf16.html", "memory_forward_bf16_128.pickle"),
                                     std::pair("fp32.html", "memory_forward_fp32_128.pickle")}) {
    CAPTURE(page);
    const auto html = open(folder / page);
    const auto plain = open(folder / pickle);
    REQUIRE((html.ok() && plain.ok()));
    CHECK(Json::parse(kino::snapshot_info_json("", html.value(), 0))["devices"] ==
          Json::parse(kino::snapshot_info_json("", plain.value(), 0))["devices"]);
  }
}

TEST_CASE("the summary of a small snapshot names its peak, its largest allocation and its contradictions") {
  const auto opened =
      open(std::filesystem::path(KINETOSCOPE_SOURCE) / "tests/fuzz/seeds/snapshot_protocol4.pickle");
  REQUIRE(opened.ok());
  const Json made = Json::parse(kino::snapshot_info_json("s.pickle", opened.value(), 7));
  CHECK(made["kind"] == "snapshot");
  CHECK(made["alloc_conf"] == "");
  CHECK(made["settings"]["max_split_size"] == "-1");
  CHECK(made["settings"]["PYTORCH_CUDA_ALLOC_CONF"] == "");
  REQUIRE(made["devices"].size() == 1);
  const Json& device = made["devices"][0];
  CHECK(device["actions"] == Json({{"alloc", 4},
                                   {"free_requested", 3},
                                   {"free_completed", 2},
                                   {"segment_alloc", 1},
                                   {"oom", 1},
                                   {"snapshot", 1}}));
  CHECK(device["peak_event"] == 8);
  CHECK(device["peak_time_us"] == 1700000000000090);
  CHECK(device["viz_rows"] == 10);
  CHECK(device["oom"] == Json::array({{{"event", 9}, {"size", 10737418240}, {"device_free", 1000}}}));
  CHECK(device["segments"]["pending_free"] == 5243392);
  CHECK(device["top10_at_peak"][0]["top_user"] == "/home/me/model.py:7:forward");
  std::int64_t live = 0;
  for (const Json& category : device["categories"]) live += category["bytes"].get<std::int64_t>();
  CHECK(live == device["peak_bytes"]);
  CHECK(device["trust"]["begins_late"] == true);
  CHECK(made["load"]["peak_rss_bytes"] == 7);
  const std::string text = kino::snapshot_info_text("s.pickle", opened.value(), 7);
  CHECK(text.find("allocator snapshot") != std::string::npos);
  CHECK(text.find(" unique call stacks with ") != std::string::npos);
  CHECK(text.find("PYTORCH_CUDA_ALLOC_CONF is not set; max_split_size -1") != std::string::npos);
  CHECK(text.find("2 allocations are older than the recording") != std::string::npos);
  CHECK(text.find("/home/me/model.py:7:forward") != std::string::npos);
}

TEST_CASE("merges the places that would have avoided an OOM into one sentence") {
  kino::Snapshot snapshot;
  kino::OomAnalysis autopsy;
  autopsy.ways.push_back({kino::OomRemedy::without_place, 64, {}});
  kino::AutopsyWords words = kino::autopsy_text(snapshot, autopsy);
  CHECK(
      words.lines.back().ends_with("if it were in one piece, would have been enough without the 64 B of no "
                                   "stack"));
  autopsy.ways.push_back({kino::OomRemedy::without_place, 128, {}});
  const std::size_t lines = words.lines.size();
  words = kino::autopsy_text(snapshot, autopsy);
  CHECK(words.lines.size() == lines);
  CHECK(words.lines.back().ends_with("without one of these: the 64 B of no stack; the 128 B of no stack"));
}

TEST_CASE("counts memory pending free as missing, not as free") {
  kino::Snapshot snapshot;
  kino::OomAnalysis autopsy;
  autopsy.ways.push_back({kino::OomRemedy::pending_done, 64, {}});
  const kino::AutopsyWords words = kino::autopsy_text(snapshot, autopsy);
  CHECK(std::ranges::find(words.lines,
                          "The request would have fit if the pending 64 B (in use by another stream) had "
                          "been returned to the "
                          "device") != words.lines.end());
}

TEST_CASE("the summary of an OOM has the line to set, unless it is set already") {
  kino::Snapshot snapshot;
  kino::OomAnalysis autopsy;
  autopsy.ways.push_back({kino::OomRemedy::one_piece, 64, {}});
  autopsy.setting = kino::OomSetting{kino::SettingState::off, "PYTORCH_CUDA_ALLOC_CONF=a:1"};
  kino::AutopsyWords words = kino::autopsy_text(snapshot, autopsy);
  CHECK(words.to_set == "PYTORCH_CUDA_ALLOC_CONF=a:1");
  CHECK(
      std::ranges::find(words.lines,
                        "Enough memory was free in segments of the request's pool and stream (64 B), but in "
                        "pieces (fragmentation)") != words.lines.end());
  CHECK(words.lines.back().find("were disabled in this run. They release free pages before memory runs out. "
                                "To enable them:") != std::string::npos);
  autopsy.setting = kino::OomSetting{kino::SettingState::on, {}};
  words = kino::autopsy_text(snapshot, autopsy);
  CHECK(words.to_set.empty());
  CHECK(words.lines.back().find("were already enabled in this run") != std::string::npos);
  CHECK(kino::settings_words(snapshot) == "not recorded");
  snapshot.settings = {{"PYTORCH_ALLOC_CONF", "a:1"}, {"max_split_size", "-1"}};
  CHECK(kino::settings_words(snapshot) == "PYTORCH_ALLOC_CONF=a:1; max_split_size -1");
}
