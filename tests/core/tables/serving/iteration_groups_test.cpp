// Covers: iteration_groups
#include "core/tables/serving/iteration_groups.hpp"

#include <limits>

#include <doctest/doctest.h>

using namespace kino;

namespace {

Iteration generating(IterationPhase phase, std::int64_t requests, std::int64_t begin_ns,
                     std::int64_t length_ns) {
  Iteration iteration;
  iteration.phase = phase;
  iteration.sizes = {0, 0, requests, requests, std::nullopt};
  iteration.window = TimeRange{begin_ns, begin_ns + length_ns};
  iteration.times[IterationPart::matrix] = length_ns;
  return iteration;
}

Iteration decode(std::int64_t begin_ns, std::int64_t length_ns) {
  return generating(IterationPhase::decode, 5, begin_ns, length_ns);
}

std::vector<Iteration> decodes(const std::vector<std::int64_t>& lengths) {
  std::vector<Iteration> list;
  std::int64_t begin_ns = 0;
  for (const std::int64_t length_ns : lengths) {
    list.push_back(decode(begin_ns, length_ns));
    begin_ns += length_ns;
  }
  return list;
}

}  // namespace

TEST_CASE("requests are rounded up to a power of two, and prefill counts its own") {
  std::vector<Iteration> list = decodes({100});
  Iteration prefill = generating(IterationPhase::prefill, 0, 100, 300);
  prefill.sizes.context = 3;
  prefill.sizes.context_tokens = 600;
  list.push_back(prefill);
  const std::vector<IterationGroup> groups = group_iterations(list, false);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].phase == IterationPhase::prefill);  // more time
  CHECK(groups[0].batch == 4);
  CHECK(groups[0].prefilled_per_s() == 2'000'000'000);
  CHECK(groups[1].batch == 8);
  CHECK(groups[1].generated == 5);
  CHECK(groups[1].generated_per_s() == 50'000'000);
}

TEST_CASE("slow iterations before the steady state are left out") {
  std::vector<Iteration> list = decodes({300, 200, 100, 101, 99, 100, 100, 100, 100});
  const std::vector<IterationGroup> groups = group_iterations(list, false);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].steady_from == 2);
  CHECK(groups[0].windows.count == 7);
  CHECK(groups[0].iterations == 9);
  CHECK(list[1].left_out == LeftOut::warm_up);
  CHECK(list[1].steady_ns == 100);
  CHECK(list[2].left_out == LeftOut::none);
}

TEST_CASE("fast iterations at the begin are no warm-up") {
  std::vector<Iteration> list = decodes({50, 50, 60, 80, 100, 100, 100, 100});
  CHECK(group_iterations(list, false)[0].steady_from == 0);
}

TEST_CASE("a group that is not steady by its middle loses nothing") {
  std::vector<Iteration> list = decodes({900, 800, 700, 600, 500, 400, 100, 100, 100, 100});
  const std::vector<IterationGroup> groups = group_iterations(list, false);
  CHECK(groups[0].steady == SteadyState::missing);
  CHECK(groups[0].windows.count == 10);
}

TEST_CASE("warm-up is not looked for in groups of fewer than 8") {
  std::vector<Iteration> list = decodes({900, 100, 100, 100, 100, 100, 100});
  const std::vector<IterationGroup> groups = group_iterations(list, false);
  CHECK(groups[0].steady == SteadyState::too_few);
  CHECK(groups[0].windows.count == 7);
}

TEST_CASE("cut iterations are left out unless all are kept") {
  std::vector<Iteration> list = decodes({100, 100});
  list[1].left_out = LeftOut::cut;
  CHECK(group_iterations(list, false)[0].iterations == 1);
  CHECK(group_iterations(list, true)[0].iterations == 2);
}

TEST_CASE("percentiles are nearest ranks") {
  const WindowStats stats = window_stats({40, 10, 30, 20});
  CHECK(stats.p50_ns == 20);
  CHECK(stats.p90_ns == 40);
  CHECK(stats.min_ns == 10);
  CHECK(stats.sum_ns == 100);
  CHECK(window_stats({}).count == 0);
}

TEST_CASE("a prefill between generating iterations is a stall, as is the excess of a mixed one") {
  std::vector<Iteration> list;
  list.push_back(generating(IterationPhase::prefill, 0, 0, 500));  // nothing generates yet
  list.push_back(decode(500, 100));
  list.push_back(generating(IterationPhase::prefill, 0, 600, 300));
  list.push_back(generating(IterationPhase::mixed, 5, 900, 250));
  list.push_back(decode(1150, 100));
  list.push_back(generating(IterationPhase::mixed, 5, 1250, 90));    // no longer than a decode
  list.push_back(generating(IterationPhase::prefill, 0, 1340, 70));  // nothing generates afterwards
  const std::vector<Stall> stalls = find_stalls(list);
  REQUIRE(stalls.size() == 2);
  CHECK(stalls[0].iteration == 2);
  CHECK(stalls[0].ns == 300);
  CHECK(stalls[1].iteration == 3);
  CHECK(stalls[1].ns == 150);
  list[2].left_out = LeftOut::prepares_code;
  CHECK(find_stalls(list).size() == 1);
  CHECK(find_stalls({}).empty());
}

TEST_CASE("time between tokens is from start to start, without drafts") {
  std::vector<Iteration> list;
  list.push_back(decode(0, 10));
  list.push_back(generating(IterationPhase::draft, 5, 10, 5));
  list.push_back(generating(IterationPhase::verify, 5, 15, 10));
  list.push_back(decode(25, 10));
  const WindowStats between = time_between_tokens(list);
  CHECK(between.count == 2);
  CHECK(between.min_ns == 10);
  CHECK(between.max_ns == 15);
}

TEST_CASE("huge token counts do not overflow") {
  IterationGroup group;
  group.generated = std::numeric_limits<std::int64_t>::max();
  group.windows.sum_ns = 1;
  CHECK(group.generated_per_s() == std::numeric_limits<std::int64_t>::max());
  group.windows.sum_ns = 0;
  CHECK(group.generated_per_s() == 0);
}

TEST_CASE("the group of a batch is the next power of two") {
  CHECK(kino::batch_of_group(-1) == 0);
  CHECK(kino::batch_of_group(0) == 0);
  CHECK(kino::batch_of_group(9) == 16);
  CHECK(kino::batch_of_group(16) == 16);
}
