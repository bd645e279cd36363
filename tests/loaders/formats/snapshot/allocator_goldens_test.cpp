// Covers: allocator_proof, allocator_trace, allocator_what_if
// The allocator's model on real snapshots, against an independent implementation: proofs, settings, OOMs.
#include <fstream>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/memory/allocator/allocator_proof.hpp"
#include "core/memory/allocator/allocator_what_if.hpp"
#include "loaders/formats/open.hpp"
#include "tests/fixtures/real_data.hpp"
#include "tests/fixtures/sha256.hpp"

namespace {

using Json = nlohmann::json;
using kino::AllocatorRules;
using kino::AllocatorTrace;

template <class Value>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

std::string digest_of(const std::vector<std::uint64_t>& curve) {
  std::string text;
  for (const std::uint64_t value : curve) text += (text.empty() ? "" : "\n") + std::to_string(value);
  return kino_test::sha256(text, 16);
}

/// A row in the form of the golden files.
Json row_of(const kino::WhatIfResult& made, const std::vector<std::uint64_t>& curve) {
  const bool began = made.start_reserved.has_value();
  Json row = {json_of(made.start_reserved),
              began ? Json(made.peak_reserved) : Json(-1),
              began ? Json(made.peak_event) : Json(0),
              made.active_at_peak,
              made.peak_active,
              made.end_reserved,
              made.end_active,
              made.free.free,
              made.free.releasable,
              made.free.largest,
              made.counts.device_calls,
              made.counts.retries,
              made.counts.garbage_collected,
              digest_of(curve)};
  if (made.oom) {
    row.push_back({{"active", made.oom->active},
                   {"event", made.oom->event},
                   {"free", made.oom->free},
                   {"largest_free", made.oom->largest_free},
                   {"reserved", made.oom->reserved},
                   {"size", made.oom->rounded_bytes}});
  }
  return row;
}

/// The settings in a golden's name: "capacity_80_expandable".
AllocatorRules rules_named(const std::string& name, const AllocatorTrace& trace,
                           const kino::CapacityBounds& bounds) {
  AllocatorRules rules = trace.rules;
  const auto number_behind = [&](const char* words) -> std::optional<double> {
    if (!name.starts_with(words)) return std::nullopt;
    return std::stod(name.substr(std::string(words).size()));
  };
  if (name == "recorded_capacity_low") rules.capacity = bounds.low;
  if (name == "recorded_capacity_high") rules.capacity = bounds.high.value();
  if (name == "recorded_capacity_from_oom") rules.capacity = bounds.from_oom.value();
  if (name == "expandable_on" || name.ends_with("_expandable")) rules.expandable = true;
  if (name == "expandable_off") rules.expandable = false;
  if (const auto mebis = number_behind("max_split_")) {
    rules.expandable = false;
    rules.max_split = static_cast<std::uint64_t>(*mebis) << 20U;
  }
  if (const auto threshold = number_behind("gc_")) {
    rules.expandable = false;
    rules.garbage_threshold = *threshold;
    rules.limit = trace.recorded_peak;
  }
  if (const auto divisions = number_behind("roundup_"))
    rules.divisions.fill(static_cast<std::uint32_t>(*divisions));
  if (const auto mebis = number_behind("large_segment_"))
    rules.large_segment = rules.max_non_split_rounding = static_cast<std::uint64_t>(*mebis) << 20U;
  if (name.starts_with("capacity_")) {
    const auto percent = static_cast<std::uint64_t>(std::stod(name.substr(9)));
    rules.capacity = trace.recorded_peak * percent / 100 >> 21U << 21U;
  }
  return rules;
}

void check_proof(const kino::ProvedAllocator& proved, const Json& golden) {
  const AllocatorTrace& trace = proved.trace;
  const kino::AllocatorProof& proof = proved.proof;
  std::string verdict = !trace.refused.empty() ? "nothing to replay" : "not reproducible";
  if (proof.exact) verdict = trace.problems.empty() ? "exact" : "exact, with warnings";
  CHECK(verdict == golden["verdict"].get<std::string>());
  if (!golden.contains("verify")) return;
  const Json& verify = golden["verify"];
  CHECK(proof.driver_calls == verify["driver_calls_recorded"].get<std::uint64_t>());
  CHECK(trace.start_reserved == golden["start"]["reserved"].get<std::uint64_t>());
  CHECK(trace.start_active == golden["start"]["active"].get<std::uint64_t>());
  CHECK(trace.older == golden["start"]["blocks"].get<std::uint32_t>());
  CHECK(trace.ambiguous == golden["start"]["ambiguous"].get<std::uint64_t>());
  Json releases = Json::array();
  for (const kino::ReleaseRun& run : trace.releases)
    releases.push_back({run.begin, run.count, run.by_user ? "user" : "retry"});
  CHECK(releases == golden["release_runs"]);
  if (!proof.exact) return;
  CHECK(proof.same_address == verify["same_address"].get<std::uint64_t>());
  CHECK(proof.driver_calls_equal == verify["driver_calls_equal"].get<std::uint64_t>());
  CHECK(proof.released_equal == verify["released_equal"].get<std::uint64_t>());
  CHECK(proof.checked == verify["checked_events"].get<std::uint64_t>());
  CHECK(proof.reserved_equal == verify["reserved_equal"].get<std::uint64_t>());
  CHECK(proof.final_blocks == verify["final_blocks"].get<std::uint64_t>());
  CHECK(proof.final_blocks_equal == verify["final_blocks_equal"].get<std::uint64_t>());
}

void check_what_ifs(const AllocatorTrace& trace, const kino::CapacityBounds& bounds, const Json& golden) {
  for (const auto& [name, row] : golden.items()) {
    CAPTURE(name);
    const std::size_t slash = name.find('/');
    const bool keep = name.substr(slash + 1) == "keep";
    std::vector<std::uint64_t> curve;
    const kino::WhatIfResult made =
        kino::what_if(trace, rules_named(name.substr(0, slash), trace, bounds),
                      {keep ? kino::WhatIfStart::keep : kino::WhatIfStart::fresh, trace.downwards}, &curve);
    CHECK(row_of(made, curve) == row);
  }
}

/// "expandable_on/fresh/capacity_23561895936": the model's results for the failed requests.
void check_ooms(const AllocatorTrace& trace, const kino::CapacityBounds& bounds, const Json& golden) {
  for (const auto& [name, of] : golden.items()) {
    if (name == "events") continue;
    CAPTURE(name);
    AllocatorRules rules = rules_named(name.substr(0, name.find('/')), trace, bounds);
    rules.capacity = std::stoull(name.substr(name.rfind('_') + 1));
    for (std::size_t i = 0; i < of["recorded"].size(); ++i) {
      const Json& recorded = of["recorded"][i];
      const kino::OomResult answer = kino::compute_oom(trace, rules, i);
      CHECK(answer.fits == (recorded[2] != "oom"));
      if (!answer.fits && answer.reached) CHECK(answer.reserved == recorded[3].get<std::uint64_t>());
    }
  }
}

void check_device(const kino::Snapshot& snapshot, std::size_t index, const Json& golden) {
  const auto proved = kino::proved_allocator(snapshot, index);
  check_proof(*proved, golden);
  if (!proved->proof.exact || !golden.contains("whatif")) return;
  const AllocatorTrace& trace = proved->trace;
  const kino::CapacityBounds bounds = kino::capacity_bounds(snapshot, index, trace);
  CHECK(bounds.low == golden["capacity_bounds"]["low"].get<std::uint64_t>());
  CHECK(json_of(bounds.high) == golden["capacity_bounds"]["high"]);
  CHECK(json_of(bounds.from_oom) == golden["capacity_bounds"]["from_oom"]);
  check_what_ifs(trace, bounds, golden["whatif"]);
  if (golden.contains("recorded_oom")) check_ooms(trace, bounds, golden["recorded_oom"]);
  if (trace.ops.size() > 8000) return;  // each has about twenty runs
  for (const auto& [name, least] : golden["min_capacity_fresh"].items()) {
    CAPTURE(name);
    const AllocatorRules rules = rules_named(name, trace, bounds);
    CHECK(kino::least_capacity(trace, rules, {kino::WhatIfStart::fresh, trace.downwards}) ==
          least.get<std::uint64_t>());
  }
}

std::shared_ptr<const kino::Snapshot> snapshot_at(const std::filesystem::path& path) {
  kino::LoadProgress progress;
  const auto made = kino::open_snapshot(path, kino::OpenOptions{}, progress, {});
  REQUIRE_MESSAGE(made.ok(), path.string());
  return made.value().snapshot;
}

}  // namespace

TEST_CASE("the model reproduces real recordings, and agrees with an independent implementation" *
          doctest::test_suite("serial")) {
  const auto path = kino_test::real_data("golden/memory/allocator_open.json");
  if (!path) return;
  std::ifstream in(*path);
  const Json goldens = Json::parse(in);
  std::size_t devices = 0;
  for (const auto& [name, golden] : goldens["files"].items()) {
    const auto file = kino_test::real_data("snapshot/" + name);
    if (!file || !golden.contains("devices")) continue;
    CAPTURE(name);
    const auto snapshot = snapshot_at(*file);
    for (const auto& [ordinal, of] : golden["devices"].items()) {
      CAPTURE(ordinal);
      for (std::size_t i = 0; i < snapshot->devices.size(); ++i) {
        if (std::to_string(snapshot->devices[i].ordinal) != ordinal) continue;
        check_device(*snapshot, i, of);
        ++devices;
      }
    }
  }
  CHECK(devices == 30);
}

TEST_CASE("runs with expandable segments off and on predict each other to the byte" *
          doctest::test_suite("serial")) {
  const auto path = kino_test::real_data("golden/memory/allocator_open.json");
  if (!path) return;
  std::ifstream in(*path);
  const Json goldens = Json::parse(in);
  for (const Json& pair : goldens["pairs"]) {
    const auto off_file = kino_test::real_data("snapshot/" + pair["expandable_off_file"].get<std::string>());
    const auto on_file = kino_test::real_data("snapshot/" + pair["expandable_on_file"].get<std::string>());
    if (!off_file || !on_file) continue;
    const auto predicted = [](const kino::Snapshot& snapshot, bool expandable) {
      const auto proved = kino::proved_allocator(snapshot, 0);
      REQUIRE(proved->proof.exact);
      AllocatorRules rules = proved->trace.rules;
      CHECK(rules.expandable != expandable);
      rules.expandable = expandable;
      return kino::what_if(proved->trace, rules, {kino::WhatIfStart::fresh, proved->trace.downwards})
          .peak_reserved;
    };
    const auto off = snapshot_at(*off_file);
    const auto on = snapshot_at(*on_file);
    CHECK(predicted(*off, true) == pair["recorded_peak"]["on"].get<std::uint64_t>());
    CHECK(predicted(*on, false) == pair["recorded_peak"]["off"].get<std::uint64_t>());
  }
}
