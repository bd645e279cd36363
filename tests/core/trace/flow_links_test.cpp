// Covers: flow_links, flow_writer
#include "core/trace/flow_links.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/fixtures/event_fixture.hpp"

using kino::DamageReason;
using kino::EventFixture;
using kino::slice_named;
using kino::SliceId;
using kino::Trace;
using kino::TrackClass;

namespace {

std::vector<SliceId> targets(const Trace& trace, SliceId from) {
  std::vector<SliceId> result;
  for (const std::uint32_t arrow : kino::flows_from(trace, from)) {
    CHECK(trace.flows.from[arrow] == from);
    result.push_back(trace.flows.to[arrow]);
  }
  return result;
}

std::vector<SliceId> origins(const Trace& trace, SliceId to) {
  std::vector<SliceId> result;
  for (const std::uint32_t arrow : kino::flows_to(trace, to)) {
    CHECK(trace.flows.to[arrow] == to);
    result.push_back(trace.flows.from[arrow]);
  }
  return result;
}

using Slices = std::vector<SliceId>;

}  // namespace

TEST_CASE("an arrow joins the innermost slices at its ends and is found from both") {
  EventFixture events;
  events.op("step", 0, 1000).op("forward", 100, 50).op("backward", 600, 50, "2");
  events.flow('s', 9, 120).flow('f', 9, 600, "2");
  const auto trace = events.build();
  const SliceId forward = slice_named(*trace, "forward");
  const SliceId backward = slice_named(*trace, "backward");
  REQUIRE(trace->flows.size() == 1);
  CHECK(targets(*trace, forward) == Slices{backward});
  CHECK(origins(*trace, backward) == Slices{forward});
  CHECK(targets(*trace, backward).empty());
  CHECK(origins(*trace, slice_named(*trace, "step")).empty());
  CHECK(trace->categories[kino::index_of(trace->flows.category[0])] == "fwdbwd");
  CHECK(trace->damage.empty());
}

TEST_CASE("among slices that start at the flow's time, the one written just before it is linked") {
  EventFixture events;
  events.op("outer", 0, 100).flow('s', 1, 0).op("inner", 0, 50);
  events.op("late", 200, 10).flow('f', 1, 200);
  const auto kineto = events.build();
  CHECK(targets(*kineto, slice_named(*kineto, "outer")) == Slices{slice_named(*kineto, "late")});
  events.flow('s', 1, 0).op("outer", 0, 100).op("inner", 0, 50);
  events.flow('f', 1, 200).op("late", 200, 10);
  const auto before = events.build();
  CHECK(targets(*before, slice_named(*before, "outer")) == Slices{slice_named(*before, "late")});
}

TEST_CASE("without bp=e, a flow's end belongs to the next slice, or to the outermost of several") {
  EventFixture events;
  events.op("source", 0, 100).op("around", 200, 100).op("next", 250, 40).op("within", 250, 10);
  events.flow('s', 1, 50).flow('f', 1, 210, "1", "fwdbwd", false);
  const auto trace = events.build();
  CHECK(targets(*trace, slice_named(*trace, "source")) == Slices{slice_named(*trace, "next")});
}

TEST_CASE("s, t and f become consecutive arrows; further f fan out; an id may be reused") {
  EventFixture events;
  for (int i = 0; i < 6; ++i) events.op("op " + std::to_string(i), i * 100, 50);
  events.flow('s', 1, 0).flow('t', 1, 100).flow('f', 1, 200).flow('f', 1, 300);
  events.flow('s', 1, 400).flow('f', 1, 500);
  events.flow('s', 1, 10, "1", "other").flow('f', 1, 510, "1", "other");
  const auto trace = events.build();
  const auto op = [&](int i) { return slice_named(*trace, "op " + std::to_string(i)); };
  CHECK(targets(*trace, op(0)) == Slices{op(1), op(5)});
  CHECK(targets(*trace, op(1)) == Slices{op(2), op(3)});
  CHECK(targets(*trace, op(4)) == Slices{op(5)});
  CHECK(origins(*trace, op(5)) == Slices{op(0), op(4)});
  CHECK(trace->flows.size() == 5);
}

TEST_CASE("ends without a slice or a partner are counted, and disagreeing clocks are still joined") {
  EventFixture events;
  events.op("a", 0, 10).op("b", 100, 10);
  events.flow('s', 1, 50).flow('f', 1, 100);                  // no slice at 50
  events.flow('s', 2, 5).flow('f', 3, 105);                   // different ids
  events.flow('s', 4, 105).flow('f', 4, 5);                   // backwards in time
  events.flow('s', 5, 5).flow('f', 5, 5, "nobody's thread");  // no such track
  const auto trace = events.build();
  CHECK(trace->flows.size() == 1);
  CHECK(targets(*trace, slice_named(*trace, "b")) == Slices{slice_named(*trace, "a")});
  CHECK(trace->damage.count(DamageReason::flow_without_slice) == 2);
  CHECK(trace->damage.count(DamageReason::flow_without_partner) == 1);
  CHECK(trace->damage.count(DamageReason::flow_without_start) == 1);
  CHECK(trace->damage.count(DamageReason::flow_begun_again) == 0);
}

TEST_CASE("flow events of one time stamp keep the order of the file") {
  EventFixture events;
  for (int i = 0; i < 3; ++i) events.op("op " + std::to_string(i), i * 100, 50);
  events.flow('s', 1, 0).flow('t', 1, 100).flow('s', 1, 100).flow('t', 1, 200);
  const auto trace = events.build();
  const auto op = [&](int i) { return slice_named(*trace, "op " + std::to_string(i)); };
  CHECK(targets(*trace, op(0)) == Slices{op(1)});
  CHECK(targets(*trace, op(1)) == Slices{op(2)});
  CHECK(trace->damage.empty());
}

TEST_CASE("a flow start that is repeated before an end is counted separately from one without an end") {
  EventFixture events;
  for (int i = 0; i < 4; ++i) events.op("op " + std::to_string(i), i * 100, 50);
  events.flow('s', 1, 0).flow('s', 1, 100).flow('f', 1, 200).flow('s', 1, 300);
  const auto trace = events.build();
  CHECK(trace->flows.size() == 1);
  CHECK(trace->damage.count(DamageReason::flow_begun_again) == 1);
  CHECK(trace->damage.count(DamageReason::flow_without_partner) == 1);
}

TEST_CASE("flows of calls that launch nothing are counted separately from flows without a partner") {
  EventFixture events;
  events.launch(0, 5, 1)
      .kernel("gemm", 50, 10, 1)
      .launch(10, 5, 2)
      .launch(20, 5, 3)
      .kernel("lost", 80, 10, 9);
  events.flow('s', 1, 0, "1", "ac2g").gpu_flow('f', 1, 50, "7", "ac2g");
  events.flow('f', 2, 10, "1", "ac2g").flow('f', 2, 11, "1", "ac2g");  // no start
  events.flow('s', 3, 20, "1", "ac2g");                                // no GPU work
  events.gpu_flow('f', 9, 80, "7", "ac2g");                            // no call has this id
  const auto trace = events.build();
  CHECK(trace->flows.size() == 0);
  CHECK(trace->damage.count(DamageReason::launch_flow_end) == 2);
  CHECK(trace->damage.count(DamageReason::launch_flow_start) == 1);
  CHECK(trace->damage.count(DamageReason::flow_without_start) == 1);
  CHECK(trace->damage.count(DamageReason::flow_without_partner) == 0);
  CHECK(trace->damage.total() == 1);
}

TEST_CASE("the time range contains flow events before and after all slices") {
  EventFixture events;
  events.op("op", 100, 50).flow('s', 1, 20).flow('f', 1, 400);
  CHECK(events.build()->range.length_ns() == 380);
}

TEST_CASE("an end on a GPU stream finds its slice although its category does not indicate a stream") {
  EventFixture events;
  events.op("host", 0, 10).launch(20, 5, 1).kernel("device", 30, 10, 1);
  events.slice(TrackClass::gpu, "kernel", "other device", 100, 10, "stream 5");
  for (const char* category : {"HostToDevice", "async"}) {
    const bool told = std::string(category) == "async";
    events.flow('s', 1, told ? 20 : 0, "1", category);
    events.gpu_flow('f', 1, told ? 30 : 100, told ? "7" : "stream 5", category);
  }
  const auto trace = events.build();
  CHECK(trace->damage.empty());
  const auto work = launched_by(*trace, slice_named(*trace, "host"));
  CHECK(Slices(work.begin(), work.end()) == Slices{slice_named(*trace, "other device")});
  CHECK(trace->flows.size() == 0);  // a link is not an arrow
}

TEST_CASE("all GPU work of a launch is listed by start, whether it is one slice or many") {
  EventFixture events;
  events.launch(0, 5, 1).launch(10, 5, 2).launch(20, 5, 3);
  events.kernel("late", 60, 10, 1).kernel("early", 40, 10, 1).kernel("elsewhere", 50, 10, 1, "8");
  events.kernel("alone", 80, 10, 2).kernel("orphan", 90, 5, 99);
  const auto trace = events.build();
  const auto id = [&](const char* name) { return slice_named(*trace, name); };
  const auto launched = [&](int nth) {
    const auto span = kino::launched_by(*trace, slice_named(*trace, "cudaLaunchKernel", nth));
    return Slices(span.begin(), span.end());
  };
  CHECK(launched(0) == Slices{id("early"), id("elsewhere"), id("late")});
  CHECK(launched(1) == Slices{id("alone")});
  CHECK(launched(2).empty());
  CHECK(kino::launched_by(*trace, id("early")).empty());
  CHECK(kino::launched_by(*trace, id("orphan")).empty());
  CHECK(trace->flows.launched.size() == 3);
}

TEST_CASE("arrows of sixty thousand categories are removed in one pass, and the others keep theirs") {
  constexpr std::uint32_t kArrows = 60'000;
  kino::FlowLinks links;
  links.from = kino::Column<SliceId>(kArrows);
  links.to = kino::Column<SliceId>(kArrows);
  links.category = kino::Column<kino::CategoryId>(kArrows);
  links.by_to = kino::Column<std::uint32_t>(kArrows);
  for (std::uint32_t i = 0; i < kArrows; ++i) {
    links.from[i] = SliceId{i};
    links.to[i] = SliceId{2 * kArrows - i};
    links.category[i] = kino::CategoryId{static_cast<std::uint16_t>(i)};
    links.by_to[i] = kArrows - 1 - i;
  }
  const std::vector<std::uint32_t> dropped{0, 7, kArrows - 1};
  const kino::FlowLinks rest = without_arrows(std::move(links), dropped);
  REQUIRE(rest.size() == kArrows - 3);
  CHECK(rest.from[0] == SliceId{1});
  CHECK(rest.from[6] == SliceId{8});
  CHECK(rest.to[6] == SliceId{2 * kArrows - 8});
  CHECK(rest.category[6] == kino::CategoryId{8});
  CHECK(rest.by_to[0] == kArrows - 4);
}

TEST_CASE("a trace without flows has no arrows") {
  EventFixture events;
  events.op("a", 0, 10);
  const auto trace = events.build();
  CHECK(trace->flows.size() == 0);
  CHECK(targets(*trace, SliceId{0}).empty());
  CHECK(origins(*trace, SliceId{0}).empty());
}

namespace {

struct RandomEnd {
  std::int64_t time;
  int id;
  char phase;
  bool encloses;
  std::uint64_t order;
  int thread;
};

/// The definition, applied to all slices of the track.
SliceId slice_by_definition(const Trace& trace, kino::TrackId track, const RandomEnd& end) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lanes_and_slices;
  for (const kino::Row& row : trace.rows) {
    if (row.track != track) continue;
    for (std::uint32_t i = 0; i < row.slice_count; ++i)
      lanes_and_slices.emplace_back(row.lane, row.first_slice + i);
  }
  SliceId best = kino::kNoSlice;
  std::tuple<std::int64_t, std::int64_t> best_key{};
  for (const auto& [lane, slice] : lanes_and_slices) {
    const std::int64_t start = trace.slices.start_ns[slice];
    std::tuple<std::int64_t, std::int64_t> key{};  // the smallest wins
    if (end.phase == 'f' && !end.encloses) {
      if (start < end.time) continue;
      key = {start, static_cast<std::int64_t>(slice)};
    } else if (start == end.time) {
      const auto distance =
          static_cast<std::int64_t>(end.order) - static_cast<std::int64_t>(trace.slices.source_offset[slice]);
      key = {distance > 0 ? 0 : 1, distance > 0 ? distance : -distance};
    } else if (start < end.time && end.time < trace.end_ns(SliceId{slice})) {
      key = {2, -static_cast<std::int64_t>(lane)};
    } else {
      continue;
    }
    if (best == kino::kNoSlice || key < best_key) {
      best = SliceId{slice};
      best_key = key;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("arrows agree with the definition on random events") {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    EventFixture events;
    events.op("origin", 0, 0, "0").op("origin", 0, 0, "1").op("origin", 0, 0, "2");
    std::uint64_t offset = 300;
    std::vector<RandomEnd> ends;
    for (int i = 0; i < 60; ++i) {
      offset += 100;
      const int thread = static_cast<int>(random() % 3);
      const auto time = static_cast<std::int64_t>(random() % 120);
      if (random() % 2 == 0) {
        events.op("op", time, static_cast<std::int64_t>(random() % 40), std::to_string(thread));
      } else {
        ends.push_back(
            {time, static_cast<int>(random() % 12), "stf"[random() % 3], random() % 3 != 0, offset, thread});
        events.flow(ends.back().phase, static_cast<std::uint64_t>(ends.back().id), time,
                    std::to_string(thread), "fwdbwd", ends.back().encloses);
      }
    }
    const auto trace = events.build();
    const auto track = [&](int thread) {
      for (std::uint32_t i = 0; i < trace->tracks.size(); ++i) {
        if (trace->tracks[i].tid == std::to_string(thread)) return kino::TrackId{i};
      }
      return kino::kNoTrack;
    };
    std::stable_sort(ends.begin(), ends.end(),
                     [](const RandomEnd& a, const RandomEnd& b) { return a.time < b.time; });
    std::map<int, std::vector<RandomEnd>> by_id;
    for (const RandomEnd& end : ends) by_id[end.id].push_back(end);
    std::vector<std::pair<SliceId, SliceId>> expected;
    for (const auto& [id, group] : by_id) {
      const RandomEnd* source = nullptr;
      const auto join = [&](const RandomEnd& from, const RandomEnd& to) {
        const SliceId a = slice_by_definition(*trace, track(from.thread), from);
        const SliceId b = slice_by_definition(*trace, track(to.thread), to);
        if (a != kino::kNoSlice && b != kino::kNoSlice) expected.emplace_back(a, b);
      };
      for (const RandomEnd& end : group) {
        if (end.phase != 's' && source != nullptr) join(*source, end);
        if (end.phase != 'f') source = &end;
      }
      if (group.size() == 2 && group[0].phase == 'f' && group[1].phase == 's') join(group[1], group[0]);
    }
    std::sort(expected.begin(), expected.end());
    std::vector<std::pair<SliceId, SliceId>> found;
    for (std::size_t i = 0; i < trace->flows.size(); ++i)
      found.emplace_back(trace->flows.from[i], trace->flows.to[i]);
    REQUIRE(found == expected);
    for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
      const SliceId id{i};
      REQUIRE(static_cast<std::ptrdiff_t>(targets(*trace, id).size()) ==
              std::count_if(expected.begin(), expected.end(), [&](const auto& a) { return a.first == id; }));
      REQUIRE(static_cast<std::ptrdiff_t>(origins(*trace, id).size()) ==
              std::count_if(expected.begin(), expected.end(), [&](const auto& a) { return a.second == id; }));
    }
  }
}
