// Covers: step_choice, trace_summary, run_record
// One choice of steps for all figures, and all pages with means of steps use it.
#include "core/tables/gpu/step_choice.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/compare/run_record.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::StepUse;
using kino::TrackClass;

constexpr std::int64_t kStepNs = 1000;

/// Steps 5, 6, ... of 1 us with one kernel of 100 ns each. The first is 500 ns longer and has `before_ns` of
/// a kernel that was launched before the recording.
std::shared_ptr<const kino::Trace> steps(int count, std::int64_t before_ns, bool stub = false) {
  EventFixture events;
  std::int64_t at_ns = 0;
  for (int i = 0; i < count; ++i) {
    const std::int64_t length_ns = i == 0 ? kStepNs + 500 : kStepNs;
    const auto correlation = static_cast<std::uint32_t>(i + 1);
    events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(5 + i), at_ns,
                 length_ns, "1");
    events.launch(at_ns + 500, 10, correlation).kernel("gemm", at_ns + 600, 100, correlation);
    at_ns += length_ns;
  }
  if (before_ns > 0) events.kernel("gemm", 100, before_ns);
  if (stub)
    events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(5 + count), at_ns, 17,
                 "1");
  return events.build();
}

std::vector<StepUse> uses_of(const kino::Trace& trace) {
  return kino::choose_steps(trace, kino::find_steps(trace)).uses;
}

std::vector<std::string> names_of(const kino::RunRecord& record) {
  std::vector<std::string> names;
  for (const kino::RunWindow& window : record.windows) names.push_back(window.name);
  return names;
}

kino::RunRecord record_of(const kino::Trace& trace, const kino::RunSelection& selection) {
  return kino::run_record(trace, kino::TimeAttribution(trace), selection);
}

double mean_step(const kino::Trace& trace) {
  const kino::Table table = kino::summary_table(
      trace,
      kino::summarize_trace(kino::RangeAnalysis(trace, kino::whole_range(trace)), kino::ByteUnits::decimal),
      kino::ByteUnits::decimal);
  const auto& items = std::get<kino::TableColumn::Texts>(table.find("item")->values);
  const auto row = std::ranges::find(items, "mean step") - items.begin();
  return std::get<kino::TableColumn::Numbers>(table.find("value")->values)[static_cast<std::size_t>(row)];
}

}  // namespace

TEST_CASE("omits a first step with earlier work if four others remain") {
  const auto trace = steps(5, 50);
  CHECK(uses_of(*trace) ==
        std::vector{StepUse::cut, StepUse::used, StepUse::used, StepUse::used, StepUse::used});
  const auto few = steps(4, 50);
  CHECK(uses_of(*few) == std::vector{StepUse::used_though_cut, StepUse::used, StepUse::used, StepUse::used});
  const auto whole = steps(5, 0);
  CHECK(uses_of(*whole) == std::vector(5, StepUse::used));
}

TEST_CASE("considers a first step cut if it is one point above every other step") {
  // 1 of 101 ns is 0.99 %, 2 of 102 ns are 1.96 %.
  CHECK(uses_of(*steps(6, 1)).front() == StepUse::used);
  CHECK(uses_of(*steps(6, 2)).front() == StepUse::cut);
  // A later step without launches is as cut as the first.
  EventFixture events;
  for (int i = 0; i < 6; ++i) {
    events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(i), i * kStepNs,
                 kStepNs, "1");
    events.launch(i * kStepNs + 10, 10, static_cast<std::uint32_t>(i + 1))
        .kernel("gemm", i * kStepNs + 100, 100, static_cast<std::uint32_t>(i == 0 || i == 3 ? 99 : i + 1));
  }
  CHECK(uses_of(*events.build()) == std::vector(6, StepUse::used));
}

TEST_CASE("counts the part of earlier work within the first step") {
  EventFixture events;
  for (int i = 0; i < 6; ++i) {
    events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(i), 1000 + i * kStepNs,
                 kStepNs, "1");
    events.launch(1010 + i * kStepNs, 10, static_cast<std::uint32_t>(i + 1))
        .kernel("gemm", 1500 + i * kStepNs, 100, static_cast<std::uint32_t>(i + 1));
  }
  const auto trace = events.kernel("before", 0, 1100).build();
  const kino::StepChoice choice = kino::choose_steps(*trace, kino::find_steps(*trace));
  CHECK(choice.unlaunched[0] == doctest::Approx(0.5));
  CHECK(choice.uses[0] == StepUse::cut);
}

TEST_CASE("omits a stub before judging the first step, and notes the reason") {
  const auto trace = steps(5, 50, true);
  const kino::StepChoice choice = kino::choose_steps(*trace, kino::find_steps(*trace));
  CHECK(choice.uses.front() == StepUse::cut);
  CHECK(choice.uses.back() == StepUse::stub);
  const std::vector<std::string> names{"5", "6", "7", "8", "9", "10"};
  CHECK(
      kino::english_texts(kino::step_notes(choice, names)) ==
      std::vector<std::string>{
          "Step 5 is excluded, because the launches of 33.3 % of its GPU time are not in the trace (other steps: 0.0 %).",
          "Step 10 is excluded, because much less GPU work starts in it than in other steps."});
  const auto few = steps(4, 50);
  CHECK(
      kino::english_texts(kino::step_notes(kino::choose_steps(*few, kino::find_steps(*few)), names)) ==
      std::vector<std::string>{
          "Step 5 is included, although the launches of 33.3 % of its GPU time are not in the trace. Only 3 "
          "other steps remain. A step is excluded only if at least 4 others remain."});
}

TEST_CASE("names all cut steps at the begin, though only the first may be omitted") {
  // The GPU lags: `unlaunched` tenths of each step's GPU time were launched before the recording.
  const auto choice_of = [](const std::vector<int>& unlaunched) {
    EventFixture events;
    for (std::size_t i = 0; i < unlaunched.size(); ++i) {
      const std::int64_t at_ns = static_cast<std::int64_t>(i) * kStepNs;
      events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(i), at_ns, kStepNs,
                   "1");
      for (int k = 0; k < 10; ++k) {
        const auto correlation = static_cast<std::uint32_t>(10 * i) + static_cast<std::uint32_t>(k) + 1;
        if (k >= unlaunched[i]) events.launch(at_ns + 5 * k, 1, correlation);
        events.kernel("gemm", at_ns + 100 + 50 * k, 10, k >= unlaunched[i] ? correlation : 0);
      }
    }
    const auto trace = events.build();
    return kino::choose_steps(*trace, kino::find_steps(*trace));
  };
  const std::vector<std::string> names{"15", "16", "17", "18", "19", "20", "21"};
  const kino::StepChoice few = choice_of({10, 8, 0});
  CHECK(few.uses == std::vector{StepUse::used_though_cut, StepUse::used_though_cut, StepUse::used});
  CHECK(
      kino::english_texts(kino::step_notes(few, names)) ==
      std::vector<std::string>{
          "2 steps (15, 16) are included, although the launches of 80.0 % to 100 % of their GPU time are "
          "not in the trace. There are only 3 steps. A step is excluded only if at least 4 others remain."});
  const kino::StepChoice many = choice_of({10, 8, 6, 0, 1, 0, 0});
  CHECK(many.uses == std::vector{StepUse::cut, StepUse::used_though_cut, StepUse::used_though_cut,
                                 StepUse::used, StepUse::used, StepUse::used, StepUse::used});
  CHECK(
      kino::step_notes(many, names).back() ==
      "2 steps (16, 17) are included, although the launches of 60.0 % to 80.0 % of their GPU time are not in "
      "the trace. Only the first such step is excluded.");
  const kino::StepChoice second = choice_of({10, 8, 0, 0, 0});
  CHECK(kino::step_notes(second, names).back() ==
        "Step 16 is included, although the launches of 80.0 % of its GPU time are not in the trace. Only the "
        "first such step is excluded.");
}

TEST_CASE("uses the same steps for summary, mean step, comparison and gate") {
  const auto trace = steps(6, 50, true);
  const kino::RunRecord record = record_of(*trace, {});
  CHECK(names_of(record) == std::vector<std::string>{"6", "7", "8", "9", "10"});
  CHECK(record.first_left_out == 1);
  CHECK(record.stubs_left_out == 1);
  CHECK(record.step_notes.size() == 2);
  const kino::TimeBase base = kino::RangeAnalysis(*trace, kino::whole_range(*trace)).base();
  CHECK(base.steps == record.windows.size());
  CHECK(base.brief() == "5 steps with their GPU work");
  CHECK(base.window.begin_ns == record.windows.front().range.begin_ns);
  CHECK(base.window.end_ns == record.windows.back().range.end_ns);
  CHECK(base.notes == record.step_notes);
  CHECK(mean_step(*trace) == kStepNs);
}

TEST_CASE("lists steps by number, and consecutive ones by their ends") {
  const auto listed = [](const std::vector<std::string>& names) { return kino::listed_steps(names); };
  CHECK(listed({}).empty());
  CHECK(listed({"7"}) == "#7");
  CHECK(listed({"7", "8"}) == "#7 to #8");
  CHECK(listed({"7", "8", "9"}) == "#7 to #9");
  CHECK(listed({"3", "5", "6", "7", "9", "10"}) == "#3, #5\xE2\x80\x93#7, #9, #10");
  CHECK(listed({"10", "20", "30", "40", "50", "60", "70"}) == "#10, #20, #30, #40, #50, #60, ...");
  CHECK(listed({"9223372036854775807", "-9223372036854775808"}) ==
        "#9223372036854775807, #-9223372036854775808");
}

TEST_CASE("keeps steps named by the user, except stubs") {
  const auto trace = steps(6, 50, true);
  kino::RunSelection selection;
  selection.first_step = 0;
  const kino::RunRecord all = record_of(*trace, selection);
  CHECK(names_of(all) == std::vector<std::string>{"5", "6", "7", "8", "9", "10"});
  CHECK(all.first_left_out == 0);
  CHECK(all.stubs_left_out == 1);
  selection.end_step = 5;
  CHECK(names_of(record_of(*trace, selection)) == std::vector<std::string>{"5", "6", "7", "8", "9"});
  kino::RunSelection last;
  last.drop_last = true;
  CHECK(names_of(record_of(*trace, last)) == std::vector<std::string>{"6", "7", "8", "9", "10"});
}

TEST_CASE("uses all steps of a trace without GPU work") {
  EventFixture events;
  for (int i = 0; i < 5; ++i) {
    events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(i), i * kStepNs,
                 kStepNs, "1");
  }
  CHECK(uses_of(*events.op("aten::mm", 10, 20).build()) == std::vector(5, StepUse::used));
}
