// Covers: what_if_reports
#include "core/memory/allocator/what_if_reports.hpp"

#include <doctest/doctest.h>

#include "core/memory/allocator/allocator_proof.hpp"
#include "tests/fixtures/replayed_recording.hpp"

namespace {

using kino::AllocatorRules;
using kino::WhatIfReport;
using kino::WhatIfSetting;

constexpr std::uint64_t kAnswerMib = kino_test::kReplayedMib;

WhatIfReport answer_of(std::uint64_t peak, bool runs_out = false) {
  WhatIfReport answer;
  answer.result.peak_reserved = peak;
  if (runs_out) answer.result.oom.emplace();
  return answer;
}

}  // namespace

TEST_CASE("suggested settings are distinct and have an effect") {
  for (const bool expandable : {false, true}) {
    AllocatorRules baseline;
    baseline.expandable = expandable;
    for (const auto& settings : {kino::usual_settings(baseline), kino::searched_settings(baseline)}) {
      CHECK(settings.size() >= 8);
      CHECK(settings.size() <= 28);
      for (std::size_t i = 0; i < settings.size(); ++i) {
        CHECK(settings[i].rules != baseline);
        // The text of a setting has the effect of its rules.
        CHECK(kino::rules_with(baseline, settings[i].conf).value() == settings[i].rules);
        for (std::size_t j = 0; j < i; ++j) CHECK(settings[i].rules != settings[j].rules);
      }
    }
  }
  AllocatorRules split;
  split.max_split = 128 * kAnswerMib;
  for (const WhatIfSetting& setting : kino::usual_settings(split))
    CHECK(setting.conf != "max_split_size_mb:128");
}

TEST_CASE("a split limit turns expandable segments off, unless they are requested") {
  AllocatorRules expandable;
  expandable.expandable = true;
  const auto split = kino::setting_of(expandable, "max_split_size_mb=64");
  REQUIRE(split.ok());
  CHECK(split.value().conf == "expandable_segments:False,max_split_size_mb:64");
  CHECK_FALSE(split.value().rules.expandable);
  CHECK(
      kino::setting_of(expandable, "max_split_size_mb:64,expandable_segments:True").value().rules.expandable);
  CHECK(kino::setting_of({}, "max_split_size_mb:64").value().conf == "max_split_size_mb:64");
  CHECK_FALSE(kino::setting_of({}, "max_split_size_mb:7").ok());
}

TEST_CASE("a garbage collection threshold is relative to the capacity if there is no limit") {
  AllocatorRules baseline;
  CHECK(kino::setting_of(baseline, "garbage_collection_threshold:0.8").value().rules.limit ==
        kino::kUnlimitedBytes);
  baseline.capacity = 100 * kAnswerMib;
  CHECK(kino::setting_of(baseline, "garbage_collection_threshold:0.8").value().rules.limit ==
        100 * kAnswerMib);
  CHECK(kino::setting_of(baseline, "garbage_collection_threshold:0.8,limit_mb:50").value().rules.limit ==
        50 * kAnswerMib);
  CHECK(kino::setting_of(baseline, "expandable_segments:True").value().rules.limit == kino::kUnlimitedBytes);
}

TEST_CASE("the best setting reserves the least memory, at least 1 % less, and does not run out of memory") {
  using Answers = std::vector<WhatIfReport>;
  CHECK(kino::best_answer({}) == std::nullopt);
  CHECK(kino::best_answer(Answers{answer_of(1000)}) == std::nullopt);
  CHECK(kino::best_answer(Answers{answer_of(1000), answer_of(995)}) == std::nullopt);
  CHECK(kino::best_answer(Answers{answer_of(1000), answer_of(980), answer_of(970)}) == 2);
  CHECK(kino::best_answer(Answers{answer_of(1000), answer_of(500, true), answer_of(990)}) == 2);
  // If the recorded settings run out of memory, every setting that fits is better.
  CHECK(kino::best_answer(Answers{answer_of(1000, true), answer_of(1200), answer_of(1100)}) == 2);
  Answers failed{answer_of(1000), answer_of(500), answer_of(1100)};
  failed[0].ooms.push_back({true, false, 0});
  failed[1].ooms.push_back({true, false, 0});
  failed[2].ooms.push_back({true, true, 0});
  CHECK(kino::best_answer(failed) == 2);
}

TEST_CASE("the assignment of a setting keeps the run's settings and omits capacities") {
  kino::AllocatorSettings recorded;
  recorded.conf = "max_split_size_mb:64,pinned_use_background_threads:True";
  CHECK(kino::line_of(recorded, {"expandable_segments:True,max_split_size_mb:128,capacity_mb:1024", {}}) ==
        "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128,pinned_use_background_threads:True,"
        "expandable_segments:True");
  CHECK(kino::line_of(recorded, {"capacity_mb:1024", {}}).empty());
  CHECK(kino::line_of(recorded, {}).empty());
}

TEST_CASE("the curve has reserved memory from each change on, and ends where memory runs out") {
  const kino::Snapshot snapshot = kino_test::replayed_recording();
  const auto proved = kino::proved_allocator(snapshot, 0);
  REQUIRE(proved->refused().empty());
  const kino::ReservedCurve curve = kino::reserved_curve(proved->trace, proved->trace.rules);
  CHECK(curve.events == std::vector<kino::EventIndex>{kino::kBeforeRecording, 1, 7});
  CHECK(curve.bytes == std::vector<std::uint64_t>{0, 20 * kAnswerMib, 50 * kAnswerMib});
  CHECK(curve.end == kino::kNever);
  AllocatorRules small = proved->trace.rules;
  small.capacity = 30 * kAnswerMib;
  const kino::ReservedCurve cut = kino::reserved_curve(proved->trace, small);
  CHECK(cut.end == 7);
  CHECK(cut.bytes.back() == 20 * kAnswerMib);
  const WhatIfReport answer = kino::answer_setting(proved->trace, {}, {{}, small});
  REQUIRE(answer.result.oom);
  CHECK(answer.other_way_oom);
}

TEST_CASE("a replay without one request makes all other requests") {
  const kino::Snapshot snapshot = kino_test::replayed_recording();
  const auto proved = kino::proved_allocator(snapshot, 0);
  const kino::AllocatorTrace& trace = proved->trace;
  // The last allocation has 30 MiB.
  std::vector<bool> without(trace.requests.size());
  without[trace.request_of.back()] = true;
  const kino::WhatIfOptions options{kino::WhatIfStart::fresh, true, &without};
  CHECK(kino::what_if(trace, trace.rules, options).peak_reserved == 20 * kAnswerMib);
  std::vector<bool> none(trace.requests.size(), true);
  CHECK(kino::what_if(trace, trace.rules, {kino::WhatIfStart::fresh, true, &none}).peak_reserved == 0);
}

TEST_CASE("a replay can free memory that the recording keeps, and request it again") {
  const kino::Snapshot snapshot = kino_test::replayed_recording();
  const auto proved = kino::proved_allocator(snapshot, 0);
  const kino::AllocatorTrace& trace = proved->trace;
  // The second allocation of 4 MiB; event 7 is the last one of 30 MiB.
  const std::uint32_t second = trace.request_of[1];
  kino::WhatIfOptions options{kino::WhatIfStart::fresh, true};
  CHECK(kino::what_if(trace, trace.rules, options).peak_active == 36 * kAnswerMib);
  std::vector<kino::WhatIfEdit> edits{{5, second, false}};
  options.edits = &edits;
  CHECK(kino::what_if(trace, trace.rules, options).peak_active == 32 * kAnswerMib);
  CHECK(kino::what_if(trace, trace.rules, options).end_active == 32 * kAnswerMib);
  edits.push_back({7, second, true});
  CHECK(kino::what_if(trace, trace.rules, options).peak_active == 36 * kAnswerMib);
  // Freed before it was allocated: no effect.
  edits = {{0, second, false}};
  CHECK(kino::what_if(trace, trace.rules, options).peak_active == 36 * kAnswerMib);
}
