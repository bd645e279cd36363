// Covers: allocator_settings, oom_analysis
#include "core/memory/allocator_settings.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/memory/tables/oom_analysis.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::AllocatorSettings;
using kino::ConfOption;
using kino::SettingState;
using kino::Snapshot;
using kino::SnapshotAction;

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
constexpr std::uint64_t kLow = std::uint64_t{1} << 40;

/// A segment with two free blocks that only together are large enough, and an out-of-memory error.
Snapshot fragmented(bool expandable) {
  Snapshot made;
  const auto action = expandable ? SnapshotAction::segment_map : SnapshotAction::segment_alloc;
  constexpr std::int64_t kTime = 0;
  made.devices.push_back(
      kino_test::device_of({{action, kLow, 100 * kMebi, kTime, kino::kNoStack},
                            {SnapshotAction::alloc, kLow + 30 * kMebi, 30 * kMebi, kTime, kino::kNoStack},
                            {SnapshotAction::oom, 0, 60 * kMebi, kTime, kino::kNoStack}}));
  return made;
}

kino::OomSetting setting_of(const Snapshot& snapshot) {
  const auto autopsy = kino::analyze_oom(snapshot, snapshot.devices[0], 2);
  REQUIRE(autopsy.setting.has_value());
  return *autopsy.setting;
}

TEST_CASE("options end at commas outside of lists") {
  const std::vector<ConfOption> options =
      kino::conf_options(" max_split_size_mb:128 , roundup_power2_divisions:[256:1,512:2],,backend:native");
  CHECK(options == std::vector<ConfOption>{{"max_split_size_mb", "128"},
                                           {"roundup_power2_divisions", "[256:1,512:2]"},
                                           {"backend", "native"}});
  CHECK(kino::conf_options("").empty());
  CHECK(kino::conf_options(":,:").empty());
  CHECK(kino::conf_options("a:[1,2").size() == 1);
}

TEST_CASE("the assignment keeps the run's settings in their order") {
  AllocatorSettings settings;
  CHECK(kino::assignment_line(settings, "expandable_segments", "True") ==
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
  settings.variable = "PYTORCH_ALLOC_CONF";
  settings.conf = "max_split_size_mb:128";
  CHECK(kino::assignment_line(settings, "expandable_segments", "True") ==
        "PYTORCH_ALLOC_CONF=max_split_size_mb:128,expandable_segments:True");
  settings.conf = "expandable_segments:False,max_split_size_mb:128,expandable_segments:False";
  CHECK(kino::assignment_line(settings, "expandable_segments", "True") ==
        "PYTORCH_ALLOC_CONF=expandable_segments:True,max_split_size_mb:128");
}

TEST_CASE("quotes shell characters in the assignment") {
  AllocatorSettings settings;
  settings.conf = "roundup_power2_divisions:[256:1,512:2]";
  CHECK(kino::assignment_line(settings, "a", "1") ==
        "PYTORCH_CUDA_ALLOC_CONF='roundup_power2_divisions:[256:1,512:2],a:1'");
  settings.conf = "b:$(rm x)';ls\n\x1b";
  CHECK(kino::assignment_line(settings, "a", "1") == R"(PYTORCH_CUDA_ALLOC_CONF='b:$(rm x)'\'';ls,a:1')");
}

TEST_CASE("settings of a run are those in its file, with the variable that was used") {
  Snapshot snapshot = fragmented(false);
  CHECK_FALSE(kino::allocator_settings(snapshot).recorded);
  CHECK(kino::allocator_settings(snapshot).expandable_segments == SettingState::unknown);
  snapshot.settings = {{"PYTORCH_CUDA_ALLOC_CONF", ""},
                       {"PYTORCH_ALLOC_CONF", "expandable_segments:True"},
                       {"PYTORCH_X; rm ALLOC_CONF", "a:b"}};
  AllocatorSettings settings = kino::allocator_settings(snapshot);
  CHECK(settings.recorded);
  CHECK(settings.variable == "PYTORCH_ALLOC_CONF");
  CHECK(settings.conf == "expandable_segments:True");
  CHECK(settings.expandable_segments == SettingState::on);
  snapshot.settings.emplace_back("expandable_segments", "False");
  CHECK(kino::allocator_settings(snapshot).expandable_segments == SettingState::off);
}

TEST_CASE("a list of zeros is shown as 0") {
  CHECK(kino::setting_text("1: 0, 2: 0, 4: 0") == "0");
  CHECK(kino::setting_text("1: 0, 2: 4, 4: 0") == "1: 0, 2: 4, 4: 0");
  CHECK(kino::setting_text("False") == "False");
  CHECK(kino::setting_text("").empty());
}

TEST_CASE("advises expandable segments against fragmentation, with the run's settings") {
  Snapshot snapshot = fragmented(false);
  CHECK(setting_of(snapshot).expandable_segments == SettingState::unknown);
  CHECK(setting_of(snapshot).line == "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
  snapshot.settings = {{"PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64"}, {"expandable_segments", "False"}};
  CHECK(setting_of(snapshot).expandable_segments == SettingState::off);
  CHECK(setting_of(snapshot).line == "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64,expandable_segments:True");
}

TEST_CASE("does not advise expandable segments if they are on") {
  Snapshot snapshot = fragmented(false);
  snapshot.settings = {{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"}};
  CHECK(setting_of(snapshot).expandable_segments == SettingState::on);
  CHECK(setting_of(snapshot).line.empty());
  // Turned on during the run, or recorded by a version that does not write settings.
  const Snapshot seen = fragmented(true);
  CHECK(setting_of(seen).expandable_segments == SettingState::on);
  CHECK(setting_of(seen).line.empty());
}

}  // namespace
