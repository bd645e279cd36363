// Covers: allocation_classifier, recorded_classifier, pre_recording_classifier, phase_windows, stack_facts, inferred_steps
// Categories, phases, steps and layers of real snapshots, compared with an independent implementation.
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/memory/categories/allocation_classifier.hpp"
#include "core/memory/categories/inferred_steps.hpp"
#include "core/memory/snapshot.hpp"
#include "loaders/formats/open.hpp"
#include "tests/fixtures/real_data.hpp"

namespace {

using Json = nlohmann::json;
using kino::Snapshot;

std::shared_ptr<const Snapshot> opened(const std::filesystem::path& path) {
  kino::LoadProgress progress;
  const auto made = kino::open_snapshot(path, kino::OpenOptions{}, progress, {});
  REQUIRE_MESSAGE(made.ok(), path.string());
  return made.value().snapshot;
}

/// {category: [bytes, count, {sureness: bytes}]} of the allocations that are live after `event`.
Json sums_at(const kino::SnapshotDevice& device, const kino::AllocationClassifier& meaning,
             kino::EventIndex event) {
  Json sums = Json::object();
  for (const kino::AllocationId id : kino::live_at(device.history, event)) {
    const auto i = static_cast<std::size_t>(id);
    const std::uint64_t bytes = device.history.allocations.size[i];
    Json& sum = sums[std::string(kino::english(text_of(meaning.category[i])))];
    if (sum.is_null()) sum = {0, 0, Json::object()};
    sum[0] = sum[0].get<std::uint64_t>() + bytes;
    sum[1] = sum[1].get<std::uint64_t>() + 1;
    Json& sure = sum[2][std::string(kino::english(text_of(meaning.sure[i])))];
    sure = (sure.is_null() ? 0 : sure.get<std::uint64_t>()) + bytes;
  }
  return sums;
}

void check_steps(const Snapshot& snapshot, std::size_t index, const kino::AllocationClassifier& meaning,
                 const Json& golden) {
  const kino::InferredSteps steps = kino::inferred_steps(snapshot, index, meaning.phases, meaning.facts);
  CHECK(steps.by == (golden["by"].is_null() ? "" : golden["by"].get<std::string>()));
  CHECK(steps.ends.size() == golden["count"].get<std::size_t>());
  CHECK(kino::english(text_of(steps.sure)) == golden["sure"].get<std::string>());
  const auto ends = golden["ends"].get<std::vector<kino::EventIndex>>();  // the first twenty
  REQUIRE(steps.ends.size() >= ends.size());
  CHECK(std::equal(ends.begin(), ends.end(), steps.ends.begin()));
}

void check_categories_of_device(const Snapshot& snapshot, std::size_t index, const Json& golden) {
  const kino::SnapshotDevice& device = snapshot.devices[index];
  const kino::AllocationClassifier meaning = kino::memory_meaning(snapshot, index, kino::ByteUnits::decimal);
  Json phases = Json::object();
  for (const kino::PhaseWindow& window : meaning.phases.windows()) {
    Json& count = phases[std::string(text_of(window.phase))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  CHECK(phases == golden["phases"]);
  CHECK(meaning.modules.layers == (golden["layers"].is_null() ? 0 : golden["layers"]["count"].get<int>()));
  const Json reference = golden["reference"];
  CHECK(meaning.reference.from == (reference.is_null() ? "" : reference["from"].get<std::string>()));
  if (!reference.is_null()) {
    CHECK(kino::tensor_sizes_of(meaning.reference.sizes) == reference["tensors"].get<std::uint64_t>());
    CHECK(kino::bytes_of(meaning.reference.sizes) == reference["bytes"].get<std::uint64_t>());
  }
  check_steps(snapshot, index, meaning, golden["steps"]);
  const kino::EventIndex peak = device.history.curve(kino::MemoryCurve::requested).peak.event;
  const auto last = static_cast<kino::EventIndex>(device.entries.entry_count()) - 1;
  CHECK(sums_at(device, meaning, peak) == golden["at_peak"]);
  CHECK(sums_at(device, meaning, last) == golden["at_end"]);
}

}  // namespace

TEST_CASE("categories of real snapshots equal an independent implementation, byte for byte" *
          doctest::test_suite("serial")) {
  const auto path = kino_test::real_data("golden/memory/categories_open.json");
  if (!path) return;
  std::ifstream in(*path);
  const Json goldens = Json::parse(in);
  std::size_t devices = 0;
  for (const auto& [name, golden] : goldens.items()) {
    const auto file = kino_test::real_data("snapshot/" + name);
    if (!file) continue;
    CAPTURE(name);
    const auto snapshot = opened(*file);
    for (const Json& of : golden["devices"]) {
      std::optional<std::size_t> index;
      for (std::size_t i = 0; i < snapshot->devices.size(); ++i)
        if (snapshot->devices[i].ordinal == of["device"].get<int>()) index = i;
      REQUIRE(index);
      check_categories_of_device(*snapshot, *index, of);
      ++devices;
    }
  }
  CHECK(devices == 33);
}
