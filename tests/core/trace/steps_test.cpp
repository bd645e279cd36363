// Covers: steps
#include "core/trace/steps.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/fixtures/event_fixture.hpp"

using kino::EventFixture;
using kino::find_steps;
using kino::Steps;
using kino::TimeRange;
using kino::TrackClass;

namespace {

void add_step(EventFixture& events, int number, std::int64_t start_ns, std::int64_t duration_ns) {
  events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(number), start_ns,
               duration_ns, "1");
}

void add_gpu_step(EventFixture& events, int number, std::int64_t start_ns, std::int64_t duration_ns,
                  const std::string& stream = "7") {
  events.slice(TrackClass::gpu_annotation, "gpu_user_annotation", "ProfilerStep#" + std::to_string(number),
               start_ns, duration_ns, stream);
}

}  // namespace

TEST_CASE("steps are in order, with number, range and the hull of their GPU annotations") {
  EventFixture events;
  add_step(events, 11, 100, 90);
  add_step(events, 10, 0, 100);
  add_gpu_step(events, 10, 40, 100);
  add_gpu_step(events, 10, 30, 50, "8");
  add_gpu_step(events, 9, 0, 10);
  events.op("ProfilerStep#x", 500, 10).op("aten::mm", 600, 10);
  const auto trace = events.build();
  const Steps found = find_steps(*trace);
  REQUIRE(found.steps.size() == 2);
  CHECK(found.steps[0].number == 10);
  CHECK(found.steps[0].range == TimeRange{0, 100});
  CHECK(found.steps[0].gpu_range == TimeRange{30, 140});
  CHECK(found.steps[1].number == 11);
  CHECK_FALSE(found.steps[1].gpu_range.has_value());
  CHECK(found.median_ns == 95);
  CHECK(found.mad_ns == 5);
}

TEST_CASE("a step recorded as operator and annotation is one; a number reused later is another") {
  EventFixture events;
  add_step(events, 1, 0, 100);
  events.op("ProfilerStep#1", 1, 98);
  add_step(events, 1, 1000, 100);
  add_gpu_step(events, 1, 1050, 10);
  const auto trace = events.build();
  const Steps found = find_steps(*trace);
  REQUIRE(found.steps.size() == 2);
  CHECK(found.steps[0].range == TimeRange{0, 100});
  CHECK(trace->slices.duration_ns[kino::index_of(found.steps[0].slice)] == 100);
  CHECK_FALSE(found.steps[0].gpu_range.has_value());
  CHECK(found.steps[1].gpu_range == TimeRange{1050, 1060});
}

TEST_CASE("an outlier is longer than 1.2 medians and than the median plus 3 MAD") {
  const auto outliers = [](const std::vector<std::int64_t>& durations) {
    EventFixture events;
    std::int64_t start = 0;
    for (std::size_t i = 0; i < durations.size(); ++i) {
      add_step(events, static_cast<int>(i), start, durations[i]);
      start += durations[i];
    }
    std::vector<bool> marks;
    for (const kino::Step& step : find_steps(*events.build()).steps) marks.push_back(step.outlier);
    return marks;
  };
  CHECK(outliers({100, 101, 99, 100, 150}) == std::vector<bool>{false, false, false, false, true});
  CHECK(outliers({100, 100, 100, 119}) == std::vector<bool>(4, false));      // not 1.2 medians
  CHECK(outliers({60, 100, 140, 100, 165}) == std::vector<bool>(5, false));  // within 3 MAD
  CHECK(outliers({100}) == std::vector<bool>(1, false));
}

TEST_CASE("steps are found by time and stepped through in both directions") {
  EventFixture events;
  add_step(events, 1, 0, 100);
  add_step(events, 2, 150, 100);
  const auto trace = events.build();
  const Steps found = find_steps(*trace);
  CHECK(found.at(0) == 0);
  CHECK(found.at(99) == 0);
  CHECK(found.at(100) == Steps::kNone);
  CHECK(found.at(150) == 1);
  CHECK(found.next_after(-1) == 0);
  CHECK(found.next_after(0) == 1);
  CHECK(found.next_after(150) == Steps::kNone);
}

TEST_CASE("a trace without steps has none") {
  EventFixture events;
  events.op("aten::mm", 0, 10);
  const Steps found = find_steps(*events.build());
  CHECK(found.steps.empty());
  CHECK(found.median_ns == 0);
  CHECK(found.at(0) == Steps::kNone);
  CHECK(found.next_after(0) == Steps::kNone);
}

TEST_CASE("median, MAD and navigation agree with their definitions on random steps") {
  std::mt19937 random(41);
  for (int round = 0; round < 200; ++round) {
    EventFixture events;
    std::int64_t start = 0;
    const int count = 1 + static_cast<int>(random() % 9);
    std::vector<std::int64_t> durations;
    for (int i = 0; i < count; ++i) {
      durations.push_back(1 + static_cast<std::int64_t>(random() % 50));
      add_step(events, i, start, durations.back());
      start += durations.back() + static_cast<std::int64_t>(random() % 5);
    }
    const Steps found = find_steps(*events.build());
    REQUIRE(static_cast<int>(found.steps.size()) == count);
    const auto median = [](std::vector<std::int64_t> values) {
      std::sort(values.begin(), values.end());
      const std::size_t n = values.size();
      return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
    };
    REQUIRE(found.median_ns == median(durations));
    for (auto& duration : durations) duration = std::abs(duration - found.median_ns);
    REQUIRE(found.mad_ns == median(durations));
    for (std::int64_t time = -2; time < start + 2; ++time) {
      std::size_t at = Steps::kNone;
      std::size_t next = Steps::kNone;
      for (std::size_t i = 0; i < found.steps.size(); ++i) {
        const TimeRange range = found.steps[i].range;
        if (range.begin_ns <= time && time < range.end_ns) at = i;
        if (range.begin_ns > time && next == Steps::kNone) next = i;
      }
      REQUIRE(found.at(time) == at);
      REQUIRE(found.next_after(time) == next);
    }
  }
}
